// Writes a span of the lanes as an SVG with its own background: a space-time diagram for documents.
/* global name_of */
'use strict';

const svg_of_lanes = (() => {
  const [width, left, lane, foot] = [900, 76, 92, 24];
  const inks = ['#5c656d', '#0072b2', '#007f5f', '#8a6d00', '#7a3fb0', '#2f7fb3', '#b0558b', '#4a4a4a', '#5a7d00', '#00707f'];
  const style_for = nodes => `text{font:12px system-ui,"Liberation Sans",sans-serif;fill:#1c2024}.name{font-weight:700;font-size:15px}
.soft{fill:#5c656d}.label{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
line{stroke-width:1.5}.grid{stroke:#dfe2e4;stroke-width:1}.small{stroke-width:.7}.lost{stroke:#c4231a;stroke-dasharray:4 3}
${[...inks, ...inks.slice(1)].slice(0, Math.max(inks.length, nodes + 1)).map((ink, id) => `.m${id}{stroke:${ink}}.f${id}{fill:${ink}}`).join('')}`;
  const tidy = number => Math.round(number * 10) / 10;
  const text_of = ({what, round}) => round > 0 ? `${what}(${round})` : what;

  function line(x, y, to_x, to_y, name) {
    return `<line class="${name}" x1="${tidy(x)}" y1="${tidy(y)}" x2="${tidy(to_x)}" y2="${tidy(to_y)}"/>`;
  }

  function head(x, y, angle, node) {
    const corner = side => `${tidy(x - 8 * Math.cos(angle + side))},${tidy(y - 8 * Math.sin(angle + side))}`;
    return `<polygon class="f${node}" points="${tidy(x)},${tidy(y)} ${corner(-0.4)} ${corner(0.4)}"/>`;
  }

  // A place on the arrow where the text covers no other text and no lane.
  function label(text, node, [x, y, to_x, to_y], places) {
    const wide = text.length * 6.4;
    for (const part of [0.3, 0.42, 0.58, 0.7, 0.22, 0.8]) {
      const place = {x: x + (to_x - x) * part + 4, y: y + (to_y - y) * part + 4, wide};
      if (place.x < left || place.x + wide > width || Math.abs((place.y - 4) % lane - lane / 2) < 15) continue;
      if (places.some(each => Math.abs(each.y - place.y) < 13 && place.x < each.x + each.wide && each.x < place.x + wide)) continue;
      places.push(place);
      return `<text class="label f${node}" x="${tidy(place.x)}" y="${tidy(place.y)}">${text}</text>`;
    }
    return '';
  }

  // Times in microseconds. `title` becomes the text for readers that see no picture.
  return (story, order, from, to, title) => {
    const x_of = at => left + Math.max(0, Math.min(1, (at - from) / (to - from))) * (width - left - 8);
    const y_of = node => (order.indexOf(node) + 0.5) * lane;
    const bottom = order.length * lane;
    const parts = order.toSorted((a, b) => a - b).map(id => `<text class="name f${id}" x="10" y="${y_of(id) + 5}">${id === 0 ? 'worker' : name_of(id)}</text>` +
      line(left, y_of(id), width - 8, y_of(id), 'grid'));
    for (let at = from; at < to; at += 100_000) {
      parts.push(line(x_of(at), 0, x_of(at), bottom, 'grid'),
        `<text class="soft" x="${tidy(x_of(at) + 3)}" y="${bottom + 14}">${(at - from) / 1000} ms</text>`);
    }
    for (const each of story.two.filter(({from: begin, to: end}) => begin < to && (end ?? to) > from)) {
      const x = x_of(each.from);
      parts.push(`<rect fill="#c4231a" opacity=".2" x="${tidy(x)}" width="${tidy(x_of(each.to ?? to) - x)}" height="${bottom}"/>`);
    }
    for (const node of order.filter(each => each > 0)) {
      for (const {kind, from: begin, to: end} of story.bars.get(node) ?? []) {
        if (begin >= to || (end ?? to) <= from) continue;
        const high = {holds: 20, waits: 6}[kind] ?? lane - 8;
        parts.push(`<rect class="f${kind in {holds: 1, waits: 1} ? node : 0}" opacity="${{holds: 1, waits: 0.4}[kind] ?? 0.2}" x="${
          tidy(x_of(begin))}" y="${y_of(node) - high / 2}" width="${tidy(x_of(end ?? to) - x_of(begin))}" height="${high}"/>`);
      }
    }
    const labels = [];
    const places = [];
    for (const arrow of story.arrows) {
      const end = arrow.end ?? arrow.arrives;
      if (arrow.sent < from || end > to) continue;
      const way = [x_of(arrow.sent), y_of(arrow.from), x_of(end), y_of(arrow.to)];
      parts.push(line(...way, `m${arrow.from}${arrow.lost ? ' lost' : ''}${arrow.what === 'Close' ? ' small' : ''}`));
      if (!arrow.lost) parts.push(head(way[2], way[3], Math.atan2(way[3] - way[1], way[2] - way[0]), arrow.from));
      if (arrow.what !== 'Close') labels.push(label(text_of(arrow), arrow.from, way, places));
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + foot}" viewBox="0 0 ${width} ${
      bottom + foot}" role="img">
<title>${title}</title><style>${style_for(order.length)}</style>
<rect width="100%" height="100%" rx="8" fill="#fff"/>
${[...parts, ...labels].filter(Boolean).join('\n')}
</svg>
`;
  };
})();

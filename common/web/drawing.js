// Drawing functions for the pages of the project: elements, charts by uPlot (uplot/), and bars.
// The dashboard, the race and the reports load this plain script. It defines one global: `drawing`.
/* global uPlot */
'use strict';

const drawing = (() => {
  function element(tag, text, classes = '') {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (classes) made.className = classes;
    return made;
  }

  function svg(tag, attributes, text) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Creates an element and appends it to `parent`.
  function make(tag, parent, classes = '', text = undefined) {
    return parent.appendChild(element(tag, text, classes));
  }

  function make_svg(tag, parent, attributes, text = undefined) {
    return parent.appendChild(svg(tag, attributes, text));
  }

  function put(place, text) {
    if (place.textContent !== text) place.textContent = text;
  }

  const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;

  // Returns the value of a CSS variable of the page, in the form that a canvas needs.
  const ink = name =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  // Formats a number with few digits. An infinite value becomes "never".
  function short(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return '–';
    if (!Number.isFinite(value)) return 'never';
    if (Number.isInteger(value) || Math.abs(value) >= 100) {
      return Math.round(value).toLocaleString('en');
    }
    return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
  }

  // Draws a uPlot chart as wide as its parent. `data` is [x values, values of each series, …].
  function chart(parent, options, data) {
    const place = make('div', parent, 'chart');
    const style = {stroke: ink('soft'), grid: {stroke: ink('line'), width: 1},
      ticks: {show: false}, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif'};
    const plot = new uPlot({
      cursor: {y: false},
      ...options,
      width: place.clientWidth,
      axes: options.axes.map(axis => ({...style, ...axis})),
      series: [options.series[0], ...options.series.slice(1).map(series =>
        ({value: (_, value) => short(value), points: {show: false}, width: 1.8, ...series}))],
    }, data, place);
    plot.root.querySelectorAll('.u-series').forEach((row, index) => {
      row.hidden = Boolean(options.series[index].unnamed);  // an edge of a band
    });
    plot.root.setAttribute('role', 'group');
    plot.root.setAttribute('aria-label', `Chart: ${options.label ?? options.title}`);
    const watch = new ResizeObserver(() => {
      if (!place.isConnected) return watch.disconnect();
      plot.setSize({width: place.clientWidth, height: options.height});
    });
    watch.observe(place);
    return plot;
  }

  // Draws horizontal bars for each of `rows`: {label, ink, bars: [{value, text, low, high}]}.
  // A bar without a value is not drawn. A bar with an infinite value has the full length and is
  // hatched. `reference` is {value, label}: a line through all rows.
  function bars(place, rows, {unit, logarithmic = false, reference = null, series = []} = {}) {
    const finite = rows.flatMap(row => row.bars.flatMap(bar => [bar.value, bar.high]))
      .concat(reference ? [reference.value] : []).filter(value => Number.isFinite(value));
    const most = Math.max(...finite, 1e-9);
    const least = Math.min(...finite.filter(value => value > 0), most) / 2;
    const share = value => 100 * Math.min(1, logarithmic ?
      Math.log(Math.max(value, least) / least) / Math.log(most / least || 2) : value / most);
    const table = make('div', place, 'bars');
    for (const row of rows) {
      make('span', table, 'label', row.label);
      const tracks = make('div', table, 'tracks');
      row.bars.forEach((bar, index) => {
        if (bar.value === null || bar.value === undefined) return;
        const never = !Number.isFinite(bar.value);
        const line = make('div', tracks, 'track');
        const length = never ? 100 : share(bar.value);
        const drawn = make('i', line, `bar s${index}${never ? ' never' : ''}`);
        drawn.style.cssText = `width:${length}%;--own:var(--${row.ink})`;
        if (Number.isFinite(bar.high) && bar.high > bar.low) {
          const span = make('i', line, 'span');
          span.style.cssText = `left:${share(bar.low)}%;width:${share(bar.high) - share(bar.low)}%`;
        }
        if (reference) {
          make('i', line, 'reference').style.left = `${share(reference.value)}%`;
        }
        make('span', line, 'value', bar.text ?? short(bar.value)).style.left =
          `${Math.max(length, Number.isFinite(bar.high) ? share(bar.high) : 0)}%`;
      });
    }
    const notes = [unit + (logarithmic ? ', logarithmic' : ''), reference?.label].filter(Boolean);
    if (series.length > 1) {
      const legend = make('ul', place, 'legend');
      series.forEach((name, index) => {
        const entry = make('li', legend);
        make('i', entry, `bar s${index} sample`);
        entry.append(name);
      });
    }
    make('p', place, 'soft small', notes.join(' · '));
  }

  // Draws a bar of consecutive parts for each row: {label, parts: [value, …], text, mark}.
  function stacks(place, rows, {unit, parts, most}) {
    const table = make('div', place, 'bars');
    for (const row of rows) {
      make('span', table, 'label', row.label);
      const line = make('div', make('div', table, 'tracks'), 'track');
      let at = 0;
      row.parts.forEach((value, index) => {
        const part = make('i', line, 'part');
        part.style.cssText =
          `left:${100 * at / most}%;width:${100 * value / most}%;background:var(--p${index})`;
        part.title = `${parts[index]}: ${short(value)} ${unit}`;
        at += value;
      });
      if (row.mark) make('i', line, 'reference').style.left = `${100 * row.mark / most}%`;
      make('span', line, 'value', row.text).style.left = `${100 * at / most}%`;
    }
    make('p', place, 'soft small', unit);
  }

  // Draws a timeline of each row, 0 to `end`: {label, hint, bad, ink, spans: [{from, to, kind}]}.
  function lives(place, rows, {unit, end}) {
    const table = make('div', place, 'bars lives');
    const x = value => 100 * Math.min(1, Math.max(0, value / end));
    for (const row of rows) {
      make('span', table, 'label', row.label);
      const line = make('div', make('div', table, 'tracks'), 'track');
      line.title = row.hint;
      for (const {from, to, kind} of row.spans) {
        make('i', line, `life ${kind}${row.bad ? ' bad' : ''}`).style.cssText =
          `left:${x(from)}%;width:${x(to) - x(from)}%;--own:var(--${row.ink})`;
      }
    }
    make('p', place, 'soft small', `0 to ${short(end)} ${unit}`);
  }

  // Draws nodes side by side with their messages in order: {at, from, to, text, bad}.
  function sequence(place, nodes, steps) {
    const [width, left, top, step_height] = [900, 90, 52, 34];
    const height = top + steps.length * step_height + 16;
    const picture = make_svg('svg', place, {viewBox: `0 0 ${width} ${height}`, class: 'sequence',
      role: 'img', 'aria-label': 'What the nodes said to each other'});
    const gap = (width - left - 60) / Math.max(1, nodes.length - 1);
    const column = new Map(nodes.map((node, index) => [node, left + 40 + index * gap]));
    make_svg('text', picture, {x: left - 20, y: 28, 'text-anchor': 'end', class: 'soft'}, 'ms');
    for (const [node, x] of column) {
      make_svg('line', picture, {x1: x, x2: x, y1: 38, y2: height - 8, class: 'lifeline'});
      make_svg('text', picture, {x, y: 28, 'text-anchor': 'middle', class: 'strong'}, node);
    }
    steps.forEach((step, index) => {
      const y = top + (index + 0.5) * step_height;
      const bad = step.bad ? ' bad' : '';
      make_svg('text', picture, {x: left - 20, y: y + 4, 'text-anchor': 'end', class: `soft${bad}`},
        step.at.toFixed(2));
      const from = column.get(step.from);
      if (from === undefined) return;
      const to = column.get(step.to) ?? from;
      if (from === to) {
        make_svg('circle', picture, {cx: from, cy: y, r: 3.5, class: `tip${bad}`});
      } else {
        const back = to > from ? -9 : 9;
        make_svg('line', picture, {x1: from, x2: to + back / 2, y1: y, y2: y, class: `arrow${bad}`});
        make_svg('path', picture, {d: `M${to} ${y}l${back} -4.5v9Z`, class: `tip${bad}`});
      }
      const half = step.text.length * (step.bad ? 4.1 : 3.6);
      const beside = from === to ? from + 12 + half < width - half : false;
      const x = from !== to ? Math.min(width - half - 4, Math.max(left + half, (from + to) / 2)) :
        beside ? from + 10 : from - 10;
      make_svg('text', picture, {x, y: from === to ? y + 4 : y - 7, class: `note${bad}`,
        'text-anchor': from !== to ? 'middle' : beside ? 'start' : 'end'}, step.text);
    });
  }

  // Draws a table. Each row is a list of texts; the first row has the headings. On a narrow screen
  // the rows of a short table become lists.
  function table(place, rows) {
    const [heading, ...body] = rows;
    const root = make('table', make('div', place, 'scroll'), body.length <= 40 ? 'few' : '');
    const top = make('tr', root);
    for (const name of heading) make('th', top, '', name);
    for (const row of body) {
      const line = make('tr', root);
      row.forEach((text, index) => { make('td', line, '', text).dataset.name = heading[index]; });
    }
  }

  return {element, svg, make, make_svg, put, count, ink, short, chart, bars, stacks, lives, sequence, table};
})();

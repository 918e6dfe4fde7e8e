// Draws the masters on a circle, the worker in it, beside the link of two masters that are opposite, and a line for each link. A click on one of
// them picks it; so does the Enter key.
/* global drawing, lanes, name_of */
'use strict';

class Ring {
  constructor(place, pick) {
    this.place = place;
    this.pick = pick;
    this.masters = 0;
  }

  at(node) {
    if (node === 0 && this.masters % 2) return {x: 160, y: 160};
    if (node === 0) return {x: 160 + 60 * Math.sin(Math.PI / this.masters), y: 160 - 60 * Math.cos(Math.PI / this.masters)};
    const angle = 2 * Math.PI * (node - 1) / this.masters - Math.PI / 2;
    return {x: 160 + 125 * Math.cos(angle), y: 160 + 125 * Math.sin(angle)};
  }

  // `first`: 0, or 1 if there is no worker.
  build(masters, first) {
    Object.assign(this, {masters, first, names: lanes.names});
    this.place.replaceChildren();
    this.links = new Map();
    this.nodes = new Map();
    this.dots = drawing.make_svg('g', this.place, {});
    for (let a = first; a <= masters; ++a) {
      for (let b = a + 1; b <= masters; ++b) this.add_link(a, b);
    }
    this.place.append(this.dots);
    for (let node = first; node <= masters; ++node) this.add_node(node);
  }

  button(key, kind, label) {
    const made = drawing.make_svg('g', this.place,
      {class: kind, role: 'button', tabindex: 0, 'aria-label': label, 'data-key': key});
    made.addEventListener('click', () => this.pick(key));
    made.addEventListener('keydown', event => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.pick(key);
    });
    return made;
  }

  add_link(a, b) {
    const key = `${a}-${b}`;
    const made = this.button(key, 'link', '');
    const [from, to] = [this.at(a), this.at(b)];
    // Two lines beside each other: one for each direction.
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const [dx, dy] = [(to.y - from.y) / length * 2.5, (from.x - to.x) / length * 2.5];
    const wire = sign => drawing.make_svg('line', made, {class: 'wire',
      x1: from.x + sign * dx, y1: from.y + sign * dy, x2: to.x + sign * dx, y2: to.y + sign * dy});
    const wires = [wire(1), wire(-1)];
    drawing.make_svg('line', made, {class: 'target', x1: from.x, y1: from.y, x2: to.x, y2: to.y});
    this.links.set(key, {made, wires, a, b});
  }

  add_node(node) {
    const {x, y} = this.at(node);
    const made = node === 0 ? drawing.make_svg('g', this.place, {class: 'node'}) :
      this.button(`${node}`, 'node', '');
    made.setAttribute('style', `--own:var(--m${node})`);
    drawing.make_svg('circle', made, {class: 'halo', cx: x, cy: y, r: 27});
    drawing.make_svg('circle', made, {class: 'disc', cx: x, cy: y, r: node === 0 ? 25 : 20});
    drawing.make_svg('circle', made, {class: 'crown', cx: x, cy: y, r: 24});
    const text = drawing.make_svg('text', made, {x, y}, node === 0 ? 'worker' : name_of(node));
    if (node === 0) text.setAttribute('style', 'font-size:11px');
    this.nodes.set(node, made);
  }

  draw(state, clock, picked) {
    const first = state.worker === false ? 1 : 0;
    if (this.masters !== state.nodes.length || this.first !== first ||
      this.names !== lanes.names) this.build(state.nodes.length, first);
    const by_way = new Map(state.links.map(each => [`${each.from}-${each.to}`, each]));
    for (const [key, {made, wires, a, b}] of this.links) {
      const words = [];
      [[a, b], [b, a]].forEach(([from, to], side) => {
        const link = by_way.get(`${from}-${to}`);
        const kind = link.cut ? 'cut' : link.held || link.slower_ms > 0 ? 'slow' :
          link.up || from === 0 || to === 0 ? '' : 'down';
        this.set(wires[side], 'class', `wire ${kind}`);
        if (kind) words.push(`${kind === 'down' ? 'no link' : kind} from ${name_of(from)} to ${name_of(to)}`);
      });
      this.set(made, 'class', `link${picked === key ? ' chosen' : ''}`);
      this.set(made, 'aria-label', `Link ${name_of(a)} – ${name_of(b)}${words.length ? `: ${words.join(', ')}` : ''}`);
    }
    for (const each of state.nodes) {
      const made = this.nodes.get(each.id);
      const holds = state.holders.includes(each.id);
      this.set(made, 'class', `node ${each.life}${holds ? ' holds' : ''}${picked === `${each.id}` ? ' chosen' : ''}`);
      this.set(made, 'aria-label', `${name_of(each.id)}: ${each.life}, ${each.state}${holds ? ', holds the lock' : ''}`);
    }
    this.draw_messages(state, clock, by_way);
  }

  set(element, attribute, value) {
    if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
  }

  draw_messages(state, clock, by_way) {
    state.way.forEach((message, index) => {
      const dot = this.dots.children[index] ?? drawing.make_svg('circle', this.dots, {r: 5});
      const link = by_way.get(`${message.from}-${message.to}`);
      const [from, to] = [this.at(message.from), this.at(message.to)];
      const part = link.cut || link.held ? 0.3 :
        Math.min(1, Math.max(0, (clock - message.sent) / Math.max(1, message.arrives - message.sent)));
      this.set(dot, 'cx', (from.x + (to.x - from.x) * part).toFixed(1));
      this.set(dot, 'cy', (from.y + (to.y - from.y) * part).toFixed(1));
      this.set(dot, 'style', `fill:var(--m${message.from})`);
    });
    while (this.dots.children.length > state.way.length) this.dots.lastChild.remove();
  }
}

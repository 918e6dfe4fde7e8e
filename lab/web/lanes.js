// Draws the lanes: a bar for each wait and hold, an arrow for each message. Time runs to the right.
/* global drawing */
'use strict';

class Lanes {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
    this.inks = {};
    this.zoom = 1;  // a power of two
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.inks = {}; });
  }

  ink(name) { return this.inks[name] ??= drawing.ink(name); }

  lane_height(masters) { return masters > 6 ? 50 : masters > 3 ? 64 : 80; }

  fit(masters, rows) {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.parentElement.clientWidth - document.getElementById('names').offsetWidth;
    const height = rows * this.lane_height(masters);
    if (this.width !== width || this.height !== height || this.ratio !== ratio) {
      Object.assign(this, {width, height, ratio});
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = `${height}px`;
    }
  }

  // The nodes from the top lane to the lowest one; the worker is 0.
  rows_of(state) {
    const all = state.nodes.map(each => each.id);
    if (state.worker !== false) all.push(0);
    if (all.length !== this.order?.length || all.some(each => !this.order.includes(each))) this.order = all;
    return this.order;
  }

  move(node, row) {
    this.order = this.order.filter(each => each !== node).toSpliced(row, 0, node);
  }

  // Microseconds of time that fit into the width.
  span_us() { return Math.max(260_000, this.width * 750) / this.zoom; }

  draw(story, state, clock) {
    const masters = state.nodes.length;
    const order = this.rows_of(state);
    const rows = order.length;
    this.fit(masters, rows);
    const {pen, width, height} = this;
    const lane = this.lane_height(masters);
    const now_x = width * 0.8;
    const scale = width / this.span_us();
    this.x = at => now_x + (at - clock) * scale;
    this.y = node => (order.indexOf(node) + 0.5) * lane;
    this.first = clock - now_x / scale;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = '11px system-ui, sans-serif';
    this.ground(rows, lane, clock, now_x);
    for (const span of story.two) this.two_holders(span, clock, rows * lane);
    for (let node = 1; node <= masters; ++node) {
      for (const bar of story.bars.get(node) ?? []) this.bar(node, bar, clock, lane);
    }
    this.arrows(story, state, clock);
    pen.strokeStyle = this.ink('accent');
    pen.lineWidth = 1.5;
    this.line(now_x, 0, now_x, height);
  }

  ground(rows, lane, clock, now_x) {
    const {pen, width, height} = this;
    pen.strokeStyle = this.ink('line');
    pen.fillStyle = this.ink('soft');
    pen.lineWidth = 1;
    for (let each = 1; each <= rows; ++each) {
      this.line(0, Math.round(each * lane) - 0.5, width, Math.round(each * lane) - 0.5);
    }
    const tick = 100_000 / this.zoom;
    pen.textAlign = 'left';
    for (let at = Math.max(0, Math.ceil(this.first / tick) * tick); at <= clock; at += tick) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.globalAlpha = 0.5;
      this.line(x, 0, x, height);
      pen.globalAlpha = 1;
      if (x < now_x - 30) pen.fillText(`${(at / 1e6).toFixed(this.zoom > 1 ? 4 : 1)} s`, x + 3, height - 4);
    }
  }

  line(x, y, to_x, to_y) {
    this.pen.beginPath();
    this.pen.moveTo(x, y);
    this.pen.lineTo(to_x, to_y);
    this.pen.stroke();
  }

  two_holders({from, to}, clock, height) {
    if ((to ?? clock) < this.first) return;
    const x = Math.max(0, this.x(from));
    this.pen.fillStyle = this.ink('bad');
    this.pen.globalAlpha = 0.22;
    this.pen.fillRect(x, 0, Math.max(2, this.x(to ?? clock) - x), height);
    this.pen.globalAlpha = 1;
  }

  bar(node, {kind, from, to}, clock, lane) {
    const end = to ?? clock;
    if (end < this.first) return;
    const {pen} = this;
    const x = Math.max(-4, this.x(from));
    const width = Math.max(2, this.x(end) - x);
    const y = this.y(node);
    pen.fillStyle = this.ink(`m${node}`);
    if (kind === 'holds') {
      pen.fillRect(x, y - 11, width, 22);
    } else if (kind === 'waits') {
      pen.globalAlpha = 0.4;
      pen.fillRect(x, y - 3, width, 6);
      pen.globalAlpha = 1;
    } else {
      this.hatch(x, y - lane / 2 + 3, width, lane - 6, kind === 'killed' ? 'bad' : 'soft');
      if (width > 60) {
        pen.fillStyle = this.ink('text');
        pen.fillText(kind, Math.max(4, x + 4), y - lane / 2 + 15);
      }
    }
  }

  hatch(x, y, width, height, ink) {
    const {pen} = this;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, width, height);
    pen.clip();
    pen.strokeStyle = this.ink(ink);
    pen.globalAlpha = 0.35;
    pen.lineWidth = 2;
    // The lines keep their place while time passes.
    const shift = this.x(0) % 10;
    for (let at = Math.floor((x - height) / 10) * 10 + shift - 10; at < x + width; at += 10) {
      this.line(at, y + height, at + height, y);
    }
    pen.restore();
  }

  arrows(story, state, clock) {
    const stuck = new Set(state.links.filter(each => each.cut || each.held)
      .map(each => `${each.from}-${each.to}`));
    const shown = [];
    for (let i = story.arrows.length - 1; i >= 0; --i) {
      const arrow = story.arrows[i];
      if (arrow.sent < this.first - 3_000_000 / this.zoom) break;
      if ((arrow.end ?? clock) >= this.first) shown.push(arrow);
    }
    const labelled = new Set(shown.filter(each => each.end === null).slice(0, 14));
    for (const each of shown) {
      if (labelled.size >= (this.width < 500 ? 6 : 14)) break;
      labelled.add(each);
    }
    const places = [];
    for (const arrow of shown.reverse()) {
      const waits = arrow.end === null && stuck.has(`${arrow.from}-${arrow.to}`);
      this.arrow(arrow, clock, waits);
      if (labelled.has(arrow) && arrow.what !== 'Close') this.label(arrow, clock, places);
    }
  }

  arrow(arrow, clock, waits) {
    const {pen} = this;
    const [x, y, y_to] = [this.x(arrow.sent), this.y(arrow.from), this.y(arrow.to)];
    const arrives = arrow.end ?? Math.max(arrow.arrives, clock);
    const x_to = this.x(arrives);
    // The part of the way that lies behind the message.
    const part = waits ? 0.3 : Math.min(1, (clock - arrow.sent) / Math.max(1, arrives - arrow.sent));
    const [x_now, y_now] = [x + (x_to - x) * part, y + (y_to - y) * part];
    pen.strokeStyle = pen.fillStyle = arrow.lost ? this.ink('bad') : this.ink(`m${arrow.from}`);
    pen.lineWidth = arrow.what === 'Close' ? 0.8 : 1.5;
    this.line(x, y, x_now, y_now);
    if (part < 1) {
      pen.globalAlpha = 0.45;
      pen.setLineDash([2, 4]);
      this.line(x_now, y_now, x_to, y_to);
      pen.setLineDash([]);
      pen.globalAlpha = 1;
      pen.beginPath();
      pen.arc(x_now, y_now, 4, 0, 7);
      pen.fill();
      return;
    }
    if (arrow.lost) {
      pen.lineWidth = 2;
      this.line(x_to - 4, y_to - 4, x_to + 4, y_to + 4);
      this.line(x_to - 4, y_to + 4, x_to + 4, y_to - 4);
      return;
    }
    if (arrow.ignored) {
      pen.beginPath();
      pen.arc(x_to, y_to, 5, 0, 7);
      pen.stroke();
      return;
    }
    const angle = Math.atan2(y_to - y, x_to - x);
    pen.beginPath();
    pen.moveTo(x_to, y_to);
    for (const side of [-0.4, 0.4]) {
      pen.lineTo(x_to - 8 * Math.cos(angle + side), y_to - 8 * Math.sin(angle + side));
    }
    pen.fill();
  }

  // Writes the name of the message beside its arrow if there is room.
  label(arrow, clock, places) {
    const text = arrow.round > 0 ? `${arrow.what}(${arrow.round})` : arrow.what;
    const arrives = arrow.end ?? Math.max(arrow.arrives, clock);
    const part = 0.32;
    const width = this.pen.measureText(text).width;
    const beside = this.x(arrow.sent) + (this.x(arrives) - this.x(arrow.sent)) * part + 5;
    const x = Math.min(beside, this.width - width - 2);
    const y = this.y(arrow.from) + (this.y(arrow.to) - this.y(arrow.from)) * part + 3;
    if (x < 0) return;
    if (places.some(each => Math.abs(each.y - y) < 13 && x < each.x + each.width + 3 && each.x < x + width + 3)) return;
    places.push({x, y, width});
    this.pen.fillStyle = this.ink('card');
    this.pen.globalAlpha = 0.8;
    this.pen.fillRect(x - 1, y - 9, width + 2, 12);
    this.pen.globalAlpha = 1;
    this.pen.fillStyle = this.ink('text');
    this.pen.fillText(text, x, y);
  }
}

// Draws rooms as bars of seats, on a canvas that is only as large as the visible part.
//
// The canvas sticks to its scrolling frame. A margin below the canvas adds the height of the other
// rows. Only visible rows are drawn, at most once per frame. Ten thousand rooms therefore cost as
// much as one screenful.
import {free_seats, is_unknown, sections_of} from './state.js';

const heading_height = 22;
const sizes = {  // the default is the first size with `rooms` >= the number of rooms
  large: {rooms: 120, width: 96, height: 18, gap: 8},
  middle: {rooms: 1500, width: 58, height: 12, gap: 6},
  small: {rooms: Infinity, width: 34, height: 8, gap: 4}
};
const colours = ['text', 'soft', 'playing', 'reserved', 'unknown', 'free', 'starting', 'draining',
  'accent'];

export class RoomsView {
  // Calls on_select(room or null) when the pointer or the keys select another room.
  constructor(board, canvas, on_select) {
    Object.assign(this, {board, canvas, on_select});
    this.paper = canvas.getContext('2d');
    this.rows = [];   // {y, heading} or {y, rooms}
    this.order = [];  // rooms in drawing order
    this.selected = null;
    this.pending = false;
    board.addEventListener('scroll', () => this.draw_soon());
    new ResizeObserver(() => this.lay_out()).observe(board);
    canvas.addEventListener('pointermove', event => this.#point(event));
    board.addEventListener('keydown', event => this.#key(event));
    this.read_colours();
  }

  read_colours() {
    const style = getComputedStyle(document.documentElement);
    this.ink = Object.fromEntries(
        colours.map(name => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.draw_soon();
  }

  // `size` is a name of `sizes`. Any other name selects the largest size that suits the number of
  // rooms.
  show(rooms, by, filter, size) {
    this.sections = sections_of(rooms, by, filter);
    this.chosen = sizes[size];
    this.lay_out();
  }

  lay_out() {
    if (!this.sections) return;
    const count = this.sections.reduce((sum, section) => sum + section.rooms.length, 0);
    this.size = this.chosen ?? Object.values(sizes).find(size => count <= size.rooms);
    const width = this.board.clientWidth;
    const {width: cell, height, gap} = this.size;
    this.per_row = Math.max(1, Math.floor((width + gap) / (cell + gap)));
    this.rows = [];
    this.order = [];
    let y = 0;
    for (const {key, rooms} of this.sections) {
      this.rows.push({y, height: heading_height, heading: key, rooms});
      y += heading_height;
      for (let at = 0; at < rooms.length; at += this.per_row) {
        const row = rooms.slice(at, at + this.per_row);
        this.rows.push({y, height: height + gap, rooms: row, first: this.order.length});
        this.order.push(...row);
        y += height + gap;
      }
      y += 4;
    }
    this.total = y;
    this.board.classList.toggle('few', y < 500);
    this.draw_soon();
  }

  draw_soon() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.#draw();
    });
  }

  #draw() {
    if (!this.size) return;
    const most = parseFloat(getComputedStyle(this.board).maxHeight) || Infinity;
    const few = this.board.classList.contains('few');
    const height = Math.max(1, few ? Math.min(this.total, most) : this.board.clientHeight);
    const width = this.board.clientWidth;
    const ratio = devicePixelRatio;
    const wide = Math.round(width * ratio), high = Math.round(height * ratio);
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    // The canvas and the margin below it are together as high as all rows.
    this.canvas.style.marginBottom = `${Math.max(0, this.total - height)}px`;
    const paper = this.paper;
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, width, height);
    const top = this.board.scrollTop;
    for (let i = this.#row_at(top); i < this.rows.length && this.rows[i].y < top + height; ++i) {
      const row = this.rows[i];
      if (row.heading === undefined) this.#draw_rooms(row, row.y - top);
      else this.#draw_heading(row, row.y - top);
    }
  }

  #row_at(y) {
    let low = 0, high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].y + this.rows[middle].height <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #draw_heading(row, y) {
    const paper = this.paper;
    const taken = row.rooms.reduce((sum, room) => sum + room.reserved + room.occupied, 0);
    const seats = row.rooms.reduce((sum, room) => sum + room.capacity, 0);
    paper.font = '600 12px system-ui, sans-serif';
    paper.textBaseline = 'middle';
    paper.fillStyle = this.ink.text;
    paper.fillText(row.heading, 1, y + 11);
    const after = paper.measureText(row.heading).width + 12;
    paper.font = '12px system-ui, sans-serif';
    paper.fillStyle = this.ink.soft;
    const rooms = row.rooms.length === 1 ? '1 room' : `${row.rooms.length} rooms`;
    paper.fillText(`${rooms}, ${taken} of ${seats} seats`, after, y + 11);
  }

  #draw_rooms(row, y) {
    row.rooms.forEach((room, index) => this.#draw_room(room, index * (this.size.width +
      this.size.gap), y));
  }

  #draw_room(room, x, y) {
    const paper = this.paper;
    const {width, height} = this.size;
    const seat = width / room.capacity;
    const kept = is_unknown(room) ? 'unknown' : 'reserved';
    const parts = [[room.occupied ?? 0, 'playing'], [room.reserved, kept],
      [Math.max(0, free_seats(room)), 'free']];
    let at = x;
    for (const [count, ink] of parts) {
      if (count === 0) continue;
      paper.fillStyle = this.ink[ink];
      paper.fillRect(at, y, count * seat, height);
      at += count * seat;
    }
    if (seat >= 6) {
      paper.fillStyle = this.ink.free;
      for (let i = 1; i < room.capacity; ++i) paper.fillRect(x + i * seat - 0.5, y, 1, height);
    }
    const frames = {starting: 'starting', open: null};
    const frame = room.phase in frames ? frames[room.phase] : 'draining';
    if (frame) {
      paper.strokeStyle = this.ink[frame];
      paper.lineWidth = frame === 'draining' ? 2 : 1.5;
      paper.setLineDash(frame === 'starting' ? [4, 3] : []);
      paper.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
      paper.setLineDash([]);
    }
    if (room.room_id === this.selected) {
      paper.strokeStyle = this.ink.text;
      paper.lineWidth = 2;
      paper.strokeRect(x - 1, y - 1, width + 2, height + 2);
    }
  }

  select(room) {
    const id = room?.room_id ?? null;
    if (id === this.selected) return;
    this.selected = id;
    this.on_select(room);
    this.draw_soon();
  }

  #point(event) {
    const y = event.offsetY + this.board.scrollTop;
    const row = this.rows[this.#row_at(y)];
    if (!row || row.heading !== undefined || y < row.y) return;
    const cell = Math.floor(event.offsetX / (this.size.width + this.size.gap));
    if (row.rooms[cell]) this.select(row.rooms[cell]);
  }

  #key(event) {
    const steps = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.per_row, ArrowUp: -this.per_row,
      Home: -Infinity, End: Infinity};
    const step = steps[event.key];
    if (step === undefined || this.order.length === 0) return;
    event.preventDefault();
    const now = this.order.findIndex(room => room.room_id === this.selected);
    const next = Math.min(Math.max(now < 0 ? 0 : now + step, 0), this.order.length - 1);
    const row = this.rows.find(each => each.first !== undefined && next >= each.first &&
      next < each.first + each.rooms.length);
    const height = this.board.clientHeight;
    if (row.y < this.board.scrollTop) this.board.scrollTop = row.y - heading_height;
    if (row.y + row.height > this.board.scrollTop + height) {
      this.board.scrollTop = row.y + row.height - height;
    }
    this.select(this.order[next]);
  }
}

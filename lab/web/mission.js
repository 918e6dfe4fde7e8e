// Shows the rooms of the mission twice: without a lock and with the lock of the cluster above.
/* global drawing */
'use strict';

class Mission {
  constructor(engine) {
    this.engine = engine;
    this.shown = '';
    this.running = false;
    this.slider = document.getElementById('mission_time');
    this.button = document.getElementById('mission_run');
    this.slider.addEventListener('input', () => { this.play(false); this.draw(); });
    this.button.addEventListener('click', () => {
      if (!this.running && Number(this.slider.value) >= Number(this.slider.max)) this.slider.value = 0;
      this.play(!this.running);
    });
  }

  play(running) {
    this.running = running;
    this.at = Number(this.slider.value);
    drawing.put(this.button, running ? 'Pause' : 'Play');
  }

  show({lock, masters, seed}) {
    const settings = `masters=${masters}&seed=${seed}`;
    if (this.shown === lock + settings) return;
    this.shown = lock + settings;
    const locks = lock === 'none' ? ['none'] : ['none', lock];
    this.sides = locks.map(each =>
      ({lock: each, ...this.engine.mission(`lock=${each}&${settings}`)}));
    this.slider.max = this.sides[0].length / 1000;
    this.slider.value = this.slider.max;
    this.draw();
  }

  frame(passed_ms) {
    if (!this.running) return;
    this.at = Math.min(Number(this.slider.max), this.at + Math.min(100, passed_ms) * 0.4);
    this.slider.value = this.at;
    this.draw();
    if (this.at >= Number(this.slider.max)) this.play(false);
  }

  draw() {
    const at = Number(this.slider.value) * 1000;
    drawing.put(document.getElementById('mission_at'), `${(at / 1000).toFixed(0)} ms`);
    const place = document.getElementById('boards');
    place.replaceChildren();
    for (const side of this.sides) {
      const board = drawing.make('section', place, 'board');
      const rooms = side.rooms.filter(each => each.ordered <= at);
      const title = side.lock === 'none' ? 'Without a lock' : `With the ${side.lock} lock`;
      const surplus = rooms.length > side.needed;
      drawing.make('h3', board, surplus ? 'bad' : '',
        `${title}: ${drawing.count(rooms.length, 'room')}, ${side.needed} needed`);
      const list = drawing.make('div', board, 'rooms');
      rooms.forEach((room, index) => this.room(list, room, side, index, at));
    }
  }

  room(list, room, side, index, at) {
    const open = room.opened !== null && room.opened <= at;
    const made = drawing.make('div', list,
      `room${open ? '' : ' boots'}${index >= side.needed ? ' surplus' : ''}`);
    made.style.setProperty('--own', `var(--m${room.master})`);
    const players = room.players.filter(each => each.at <= at).length;
    const line = drawing.make('div', made);
    drawing.make('b', line, '', `by m${room.master}`);
    line.append(` at w${room.worker}, ${open ? `${players} of ${side.capacity}` : 'boots'}`);
    const seats = drawing.make('div', made, 'seats');
    for (let seat = 0; seat < side.capacity; ++seat) drawing.make('i', seats, seat < players ? 'taken' : '');
  }
}

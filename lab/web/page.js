// The page: controls, time, links, and what is picked. The hash of the address is the whole state.
/* global drawing, Engine, Story, Lanes, Ring, Mission, Recording, lanes, lessons, playlist, read_recorded, read_trace, show_script, name_of, rule_words, rules_for, svg_of_lanes, words_for */
'use strict';

const {make, put} = drawing;
const by_id = id => document.getElementById(id);
const defaults = {lock: 'multiphase', masters: '3', seed: '1', players: 'seed', fence: 'on', without: ''};
const slower_ms = 200;
const message_us = 25_000;  // mean time of a message on this page
const zooms = 12;           // each one doubles
const bytes_most = 20_000_000;  // per trace
const frames_kept = 240;

class Page {
  constructor(engine) {
    this.engine = engine;
    this.world = engine;  // or a Recording
    this.story = new Story();
    this.lanes = new Lanes(by_id('lanes'));
    this.ring = new Ring(by_id('ring'), key => this.pick(key));
    this.picked = '1';
    this.mission = new Mission(engine);
    this.running = false;
    this.speed = 0.12;
    this.until = Infinity;  // a lesson pauses here
    this.frames = [];       // processor time of the last frames, in ms
    this.shown = '';        // hash that we have written
    this.set_up();
  }

  // --- state --------------------------------------------------------------------------------------

  // The text of the present state, or of another step of the same schedule.
  text(steps = this.state.steps) {
    if (this.recording) return this.recording.keys ? '' : `${this.recording.plan}&steps=${steps}`;
    const fields = {...this.settings, steps, do: this.engine.commands()};
    return Object.entries(fields).filter(([name, value]) => value !== '' && defaults[name] !== value)
      .map(([name, value]) => `${name}=${value}`).join('&');
  }

  // Loads the state in `text`.
  load(text) {
    const {scenario, left_out, steps} = Object.fromEntries(new URLSearchParams(text));
    lanes.names = this.recording = null;
    this.world = this.engine;
    if (!scenario) return this.engine.open(text);
    const lesson = playlist.find(each => each.id === scenario && Boolean(each.left_out) === (left_out === 'yes'));
    if (!lesson) throw new Error(`there is no scenario "${scenario.slice(0, 60)}"`);
    this.world = new Recording(this.engine.scenario(lesson.script, Boolean(left_out)));
    this.world.go(Number(steps) || 0);
    this.recording = lesson;
  }

  async open_file(file) {
    try {
      if (file.size > bytes_most) throw new Error(`it has more than ${bytes_most / 1e6} MB`);
      this.open_trace(await file.text(), file.name);
    } catch (error) {
      this.complain(`${file.name} cannot be shown: ${error.message}.`);
    }
  }

  // Shows a recorded run, with the lock of one key.
  open_trace(text, name, key) {
    const {steps, records, ...trace} = (text.startsWith('{') ? read_recorded : read_trace)(text, key);
    this.world = new Recording({...trace, steps, records});
    lanes.names = trace.names;
    this.recording = {...trace, title: name, text: trace.head, choose: chosen => this.open_trace(text, name, chosen)};
    this.show_world({});
    by_id('lesson').scrollIntoView({block: 'start'});
  }

  // Shows the world of a text. Returns false, and keeps the old world, if the text is wrong.
  open(text) {
    try {
      this.load(text);
    } catch (error) {
      if (!this.state) this.open('');
      this.complain(`The address of this page is wrong: ${error.message}.`);
      return false;
    }
    this.show_world(Object.fromEntries(new URLSearchParams(text)));
    return true;
  }

  show_world(fields) {
    by_id('trouble').hidden = true;
    this.settings = Object.fromEntries([...Object.keys(defaults), 'lesson']
      .map(name => [name, fields[name] ?? defaults[name] ?? '']));
    if (this.recording) {
      Object.assign(this.settings, {lock: this.recording.lock, masters: `${this.world.masters}`, fence: 'off',
        without: this.recording.left_out ? this.recording.rule.replaceAll(' ', '-') : ''});
    }
    this.lanes.zoom = this.recording?.keys ? this.zoom_for(this.world.message_us()) : 1;
    by_id('copy').hidden = Boolean(this.recording?.keys);
    for (const name of ['settings', 'mission']) by_id(name).hidden = Boolean(this.recording);
    this.story = new Story();
    this.fetch();
    this.clock = this.state.at;
    this.until = Infinity;
    this.play(false);
    this.show_settings();
    this.show_lesson();
    if (!this.recording) this.mission.show(this.settings);
    this.picked = this.node_or_link(this.picked) ? this.picked : '1';
    const lesson = lessons.find(each => each.id === this.settings.lesson);
    if (lesson && this.state.steps === 0) {
      this.advance(lesson.from_us);
      this.until = lesson.until_us;
      this.pick(lesson.pick ?? this.picked);
      this.play(true);
    }
    if (this.recording && this.state.steps === 0) {
      this.until = this.world.end_us;
      this.play(!this.recording.keys);
    }
    this.draw();
  }

  // A message of a recorded run is as wide as one of the page.
  zoom_for(us) { return 2 ** Math.min(zooms, Math.max(0, Math.round(Math.log2(message_us / us)))); }

  node_or_link(key) {
    return key.split('-').every(each => Number(each) <= this.state.nodes.length);
  }

  // Reads the world's state and its new records.
  fetch() {
    this.state = JSON.parse(this.world.state_text());
    if (this.state.records < this.story.records.length) this.story.cut(this.state.records);
    this.story.add(this.world.records(this.story.records.length));
    this.fresh = true;
  }

  advance(clock) {
    this.clock = Math.max(this.clock, clock);
    if (this.state.next === null || this.state.next > this.clock) return;
    this.world.run(this.clock);
    this.fetch();
  }

  step() {
    this.play(false);
    if (this.state.next > this.until) {  // one extra step shows the lesson's end
      this.clock = this.until;
      this.end_lesson();
      this.until = Infinity;
      return this.draw();
    }
    if (!this.world.step()) return this.recording ? this.end_lesson() : this.draw();
    this.show_step();
  }

  back() {
    this.play(false);
    if (this.state.steps === 0) return;
    if (this.recording) return this.go(this.state.steps - 1);
    this.engine.open(this.text(this.state.steps - 1));
    this.show_step();
  }

  // Shows a recording's step.
  go(step) {
    this.play(false);
    this.world.go(step);
    this.show_step();
  }

  show_step() {
    this.fetch();
    this.clock = this.state.at;
    this.write_address();
    this.draw();
  }

  command(...texts) {
    for (const text of texts) {
      if (this.engine.command(this.clock, text)) this.fetch();
    }
    this.until = Infinity;
    this.write_address();
    this.draw();
  }

  // A new rule or fence keeps the schedule: its commands come at the same times.
  change(name, value) {
    const keeps = name === 'without' || name === 'fence';
    const kept = keeps ? {do: this.engine.commands().replaceAll(/(^|~)\d+@/g, '$10@')} : {lesson: ''};
    if (name === 'lock') kept.without = '';
    this.open(Object.entries({...this.settings, ...kept, [name]: value})
      .filter(([each, now]) => now !== '' && defaults[each] !== now)
      .map(([each, now]) => `${each}=${now}`).join('&'));
    this.write_address();
    this.play(true);
  }

  play(running) {
    this.running = running;
    this.last_frame = performance.now();
    put(by_id('run'), running ? 'Pause' : 'Run');
    if (!running && this.state) this.write_address();
  }

  write_address() {
    this.shown = this.text();
    if (location.hash.slice(1) !== this.shown) location.replace(`#${this.shown}`);
  }

  // --- set up -------------------------------------------------------------------------------------

  set_up() {
    const {locks, rules, masters, steps} = this.engine.choices();
    this.steps_most = steps;
    for (const lock of locks) make('option', by_id('lock'), '', lock === 'none' ? 'none: no lock' : lock).value = lock;
    for (let count = masters[0]; count <= masters[1]; ++count) make('option', by_id('masters'), '', `${count}`);
    this.rules = rules;
    for (const name of ['lock', 'masters', 'seed', 'without']) {
      by_id(name).addEventListener('change', () => {
        if (by_id(name).reportValidity()) this.change(name, by_id(name).value);
      });
    }
    by_id('players').addEventListener('change', event => this.change('players', event.target.checked ? 'seed' : 'hand'));
    by_id('fence').addEventListener('change', event => this.change('fence', event.target.checked ? 'on' : 'off'));
    by_id('settings').addEventListener('submit', event => event.preventDefault());
    by_id('run').addEventListener('click', () => this.toggle());
    by_id('step').addEventListener('click', () => this.step());
    by_id('back').addEventListener('click', () => this.back());
    by_id('again').addEventListener('click', () => {
      if (this.recording) return this.go(0);
      this.open(this.text(0));
      this.write_address();
    });
    by_id('trace').addEventListener('change', event => {
      if (event.target.files[0]) this.open_file(event.target.files[0]);
    });
    addEventListener('dragover', event => event.preventDefault());
    addEventListener('drop', event => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.open_file(event.dataTransfer.files[0]);
    });
    by_id('speed').addEventListener('change', event => { this.speed = Number(event.target.value); });
    by_id('copy').addEventListener('click', () => this.copy());
    by_id('save').addEventListener('click', () => this.save());
    addEventListener('hashchange', () => {
      if (location.hash.slice(1) !== this.shown) this.open(location.hash.slice(1));
    });
    addEventListener('keydown', event => this.key(event));
    addEventListener('resize', () => this.draw());
    this.list_lessons();
  }

  toggle() {
    this.until = this.recording ? this.world.end_us : Infinity;
    if (this.recording && !this.running && this.state.next === null) this.go(0);
    this.play(!this.running);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, select, button, a')) return;
    const act = {' ': () => this.toggle(), ArrowRight: () => this.step(), ArrowLeft: () => this.back()}[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  async copy() {
    this.write_address();
    try {
      await navigator.clipboard.writeText(location.href);
      put(by_id('copy'), 'Copied');
    } catch {
      put(by_id('copy'), 'The address of this page is the link');
    }
    setTimeout(() => put(by_id('copy'), 'Copy a link to this state'), 2500);
  }

  save() {
    const picture = svg_of_lanes(this.story, this.lanes.order, Math.max(0, this.lanes.first), this.clock,
      `${this.state.nodes.length} masters, lock ${this.settings.lock}`);
    const link = make('a', document.body);
    link.href = URL.createObjectURL(new Blob([picture], {type: 'image/svg+xml'}));
    link.download = `lock-${this.settings.lock}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    link.remove();
  }

  complain(text) {
    by_id('trouble').hidden = false;
    put(by_id('trouble'), text);
  }

  list_lessons() {
    for (const lesson of lessons) this.list_lesson(by_id('lessons'), lesson, `${lesson.plan}&lesson=${lesson.id}`);
    for (const lock of new Set(playlist.map(each => each.lock))) {
      const mine = playlist.filter(each => each.lock === lock);
      const group = make('details', by_id('playlist'));
      make('summary', group, '', `${lock}: ${drawing.count(mine.length, 'lesson')}`);
      const list = make('ol', group, 'lessons');
      for (const lesson of mine) this.list_lesson(list, lesson, lesson.plan);
    }
  }

  list_lesson(list, lesson, plan) {
    const item = make('li', list);
    make('h3', item, '', lesson.title);
    make('p', item, '', lesson.text);
    const link = make('a', make('div', item, 'buttons'), 'button plain', 'Play');
    link.href = `#${plan}`;
    link.setAttribute('aria-label', `Play: ${lesson.title}`);
    link.addEventListener('click', event => {
      event.preventDefault();
      this.open(plan);
      by_id('lesson').scrollIntoView({block: 'start'});
      by_id('lesson').focus({preventScroll: true});
    });
  }

  // The words of the chosen lock, and its rules.
  show_words() {
    const place = by_id('words').querySelector('dl');
    place.replaceChildren();
    const rule = this.settings.without.replaceAll('-', ' ');
    const left_out = rule ? [[`left out: ${rule}`, rule_words[rule]]] : [];
    for (const [word, meaning] of [...words_for(this.settings.lock), ...left_out]) {
      const row = make('div', place);
      make('dt', row, '', word);
      make('dd', row, '', meaning);
    }
    const without = by_id('without');
    without.replaceChildren();
    make('option', without, '', 'none').value = '';
    for (const each of rules_for(this.settings.lock, this.rules)) {
      make('option', without, '', each).value = each.replaceAll(' ', '-');
    }
  }

  show_settings() {
    this.show_words();
    for (const name of ['lock', 'masters', 'seed', 'without']) by_id(name).value = this.settings[name];
    by_id('players').checked = this.settings.players === 'seed';
    by_id('fence').checked = this.settings.fence === 'on';
  }

  show_lesson() {
    const place = by_id('lesson');
    const trace = this.recording?.keys;
    const list = trace ? [this.recording] : this.recording ? playlist : lessons;
    const at = this.recording ? list.indexOf(this.recording) : lessons.findIndex(each => each.id === this.settings.lesson);
    place.hidden = at < 0;
    place.replaceChildren();
    if (at < 0) return;
    make('h2', place, '', this.recording ? `${this.recording.lock}: ${list[at].title}` : `Lesson ${at + 1}: ${list[at].title}`);
    if (trace) {
      const settings = make('details', place);
      make('summary', settings, '', 'The settings of the run');
      make('p', settings, 'soft', list[at].text);
    } else {
      make('p', place, '', list[at].text);
    }
    if (this.recording) this.show_place(make('div', place, 'controls'));
    if (list[at].lines) show_script.build(place, list[at]);
    this.lesson_end = make('p', place, 'soft');
    const buttons = make('div', place, 'buttons');
    const button = (text, target) => {
      const made = make('button', buttons, 'plain', text);
      made.type = 'button';
      made.addEventListener('click', () => this.open(this.recording ? target.plan : `${target.plan}&lesson=${target.id}`));
    };
    if (!trace) button('Play again', list[at]);
    if (at + 1 < list.length) button('Next lesson', list[at + 1]);
    if (!this.recording) return;
    const leave = make('button', buttons, 'plain', 'Back to the cluster');
    leave.type = 'button';
    leave.addEventListener('click', () => { this.open(''); this.write_address(); });
  }

  // The place in a recording, and the key of a trace.
  show_place(row) {
    const place = make('input', make('label', row, '', 'Step '));
    Object.assign(place, {id: 'place', type: 'range', min: 0, max: this.world.steps.length - 1});
    place.addEventListener('input', () => this.go(Number(place.value)));
    if (!this.recording.keys) return;
    const zoom = make('input', make('label', row, '', 'Zoom '));
    Object.assign(zoom, {id: 'zoom', type: 'range', min: 0, max: zooms, value: Math.log2(this.lanes.zoom)});
    zoom.addEventListener('input', () => {
      this.lanes.zoom = 2 ** Number(zoom.value);
      this.draw();
    });
    const keys = make('select', make('label', row, '', `${this.recording.label ?? 'Group'} `));
    for (const key of this.recording.keys) make('option', keys, '', this.recording.words?.get(key) ?? key).value = key;
    keys.value = this.recording.key;
    keys.addEventListener('change', () => this.recording.choose(keys.value));
    make('p', place.closest('#lesson'), 'soft', this.recording.note);
  }

  // --- what is picked -----------------------------------------------------------------------------

  pick(key) {
    this.picked = key;
    this.fresh = true;
    if (this.state) this.draw();
  }

  draw_picked() {
    const [a, b] = this.picked.split('-').map(Number);
    const shown = b === undefined ? this.node_panel(a) : this.link_panel(a, b);
    const signature = JSON.stringify([this.picked, shown.words, shown.buttons]);
    if (signature === this.panel) return;
    this.panel = signature;
    const place = by_id('picked');
    const focused = place.contains(document.activeElement) ? document.activeElement.dataset.act : null;
    place.replaceChildren();
    make('h2', place, '', shown.title);
    for (const text of shown.words) make('p', place, '', text);
    for (const row of shown.buttons) {
      const buttons = make('div', place, 'buttons');
      for (const [text, ...acts] of row) {
        const made = make('button', buttons, 'plain', text);
        made.type = 'button';
        made.dataset.act = acts.join(' ');
        made.addEventListener('click', () => this.command(...acts));
      }
    }
    // After a click the button that was there may be gone: the first one then has the focus.
    if (focused) (place.querySelector(`[data-act="${focused}"]`) ?? place.querySelector('button'))?.focus();
  }

  node_panel(id) {
    const node = this.state.nodes[id - 1];
    const acts = {running: [['Stop', `stop.${id}`], ['Kill', `kill.${id}`]],
      stopped: [['Continue', `continue.${id}`], ['Kill', `kill.${id}`]], killed: [['Start', `start.${id}`]]}[node.life];
    const player = node.life !== 'running' ? [] :
      node.phase === 'idle' ? [['Ask for the lock', `ask.${id}`]] :
        [[node.phase === 'waiting' ? 'Give up' : 'Release', `leave.${id}`]];
    const words = {running: node.joined ? 'It runs.' : 'It has not heard from all masters yet.',
      stopped: 'Its process is stopped. It reads nothing and sends nothing.', killed: 'Its process is gone.'}[node.life];
    const peers = node.up.map(name_of).join(', ') || 'no master';
    return {title: `Master ${name_of(id)}`.replace(/^Master w/, 'Worker w'), buttons: this.recording ? [] : [acts, player].filter(each => each.length),
      words: [words, ...node.life === 'killed' ? [] : [`It is linked to ${peers}.`]]};
  }

  link_panel(a, b) {
    const words = [];
    const rows = [];
    for (const [from, to] of [[a, b], [b, a]]) {
      const link = this.state.links.find(each => each.from === from && each.to === to);
      const way = `${name_of(from)} → ${name_of(to)}`;
      const waiting = this.state.way.filter(each => each.from === from && each.to === to).length;
      const state = link.cut ? 'cut' : link.held ? 'messages wait' : link.slower_ms > 0 ? `${link.slower_ms} ms slower` : 'sound';
      words.push(`${way}: ${state}, ${drawing.count(waiting, 'message')} on the way.`);
      const heal = [`Heal ${way}`, `heal.${from}.${to}`];
      rows.push(link.cut ? [heal] :
        link.held ? [['Deliver one', `deliver.${from}.${to}`], heal] :
          [[`Cut ${way}`, `cut.${from}.${to}`], ['Hold', `hold.${from}.${to}`],
            link.slower_ms > 0 ? ['Heal', `heal.${from}.${to}`] : ['Slow', `slow.${from}.${to}.${slower_ms}`]]);
    }
    rows.push([['Cut both ways', `cut.${a}.${b}`, `cut.${b}.${a}`], ['Heal both', `heal.${a}.${b}`, `heal.${b}.${a}`]]);
    return {title: `Link of ${name_of(a)} and ${name_of(b)}`, words, buttons: this.recording ? [] : rows};
  }

  // --- drawing ------------------------------------------------------------------------------------

  draw_names() {
    const place = by_id('names');
    const order = this.lanes.rows_of(this.state);
    const height = this.lanes.lane_height(this.state.nodes.length);
    if (place.children.length !== order.length) {
      place.replaceChildren();
      place.classList.toggle('many', order.length > 7);
      for (let row = 0; row < order.length; ++row) this.add_name(place, row);
    }
    [...place.children].forEach((made, row) => {
      made.style.height = `${height}px`;
      made.style.setProperty('--own', `var(--m${order[row]})`);
      const node = this.state.nodes[order[row] - 1];
      made.classList.toggle('chosen', Boolean(node) && this.picked === `${node.id}`);
      const [name, word, token] = made.children;
      put(name, node ? name_of(node.id) : 'worker');
      put(word, !node ? 'has seen' : node.life === 'running' ? node.state : node.life);
      put(token, node ? (node.token ? `has seen ${node.token}` : '') : this.state.seen ? `token ${this.state.seen}` : 'no token');
    });
  }

  // A click picks the node. One can drag the lane up and down, also with Alt and an arrow key.
  add_name(place, row) {
    const made = make('button', place);
    made.type = 'button';
    made.title = 'Drag it up or down';
    for (const tag of ['b', 'span', 'span']) make(tag, made);
    made.children[1].className = 'word';
    let moved = false;
    const move = (from, to) => {
      if (from === to || to < 0 || to >= this.lanes.order.length) return;
      this.lanes.move(this.lanes.order[from], to);
      moved = this.fresh = true;
      this.draw();
    };
    made.addEventListener('pointerdown', event => {
      let at = row;
      moved = false;
      made.setPointerCapture(event.pointerId);
      made.onpointermove = ({clientY}) => {
        const to = Math.floor((clientY - place.getBoundingClientRect().top) / made.offsetHeight);
        if (to < 0 || to >= this.lanes.order.length) return;
        move(at, to);
        at = to;
      };
    });
    for (const end of ['pointerup', 'pointercancel']) made.addEventListener(end, () => { made.onpointermove = null; });
    made.addEventListener('click', () => {
      if (moved) return;
      const node = this.lanes.order[row];
      this.pick(node === 0 ? '0-1' : `${node}`);
    });
    made.addEventListener('keydown', event => {
      const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
      if (!by || !event.altKey) return;
      event.preventDefault();
      move(row, row + by);
      place.children[row + by]?.focus();
      moved = false;
    });
  }

  draw_words() {
    const {state} = this;
    const holders = state.holders.length;
    const fenced = holders > 1 && this.settings.fence === 'on' && this.settings.lock !== 'none' && state.stale === 0;
    put(by_id('holders'), `holders: ${holders}`);
    by_id('holders').className = `holders ${holders > 1 && !fenced ? 'bad' : holders === 1 ? 'good' : ''}`;
    const decides = fenced ? 'Both believe that they hold; the worker accepts the higher token. ' : '';
    put(by_id('queue'), decides + (state.queue.length ? `Waiting: ${state.queue.map(name_of).join(', ')}` : 'No master waits.'));
    const two_us = state.two_us + (holders > 1 ? this.clock - state.at : 0);
    const figures = [[state.grants, 'holds'], [state.messages, 'messages'],
      [`${Math.round(two_us / 1000)} ms`, 'with two holders', two_us > 0],
      ...this.recording ? [] : [[state.accepted, 'writes accepted'], [state.refused, 'lower tokens refused'],
        [state.stale, 'lower tokens accepted', state.stale > 0]]];
    const place = by_id('figures');
    if (place.children.length > figures.length) place.replaceChildren();
    figures.forEach(([value, words, bad], index) => {
      const made = place.children[index] ?? make('div', place);
      if (!made.children.length) { make('dt', made, '', words); make('dd', made); }
      put(made.lastChild, `${value}`);
      made.lastChild.className = bad ? 'bad' : '';
    });
    const log = by_id('log');
    const events = this.story.last(9);
    events.forEach((event, index) => {
      const row = log.children[index] ?? make('li', log);
      if (!row.children.length) { make('time', row); make('span', row); }
      put(row.firstChild, `${(event.at / 1000).toFixed(1)} ms`);
      put(row.lastChild, event.text);
      row.lastChild.className = event.bad ? 'bad' : '';
    });
    while (log.children.length > events.length) log.lastChild.remove();
  }

  draw() {
    const began = performance.now();
    if (this.fresh || this.state.holders.length > 1) {
      this.draw_words();
      this.draw_names();
      this.draw_picked();
      this.fresh = false;
      if (this.recording) by_id('place').value = this.state.steps;
      if (this.recording?.lines) show_script.mark(this.recording, this.state.line);
    }
    put(by_id('clock'), `${(this.clock / 1e6).toFixed(this.lanes.zoom > 1 ? 5 : 3)} s, step ${this.state.steps}` +
      (this.state.steps === this.steps_most ? '. This is the last step.' : ''));
    by_id('back').disabled = this.state.steps === 0;
    this.ring.draw(this.state, this.clock, this.picked);
    this.lanes.draw(this.story, this.state, this.clock);
    this.frames.push(performance.now() - began);
    if (this.frames.length > frames_kept) this.frames.shift();
  }

  end_lesson() {
    this.play(false);
    if (this.recording?.keys) return put(this.lesson_end, 'The trace ends here.');
    if (this.recording) {
      return put(this.lesson_end, this.recording.left_out ? 'The scenario ends here: two masters hold the lock.' :
        'The scenario ends here. Every expectation holds.');
    }
    const {most_holders, accepted, refused, stale} = this.state;
    put(this.lesson_end, `The lesson ends here: at most ${drawing.count(most_holders, 'holder')} at once; ` +
      `${drawing.count(accepted, 'write')} accepted, ${refused} refused, ${stale} with a lower token accepted.`);
  }

  frame(now) {
    if (this.running) {
      // A page in the background gets no frames; its time does not pass.
      const passed = Math.min(100, now - this.last_frame) * 1000 * this.speed / this.lanes.zoom;
      // A trace has long times without an event: they pass at once.
      const idle = this.recording?.keys ? (this.state.next ?? 0) - this.lanes.span_us() : 0;
      const clock = Math.min(this.until, Math.max(this.clock + passed, idle));
      this.advance(clock);
      this.draw();
      if (this.clock >= this.until) this.end_lesson();
    }
    this.mission.frame(now - this.last_frame);
    this.last_frame = now;
    requestAnimationFrame(each => this.frame(each));
  }
}

Engine.load().then(engine => {
  const page = new Page(engine);
  window.cluster = page;
  const hash = location.hash.slice(1);
  page.open(hash);
  if (!hash.includes('steps=')) page.play(true);
  requestAnimationFrame(now => page.frame(now));
}).catch(error => {
  by_id('trouble').hidden = false;
  put(by_id('trouble'), `This browser cannot run the page: ${error.message}`);
});

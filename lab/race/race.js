// Reads GET /state several times a second and shows it. Sends changes to POST /settings.
/* global drawing */
'use strict';

const {make, make_svg, put, count} = drawing;

const poll_ms = 150;
const rest_ms = 150;  // the pause after the last move of a slider, before its value is sent
const trouble_ms = 5000;
const sliders = {
  link_delay_ms: value => `${value} ms`,
  boot_ms: value => `${(value / 1000).toFixed(1)} s`,
  rate: value => `${value}`,
  spread_ms: value => `${value} ms`,
};
const units = {match: ' ms', wait_p50: ' ms', wait_p90: ' ms'};
const group_figures = [
  ['rooms', 'rooms', tally => tally.rooms],  // the page adds the number of needed rooms
  ['collisions', 'collisions', tally => tally.collisions],
  ['room_seconds', 'wasted room-seconds', tally => tally.wasted_room_seconds.toFixed(1)],
  ['seat_seconds', 'wasted seat-seconds', tally => tally.wasted_seat_seconds.toFixed(0)],
  ['seated', 'players seated', tally => tally.seated],
  ['match', 'median time to match', (_, side) => side.match_p50_ms.toFixed(0)],
];

// With widening rules, a lock improves two things: which players meet, and how long they wait.
const pool_figures = [
  ['rooms', 'rooms', tally => tally.rooms],
  ['refused', 'orders refused', tally => tally.refused],
  ['spread_p50', 'spread, half within', (_, side) => side.spread_p50.toFixed(0)],
  ['spread_p90', 'spread, nine of ten', (_, side) => side.spread_p90.toFixed(0)],
  ['wait_p50', 'wait, half within', (_, side) => side.match_p50_ms.toFixed(0)],
  ['wait_p90', 'wait, nine of ten', (_, side) => side.match_p90_ms.toFixed(0)],
];
const figures_of = state => state.rules ? pool_figures : group_figures;
const group_word = state => state.rules ? 'Pool ' : 'Group ';

const by_id = id => document.getElementById(id);
const boards = [...document.querySelectorAll('.board')].map(root => ({
  root,
  figures: root.querySelector('.figures'),
  total: root.querySelector('.total'),
  holders: root.querySelector('.holders'),
  lock: root.querySelector('select.lock'),
  values: {},
  lanes: root.querySelector('.lanes'),
  rooms: new Map(),
}));
let shown_round = 0;
let shown_stage = '';
let changes = {};       // unsent changes
let sending = false;
let changed_at = 0;     // the arrival time of the last answer to a change
let trouble_until = 0;
let rest_timer = 0;

const fates = {runs: 'runs', stopped: 'stopped', killed: 'killed', cut: 'cut off'};

const name_of = lock => lock === 'none' ? 'Without a lock' : `With the ${lock} lock`;

// --- settings -----------------------------------------------------------------------------------

function change(name, value) {
  changes[name] = value;
  clearTimeout(rest_timer);
  rest_timer = setTimeout(send_changes, rest_ms);
}

async function send_changes() {
  if (sending) return change_later();
  const body = JSON.stringify(changes);
  changes = {};
  sending = true;
  try {
    const answer = await fetch('settings', {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body});
    const text = await answer.json();
    if (!answer.ok) complain(text.detail);
  } catch {
    complain('The change did not arrive.');
  }
  sending = false;
  changed_at = performance.now();
}

function change_later() {
  rest_timer = setTimeout(send_changes, rest_ms);
}

function complain(text) {
  by_id('trouble').hidden = false;
  put(by_id('trouble'), text);
  trouble_until = performance.now() + trouble_ms;
}

function be_content() {
  if (performance.now() >= trouble_until) by_id('trouble').hidden = true;
}

function set_up_controls(state) {
  for (const [name, words] of Object.entries(sliders)) {
    const input = by_id(name);
    input.min = state.ranges[name].least;
    input.max = state.ranges[name].most;
    input.addEventListener('input', () => {
      put(by_id(`${name}_value`), words(Number(input.value)));
      change(name, Number(input.value));
    });
  }
  state.settings.groups.forEach((_, index) => {
    const label = make('label', by_id('groups'));
    const box = make('input', label);
    box.type = 'checkbox';
    label.append(String(index + 1));
    box.addEventListener('change', () => change('groups', group_boxes().map(each => each.checked)));
  });
  state.settings.masters.forEach((_, index) => {
    const label = make('label', by_id('masters'));
    label.append(`m${index + 1} `);
    const choice = make('select', label);
    for (const [fate, words] of Object.entries(fates)) make('option', choice, '', words).value = fate;
    choice.addEventListener('change', () => change('masters', master_choices().map(each => each.value)));
  });
  for (const {lock} of boards) {
    for (const name of state.locks) make('option', lock, '', name).value = name;
    lock.addEventListener('change', () => change('locks', boards.map(board => board.lock.value)));
  }
  by_id('running').addEventListener('click', () => {
    const runs = by_id('running').dataset.runs === 'true';
    show_running(!runs);
    change('running', !runs);
  });
  by_id('controls').addEventListener('submit', event => event.preventDefault());
}

const group_boxes = () => [...by_id('groups').querySelectorAll('input')];

const master_choices = () => [...by_id('masters').querySelectorAll('select')];

function show_running(runs) {
  by_id('running').dataset.runs = runs;
  put(by_id('running'), runs ? 'Pause' : 'Go on');
}

// Skips the update while a change is unsent or on its way. Also skips a state that was requested
// before the last change.
function show_settings(settings, asked_at) {
  if (sending || asked_at < changed_at || Object.keys(changes).length > 0) return;
  for (const [name, words] of Object.entries(sliders)) {
    by_id(name).value = settings[name];
    by_id(name).setAttribute('aria-valuetext', words(settings[name]));
    put(by_id(`${name}_value`), words(settings[name]));
  }
  group_boxes().forEach((box, index) => { box.checked = settings.groups[index]; });
  master_choices().forEach((choice, index) => {
    choice.value = settings.masters[index];
    choice.classList.toggle('bad', choice.value !== 'runs');
  });
  boards.forEach((board, index) => { board.lock.value = settings.locks[index]; });
  show_running(settings.running);
}

// --- boards -------------------------------------------------------------------------------------

function set_up_board(board, state) {
  board.shown = figures_of(state);
  for (const [key, label] of board.shown) {
    const cell = make('div', board.figures);
    const term = make('dt', cell, '', label);
    const value = make('dd', cell);
    value.dataset.figure = key;
    board.values[key] = {term, number: make('span', value), value};
    make('small', value, '', units[key] ?? '');
  }
  board.rows = state.settings.groups.map((_, index) => {
    const lane = make('div', board.lanes, 'lane');
    const label = make('div', lane, 'label');
    make('span', make('b', label), 'word', group_word(state));
    label.firstChild.append(String(index + 1));
    return {lane, asked: make('span', label, 'asked'), rooms: make('div', lane, 'rooms')};
  });
  board.lines = make_svg('svg', board.lanes, {class: 'lines', 'aria-hidden': 'true'});
}

function set_up_legend(state) {
  for (let master = state.masters; master >= 1; --master) {
    const item = document.createElement('li');
    make('span', item, `room sample master m${master}`);
    item.append(`ordered by master ${master}`);
    by_id('legend').prepend(item);
  }
  if (state.rules) by_id('legend').querySelector('.collided').parentElement.remove();
  put(by_id('facts'), `Each side is a cluster of its own on this machine: ${state.masters} masters, ` +
    `${state.workers} workers, a process for each room, and a relay that delays what they say to ` +
    `each other. Both get the same players, which ask the same masters at the same times. A round ` +
    `ends when all are seated; then they leave, and groups with other names come.`);
}

function show_pool_figures(board, {total, round}) {
  board.values.refused.value.classList.toggle('bad', round.refused > 0);
  board.values.refused.value.classList.toggle('good', round.refused === 0 && round.asked > 0);
  const gave_up = total.failed > 0 ? `, ${total.failed} found nobody in time` : '';
  put(board.total, `All rounds: ${count(total.rooms, 'room')}, ${count(total.refused, 'order')} ` +
    `refused, ${total.seated} of ${count(total.asked, 'request')} seated${gave_up}`);
}

// A stopped master keeps its hold while another master is granted the lock: the fence makes this harmless.
function show_holders(board, {lock, round, total, judged}) {
  if (lock === 'none') return put(board.holders, 'No lock: each master decides alone.');
  put(board.holders, `Two holders of one lock: ${round.two_holders} in this round, ${total.two_holders} in all` +
    `${judged ? '' : '; a killed master took its last events along, so collisions are not counted'}`);
  board.holders.classList.toggle('bad', round.two_holders > 0);
  board.holders.classList.toggle('good', round.two_holders === 0);
}

function show_figures(board, contestant, state) {
  const {round, total} = contestant;
  show_holders(board, contestant);
  for (const [key, , text] of board.shown) {
    put(board.values[key].number, String(text(round, contestant)));
  }
  if (state.rules) return show_pool_figures(board, contestant);
  put(board.values.rooms.term, `rooms, ${round.needed}\u00a0needed`);
  const colour = (key, bad) => {
    board.values[key].value.classList.toggle('bad', bad);
    board.values[key].value.classList.toggle('good', !bad && round.needed > 0);
  };
  colour('rooms', round.rooms > round.needed);
  colour('collisions', round.collisions > 0);
  colour('room_seconds', round.wasted_room_seconds > 0);
  colour('seat_seconds', round.wasted_seat_seconds > 0);
  const gave_up = total.failed > 0 ? `, ${count(total.failed, 'player')} gave up` : '';
  put(board.total, `All rounds: ${count(total.rooms, 'room')} where ${total.needed} were needed, ` +
    `${count(total.collisions, 'collision')}, ${total.wasted_room_seconds.toFixed(0)} wasted ` +
    `room-seconds${gave_up}`);
}

function make_room(board, room) {
  const root = make('div', board.rows[room.group].rooms, `room m${room.master}`);
  const tag = make('div', root, 'tag');
  const by = make('span', tag, 'by', `m${room.master} `);
  const made = {root, worker: make('span', by, 'worker'), fill: make('span', tag, 'fill'),
                seats: []};
  const seats = make('div', root, 'seats');
  for (let seat = 0; seat < room.capacity; ++seat) made.seats.push(make('i', seats));
  return made;
}

function words_of(room) {
  if (room.numbers) return `${room.numbers[0]}–${room.numbers[1]}`;
  if (room.collided) return `✕ ${room.taken}/${room.capacity}`;
  if (room.stage === 'ordered') return 'ordered';
  return room.stage === 'booting' ? `boots ${room.taken}/${room.capacity}`
                                  : `${room.taken}/${room.capacity}`;
}

function show_room(made, room) {
  const {classList} = made.root;
  classList.toggle('booting', room.stage === 'ordered' || room.stage === 'booting');
  classList.toggle('collided', Boolean(room.collided));
  classList.toggle('closed', room.stage === 'closed');
  put(made.worker, `→ ${room.worker}`);
  put(made.fill, words_of(room));
  made.seats.forEach((seat, index) => {
    seat.className = index < room.occupied ? 'occupied' : index < room.taken ? 'reserved' : '';
  });
}

function show_rooms(board, contestant, state) {
  for (const room of contestant.rooms) {
    if (!board.rooms.has(room.id) && room.stage !== 'closed') {
      board.rooms.set(room.id, make_room(board, room));
    }
    const made = board.rooms.get(room.id);
    if (made) show_room(made, room);
  }
  board.rows.forEach((row, index) => {
    row.lane.classList.toggle('off', !state.settings.groups[index] && state.asked[index] === 0);
    put(row.asked, state.asked[index] > 0 ? count(state.asked[index], 'player') : '');
  });
}

// Draws a line, below both rooms, from each collided room to the room that had the free seats.
function draw_lines(board, contestant) {
  board.lines.replaceChildren();
  const origin = board.lanes.getBoundingClientRect();
  for (const room of contestant.rooms) {
    if (!room.collided || room.other === undefined || room.stage === 'closed') continue;
    const [from, to] = [board.rooms.get(room.id), board.rooms.get(room.other)];
    if (!from || !to || to.root.classList.contains('closed')) continue;
    const [a, b] = [from, to].map(each => each.root.getBoundingClientRect());
    const [x1, x2] = [a, b].map(box => box.left + box.width / 2 - origin.left);
    const [y1, y2] = [a, b].map(box => box.bottom - origin.top);
    const low = Math.max(y1, y2) + 14;
    make_svg('path', board.lines, {d: `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`});
    make_svg('circle', board.lines, {cx: x2, cy: y2, r: 4});
  }
}

function clear_rooms(board) {
  for (const made of board.rooms.values()) made.root.remove();
  board.rooms.clear();
}

// --- words --------------------------------------------------------------------------------------

function pool_words_of_side({lock, round, spread_p50}) {
  const refused = round.refused > 0 ? `, ${count(round.refused, 'order')} refused` : '';
  return `${name_of(lock)}: ${count(round.rooms, 'room')}${refused}, a median spread of ` +
    `${spread_p50.toFixed(0)}.`;
}

function words_of_side(contestant, says_needed) {
  const {rooms, needed, collisions} = contestant.round;
  const where = says_needed ? ` where ${needed} ${needed === 1 ? 'was' : 'were'} needed` : '';
  const met = collisions > 0 ? `, ${count(collisions, 'collision')}` : '';
  return `${name_of(contestant.lock)}: ${count(rooms, 'room')}${where}${met}.`;
}

function show_words(state) {
  const [left, right] = state.contestants;
  const sentences = state.rules ? [left, right].map(pool_words_of_side) :
    [words_of_side(left, true), words_of_side(right, false)];
  if (left.round.asked > 0) {
    [...by_id('headline').children].forEach((line, index) => put(line, sentences[index]));
  }
  const stages = {
    filling: state.rules ?
      `${state.group_players} requests come to each pool, one pool after the other; limits widen while they wait.` :
      `groups of ${state.group_players} players press Play, one after the other.`,
    full: state.rules ? 'nobody waits any more; a room shows its lowest and highest number.' :
      'everybody has a seat; every room that stands here costs money.',
    leaving: 'the players leave, and the rooms close.',
  };
  const words = state.settings.running ? stages[state.stage] : 'paused; the rooms stay as they are.';
  put(by_id('stage'), `Round ${state.round}: ${words}`);
  if (state.stage === 'full' && shown_stage !== 'full') put(by_id('news'), sentences.join(' '));
  shown_stage = state.stage;
}

function show(state, asked_at) {
  boards.forEach((board, index) => {
    put(board.root.querySelector('h2'), name_of(state.contestants[index].lock));
    board.root.classList.toggle('without', state.contestants[index].lock === 'none');
    board.root.classList.toggle('with', state.contestants[index].lock !== 'none');
  });
  if (!boards[0].rows) {
    boards.forEach(board => set_up_board(board, state));
    set_up_controls(state);
    set_up_legend(state);
  }
  if (state.round !== shown_round) boards.forEach(clear_rooms);
  shown_round = state.round;
  show_settings(state.settings, asked_at);
  show_words(state);
  boards.forEach((board, index) => {
    show_figures(board, state.contestants[index], state);
    show_rooms(board, state.contestants[index], state);
    draw_lines(board, state.contestants[index]);
  });
}

async function poll() {
  const asked_at = performance.now();
  try {
    const answer = await fetch('state');
    if (!answer.ok) throw new Error(answer.statusText);
    show(await answer.json(), asked_at);
    be_content();
  } catch {
    complain('The race does not answer. Has it ended?');
  }
  setTimeout(poll, poll_ms);
}

poll();

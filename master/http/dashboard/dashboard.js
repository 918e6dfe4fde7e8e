// The dashboard of a master: shows the master's feed as a page. Texts from players, games and nodes
// are inserted as text only, never as HTML.
/* global drawing */
import {offer_room_actions, offer_worker_actions, worker_button} from './actions.js';
import {Charts} from './charts.js';
import {listen} from './feed.js';
import {lane_ms, Lanes} from './lanes.js';
import {PoolsView} from './pools_view.js';
import {RoomsView} from './rooms_view.js';
import {free_seats, history_seconds, is_unknown, spare_rooms, State, totals} from './state.js';
import {duration, is_trouble, words} from './words.js';

const rows_most = 200;   // the limit of the table of rooms
const lanes_most = 12;
const waiting_most = 8;  // the limit of the list of groups
const events_most = 200;
const least_drawn_ms = 600;  // the least width of a span in a lane

const get = id => document.getElementById(id);
const number = value => Math.round(value).toLocaleString('en');

const {element, svg} = drawing;
const state = new State();
const lanes = new Lanes();
let selected = null;  // the id of the selected room
let live = false;
let since_ms = Date.now();  // the time of the last change of `live`
let paused = false;
let events_shown = null;  // {newest, wanted}: the newest event and the filter of the shown list
let drawn = 0;     // the state.at_ms that the page shows
let ahead_ms = 0;  // this clock minus the master's clock

// --- rooms ---------------------------------------------------------------------------------------

function place_of(room) {
  return room.port === null ? 'its place is not known yet' : `${room.address}:${room.port}`;
}

function describe(room) {
  const place = get('room_words');
  get('room_actions').hidden = !room;
  if (!room) return place.replaceChildren('That room is gone.');
  const seats = (is_unknown(room) ? `unknown how many play, ${room.reserved} seats kept, ` :
    `${room.occupied} playing, ${room.reserved} reserved, `) +
    `${free_seats(room)} free of ${room.capacity}`;
  place.replaceChildren(element('b', room.room_id), ` ${room.phase}, ${seats}. `,
      room.group === null ? 'No group yet' : `Group ${room.group}`,
      `, at ${room.worker} in zone ${room.zone}, ${place_of(room)}.`);
}

const view = new RoomsView(get('board'), get('canvas'), room => {
  selected = room?.room_id ?? null;
  get('room_done').textContent = '';
  describe(room);
  // A screen reader reads `room_said` when a room is selected, and not at every change of the room.
  get('room_said').textContent = get('room_words').textContent;
});

function show_table() {
  if (!get('table').open) return;
  const rows = view.order.slice(0, rows_most).map(room => {
    const row = element('tr');
    const texts = [room.room_id, room.group ?? '–', room.phase, room.worker, room.zone,
      place_of(room)];
    row.append(...texts.map(text => element('td', text)),
        ...[room.occupied ?? 'unknown', room.reserved, room.capacity]
          .map(n => element('td', n, 'number')));
    return row;
  });
  get('table_rows').replaceChildren(...rows);
  const more = view.order.length - rows.length;
  get('table_note').textContent = more > 0 ? `${number(more)} more; name some above.` : '';
}

function show_rooms() {
  view.show(state.rooms.values(), get('by').value, get('filter').value, get('size').value);
  const none = state.rooms.size === 0;
  get('no_rooms').hidden = !none;
  get('room_words').hidden = none;
  if (selected) describe(state.rooms.get(selected));
  show_table();
}

// --- figures -------------------------------------------------------------------------------------

function show_figures() {
  const sum = totals(state.rooms.values());
  const taken = sum.reserved + sum.playing + sum.unknown;
  get('rooms_count').textContent = number(sum.rooms);
  get('rooms_note').textContent =
    [sum.starting && `${number(sum.starting)} starting`,
      sum.warm && `${number(sum.warm)} kept ready`].filter(Boolean).join(', ');
  get('seats_count').textContent = number(taken);
  get('seats_note').textContent = sum.seats === 0 ? '' :
    `of ${number(sum.seats)}: ${number(sum.playing)} playing, ${number(sum.reserved)} reserved` +
    (sum.unknown ? `, ${number(sum.unknown)} unknown` : '');
  get('waiting_count').textContent = number(state.waiting.requests);
  get('duplicates_count').textContent = number(state.counts.duplicates ?? 0);
  get('duplicates_count').classList.toggle('bad', (state.counts.duplicates ?? 0) > 0);
  get('spare_count').textContent = number(spare_rooms(state.rooms.values()));
  get('locks_count').textContent = number(state.counts.locks_acquired ?? 0);
  get('locks_note').textContent =
    `for ${number(state.counts.rooms_ordered ?? 0)} rooms ordered here`;
  show_waiting();
  get('locks_whose').textContent = state.node;
  get('who').textContent =
    `${state.node}, cluster ${state.cluster}, lock ${state.strategy}, ${state.version}`;
  document.title = `${number(sum.rooms)} rooms · ${state.node} · FIX Keep`;
}

const age = since_ms => duration(Math.max(0, Date.now() - ahead_ms - since_ms));

function show_waiting() {
  const {since_ms, groups} = state.waiting;
  const refused = `${number(state.counts.refused ?? 0)} were refused`;
  get('waiting_note').textContent =
    since_ms === null ? refused : `the oldest for ${age(since_ms)}; ${refused}`;
  get('waiting').hidden = groups.length === 0;
  get('waiting_rows').replaceChildren(...groups.slice(0, waiting_most).map(each => {
    const row = element('tr');
    row.append(element('td', each.group, 'long'), element('td', number(each.requests), 'number'),
        element('td', age(each.since_ms), 'number'));
    return row;
  }));
  const more = groups.length - waiting_most;
  get('waiting_more').textContent = groups.length === 0 ? 'Nobody waits.' :
    more > 0 ? `${number(more)} groups more; those that wait longest are shown.` : '';
}

// Shows the durations of the last minute.
function show_time(what, minute, none) {
  const about = ms => `≈ ${duration(ms)}`;
  const known = minute !== null && minute.count > 0;
  get(`${what}_time`).textContent = known ? about(minute.p50_ms) : '–';
  get(`${what}_note`).textContent = known ?
    `median; p99 ${about(minute.p99_ms)}, mean ${duration(minute.mean_ms)}` : none;
}

// The page has samples only from the time at which it was opened.
function since_words(seconds) {
  const since = state.known_since_ms(seconds);
  return since === null ? '' :
    `since ${new Date(since).toLocaleTimeString('en-GB')}, when this page was opened`;
}

function show_rate() {
  const rate = state.samples.at(-1)?.matches_per_s;
  get('rate_count').textContent = rate === null || rate === undefined ? '–' :
    rate < 10 ? String(Math.round(rate * 10) / 10) : number(rate);
  get('rate_note').textContent = `${number(state.counts.seated ?? 0)} since the start`;
  const when = since_words(60) || 'in the last minute';
  show_time('match', state.last_minute.match, `no match ${when}`);
  show_time('boot', state.last_minute.boot, `no boot ${when}`);
  const course = since_words(history_seconds);
  get('course_since').textContent = course === '' ? '' : `Known ${course}.`;
}

// --- nodes ---------------------------------------------------------------------------------------

function show_nodes() {
  get('masters').replaceChildren(...state.masters.map(master => {
    const row = element('tr');
    const link = master.self ? (master.joined ? 'this one' : 'this one, still joining') :
      master.up ? 'linked' : 'away';
    row.append(element('td', master.master), element('td', master.address),
        element('td', link, master.self || master.up ? 'good' : 'bad'));
    return row;
  }));
  const left_out = new Map(state.quarantined.map(each => [each.worker, each]));
  const names = new Set([...state.workers.map(each => each.worker), ...left_out.keys()]);
  const known = new Map(state.workers.map(each => [each.worker, each]));
  const focused = document.activeElement?.dataset?.worker;
  get('workers').replaceChildren(...[...names].sort().map(name => {
    const worker = known.get(name);
    const out = left_out.get(name);
    const paused_modes = (worker?.paused ?? []).map(each =>
      `${each.mode} ${each.cause}${each.reason ? `: ${each.reason}` : ''}`);
    const troubles = [...(out ? [`gets ${out.gets}: ${out.reason}`] : []), ...paused_modes];
    const row = element('tr');
    row.append(element('td', name), element('td', worker?.zone ?? '–'),
        element('td', worker ? number(worker.rooms) : '–', 'number'),
        element('td', worker ? `${number(worker.headroom)} more` : '–', 'number'),
        element('td', troubles.length > 0 ? troubles.join('; ') : 'takes orders',
            troubles.length > 0 ? 'bad' : 'good'), element('td'));
    if (worker) row.lastChild.append(worker_button(worker));
    return row;
  }));
  if (focused) get('workers').querySelector(`[data-worker="${CSS.escape(focused)}"]`)?.focus();
}

// --- locks ---------------------------------------------------------------------------------------

function show_lanes(now_ms) {
  const latest = lanes.latest(now_ms, lanes_most);
  const states = new Map(state.locks.map(lock => [lock.group, lock]));
  get('no_locks').hidden = latest.length > 0;
  get('lanes').replaceChildren(...latest.map(lane => {
    const row = element('div', undefined, 'lane');
    const picture = svg('svg', {viewBox: `0 0 ${lane_ms} 10`, preserveAspectRatio: 'none',
      'aria-hidden': 'true'});
    for (const span of lane.spans) {
      const from = Math.max(0, span.from - now_ms + lane_ms);
      const to = Math.min(lane_ms, (span.to ?? now_ms) - now_ms + lane_ms);
      const least = span.kind === 'waits' ? 0 : least_drawn_ms;
      picture.append(svg('rect', {class: span.kind, x: Math.min(from, lane_ms - least), y: 0,
        width: Math.max(to - from, least), height: 10}));
    }
    const name = element('span', lane.group);
    name.title = lane.group;
    const last = lane.spans.filter(span => span.kind === 'holds').at(-1);
    const holder = element('span', holder_words(lane, states.get(lane.group)), 'token');
    if (last) holder.title = `held here for ${duration((last.to ?? now_ms) - last.from)}`;
    row.append(name, picture, holder);
    return row;
  }));
}

// `own` is this master's entry for the lock; undefined if the master neither waits nor holds.
function holder_words(lane, own) {
  if (own?.held) return `${state.node} holds it, ${own.token}`;
  if (own) return `${state.node} waits: ${own.state}`;
  return lane.token === '' ? '' : `last ${lane.token.split('.')[1]}, ${lane.token}`;
}

// --- pools ---------------------------------------------------------------------------------------

const pools = new PoolsView(get('pools_shown'));

function show_pools() {
  const none = state.pools.length === 0;
  get('pools').hidden = none;
  if (none) return;
  get('pools_whose').textContent = state.node;
  pools.show(state.modes, state.pools, Date.now() - ahead_ms);
  const more = state.pools.reduce((sum, mode) => sum + mode.more, 0);
  get('pools_more').textContent = more === 0 ? '' :
    `${number(more)} pools more have younger requests, and are not shown.`;
}

// --- events --------------------------------------------------------------------------------------

function show_events() {
  if (paused) return;
  const wanted = get('events_filter').value.trim().toLowerCase();
  const newest = state.events.at(-1);
  if (events_shown !== null && events_shown.newest === newest && events_shown.wanted === wanted) {
    return;
  }
  events_shown = {newest, wanted};
  const rows = [];
  for (let i = state.events.length - 1; i >= 0 && rows.length < events_most; --i) {
    const event = state.events[i];
    const text = words(event, state.node);
    if (wanted && !text.toLowerCase().includes(wanted)) continue;
    const row = element('li', undefined, is_trouble(event) ? 'trouble' : '');
    const at = new Date(event.at_us / 1000);
    const time = element('time',
        `${at.toLocaleTimeString('en-GB')}.${String(at.getMilliseconds()).padStart(3, '0')}`);
    row.append(time, element('span', text));
    rows.push(row);
  }
  get('events').replaceChildren(...rows);
  get('missed').textContent = state.missed > 0 ? `${number(state.missed)} more are not shown` : '';
}

// --- the page ------------------------------------------------------------------------------------

const charts = new Charts(get('charts'));

function show_link() {
  get('link').className = `chip ${live ? 'live' : 'lost'}`;
  const word = live ? 'live' : 'connection lost';
  if (get('link_word').textContent !== word) get('link_word').textContent = word;
  get('link_since').textContent = live ? '' : ` ${duration(Date.now() - since_ms)} ago`;
  document.body.classList.toggle('stale', !live);
}

function show() {
  if (drawn === state.at_ms) return;
  drawn = state.at_ms;
  show_rooms();
  show_figures();
  show_nodes();
  show_events();
  show_pools();
}

function wear(dark) {
  document.documentElement.classList.toggle('dark', dark);
  get('theme').setAttribute('aria-pressed', String(dark));
  view.read_colours();
  charts.restyle();
}

offer_room_actions(() => state.rooms.get(selected) ?? {room_id: selected, occupied: 0});
offer_worker_actions(get('workers'));
get('try').textContent = `curl -s http://${location.hostname}:PORT/v1/match -d ` +
  `'{"player_id":"ann","mode":"…","attributes":{…}}'`;
for (const id of ['by', 'filter', 'size']) get(id).addEventListener('input', show_rooms);
get('events_filter').addEventListener('input', show_events);
get('table').addEventListener('toggle', show_table);
get('pause').addEventListener('click', () => {
  paused = !paused;
  get('pause').setAttribute('aria-pressed', String(paused));
  show_events();
});
get('theme').addEventListener('click', () => {
  const dark = !document.documentElement.classList.contains('dark');
  localStorage.setItem('theme', dark ? 'dark' : 'light');
  wear(dark);
});
const system = matchMedia('(prefers-color-scheme: dark)');
system.addEventListener('change', () => wear(system.matches));
const chosen = localStorage.getItem('theme');
wear(chosen ? chosen === 'dark' : system.matches);

listen('v1/events', (name, data) => {
  const events = data.events ?? [];
  if (name === 'change' || lanes.lanes.size === 0) for (const event of events) lanes.take(event);
  if (name === 'change') {
    for (const room of data.rooms ?? []) {
      if (state.rooms.get(room.room_id)?.creation_id === room.creation_id) continue;
      lanes.see(room, data.at_ms, state.node);
    }
  }
  state.take(name, data);
  ahead_ms = Date.now() - data.at_ms;
  requestAnimationFrame(show);
}, (now_live, at_ms) => {
  live = now_live;
  since_ms = at_ms;
  show_link();
});
setInterval(() => {
  state.sample(Date.now(), live);
  charts.show(state.samples);
  show_rate();
  show_waiting();
  if (live) show_pools();
  show_link();
}, 1000);
setInterval(() => show_lanes(Date.now() - ahead_ms), 250);

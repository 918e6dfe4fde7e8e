// The state that a master's feed has sent so far (docs/api-operators.md, "Live"), and figures that are
// computed from the state.
//
// This file does not use the page. tests/browser/state_test.js tests it without a browser.
import {LastMinute} from './times.js';

const lists = ['workers', 'quarantined', 'masters', 'locks', 'pools'];
const values = ['waiting', 'counts', 'times', 'strategy'];
const identity = ['node', 'cluster', 'version', 'modes'];

export const history_seconds = 600;
export const events_kept = 500;

export class State {
  constructor() {
    this.rooms = new Map();  // rooms by room_id
    for (const key of lists) this[key] = [];
    this.waiting = {requests: 0, since_ms: null, groups: []};
    this.counts = {};
    this.times = {};
    this.events = [];  // oldest first
    this.missed = 0;
    this.at_ms = 0;
    this.samples = [];  // one sample per second, for the charts
    this.last_counted = null;
    this.took = {match: new LastMinute(), boot: new LastMinute()};
    this.last_minute = {match: null, boot: null};  // null without a connection to the feed
  }

  take(name, data) {
    if (name === 'snapshot') {
      this.rooms.clear();
      this.events = [];
      for (const key of identity) this[key] = data[key];
      for (const [what, minute] of Object.entries(this.took)) minute.begin(data.times?.[what]);
    }
    for (const room of data.rooms ?? []) this.rooms.set(room.room_id, room);
    for (const id of data.rooms_gone ?? []) this.rooms.delete(id);
    for (const key of [...lists, ...values]) {
      if (data[key] !== undefined) this[key] = data[key];
    }
    if (data.events) {
      this.events.push(...data.events);
      this.events.splice(0, this.events.length - events_kept);
    }
    this.missed = data.missed ?? 0;
    this.at_ms = data.at_ms;
  }

  // Adds a sample; called once a second. `live` is true while the feed is connected. Without a
  // connection the charts have a gap.
  sample(now_ms, live) {
    const {seated = 0, refused = 0} = this.counts;
    const before = this.last_counted;
    this.last_counted = live ? {now_ms, seated, refused} : null;
    // A restarted master counts from zero.
    const seconds = before && seated >= before.seated ? (now_ms - before.now_ms) / 1000 : 0;
    const rate = (count, last) => seconds > 0 ? Math.max(0, count - last) / seconds : null;
    for (const [what, minute] of Object.entries(this.took)) {
      if (!live) minute.forget();
      this.last_minute[what] = live ? minute.take(now_ms, this.times[what]) : null;
    }
    this.samples.push({
      at_s: Math.round(now_ms / 1000),
      matches_per_s: live && before ? rate(seated, before.seated) : null,
      refusals_per_s: live && before ? rate(refused, before.refused) : null,
      match_p50_ms: this.last_minute.match?.p50_ms ?? null,
      match_p99_ms: this.last_minute.match?.p99_ms ?? null,
      boot_p50_ms: this.last_minute.boot?.p50_ms ?? null,
      waiting: live ? this.waiting.requests : null,
      rooms: live ? this.rooms.size : null
    });
    this.samples.splice(0, this.samples.length - history_seconds);
  }

  // Returns the time of the first sample. Returns null if the samples cover the last `seconds`.
  known_since_ms(seconds) {
    const {length} = this.samples;
    return length === 0 || length >= seconds ? null : this.samples[0].at_s * 1000;
  }
}

// Returns true if the number of players in the room is unknown. `reserved` then counts all taken
// seats.
export const is_unknown = room => room.occupied === null;
export const free_seats = room => room.capacity - room.reserved - room.occupied;

// Sums over all rooms, for the figures at the top of the page.
export function totals(rooms) {
  const sum = {rooms: 0, starting: 0, seats: 0, reserved: 0, playing: 0, unknown: 0, warm: 0};
  for (const room of rooms) {
    sum.rooms += 1;
    if (room.phase === 'starting') sum.starting += 1;
    if (room.group === null) sum.warm += 1;
    sum.seats += room.capacity;
    sum[is_unknown(room) ? 'unknown' : 'reserved'] += room.reserved;
    sum.playing += room.occupied;
  }
  return sum;
}

// Counts the rooms that a group has beyond the need of its taken seats. Duplicate rooms and rooms
// that became empty are spare rooms. Draining rooms accept no players and warm rooms have no group:
// neither is counted.
export function spare_rooms(rooms) {
  const groups = new Map();
  for (const room of rooms) {
    if (room.group === null || (room.phase !== 'open' && room.phase !== 'starting')) continue;
    const group = groups.get(room.group) ?? {rooms: 0, taken: 0, capacity: room.capacity};
    group.rooms += 1;
    group.taken += room.reserved + room.occupied;
    groups.set(room.group, group);
  }
  let spare = 0;
  for (const group of groups.values()) {
    spare += Math.max(0, group.rooms - Math.max(1, Math.ceil(group.taken / group.capacity)));
  }
  return spare;
}

const no_group = 'kept ready, no group yet';
const key_of = {
  group: room => room.group ?? no_group,
  worker: room => room.worker,
  zone: room => room.zone,
  mode: room => room.mode
};

// Groups the rooms that match `filter` by a key of key_of. Sections are sorted by key, their rooms
// by room_id.
export function sections_of(rooms, by, filter) {
  const wanted = filter.trim().toLowerCase();
  const sections = new Map();
  for (const room of rooms) {
    const fits = wanted === '' || [room.group ?? no_group, room.worker, room.room_id, room.zone,
      room.phase].some(text => text.toLowerCase().includes(wanted));
    if (!fits) continue;
    const key = key_of[by](room);
    if (!sections.has(key)) sections.set(key, []);
    sections.get(key).push(room);
  }
  return [...sections].sort(([a], [b]) => a < b ? -1 : 1).map(([key, members]) => ({
    key,
    rooms: members.sort((a, b) => a.room_id < b.room_id ? -1 : 1)
  }));
}

// What the dashboard makes of a master's feed, without a browser: state.js, times.js, lanes.js,
// pools.js and words.js.
'use strict';

const assert = require('node:assert/strict');
const {before, describe, test} = require('node:test');

const dashboard = '../../master/http/dashboard/';
let state, times, lanes, pools, words;
before(async () => {
  state = await import(`${dashboard}state.js`);
  times = await import(`${dashboard}times.js`);
  lanes = await import(`${dashboard}lanes.js`);
  pools = await import(`${dashboard}pools.js`);
  words = await import(`${dashboard}words.js`);
});

function room(id, changes = {}) {
  return {room_id: id, group: 'duel/eu', mode: 'duel', phase: 'open', worker: 'w1', zone: 'a',
    address: '10.0.0.1', port: 20000, capacity: 4, reserved: 0, occupied: 0, creation_id: 'c',
    ...changes};
}

describe('the state', () => {
  test('is that of a snapshot, and of each change behind it', () => {
    const known = new state.State();
    known.take('snapshot', {node: 'm1', rooms: [room('a'), room('b')], workers: [{worker: 'w1'}],
      counts: {seated: 1}, events: [{event: 'x'}], at_ms: 1});
    known.take('change', {rooms: [room('b', {occupied: 2}), room('c')], rooms_gone: ['a'], at_ms: 2,
      counts: {seated: 3}, events: [{event: 'y'}], missed: 7});
    assert.deepEqual([...known.rooms.keys()], ['b', 'c']);
    assert.equal(known.rooms.get('b').occupied, 2);
    assert.equal(known.counts.seated, 3);
    assert.deepEqual(known.workers, [{worker: 'w1'}], 'what is not told has not changed');
    assert.deepEqual(known.events.map(each => each.event), ['x', 'y']);
    assert.equal(known.missed, 7);
    assert.equal(known.at_ms, 2);
  });

  test('begins again with a second snapshot', () => {
    const known = new state.State();
    known.take('snapshot', {node: 'm1', rooms: [room('a')], events: [{event: 'x'}], at_ms: 1});
    known.take('snapshot', {node: 'm1', rooms: [room('b')], events: [], at_ms: 2});
    assert.deepEqual([...known.rooms.keys()], ['b']);
    assert.equal(known.events.length, 0);
  });

  test('keeps so many events and no more', () => {
    const known = new state.State();
    known.take('snapshot', {rooms: [], events: [], at_ms: 1});
    for (let i = 0; i < 20; ++i) {
      known.take('change', {at_ms: i, events: Array.from({length: 100}, () => ({event: 'x'}))});
    }
    assert.equal(known.events.length, state.events_kept);
  });
});

describe('the course of ten minutes', () => {
  const at = (known, now_ms, seated, live = true) => {
    known.take('change', {counts: {seated, refused: 0}, at_ms: now_ms});
    known.sample(now_ms, live);
    return known.samples.at(-1).matches_per_s;
  };

  test('has matches a second, from one second to the next', () => {
    const known = new state.State();
    assert.equal(at(known, 0, 100), null, 'there is nothing to compare with');
    assert.equal(at(known, 1000, 130), 30);
    assert.equal(at(known, 3000, 150), 10);
  });

  test('has a gap where the feed was away, and no peak behind it', () => {
    const known = new state.State();
    at(known, 0, 0);
    assert.equal(at(known, 1000, 10, false), null);
    assert.equal(known.samples.at(-1).rooms, null);
    assert.equal(at(known, 2000, 500), null);
    assert.equal(at(known, 3000, 510), 10);
  });

  test('knows a master that counts from zero again', () => {
    const known = new state.State();
    at(known, 0, 1000);
    assert.equal(at(known, 1000, 5), null);
    assert.equal(at(known, 2000, 6), 1);
  });

  test('says since when it is known, and not when it is whole', () => {
    const known = new state.State();
    assert.equal(known.known_since_ms(60), null, 'nothing is shown yet');
    known.sample(5_000_000, true);
    known.sample(5_001_000, false);
    assert.equal(known.known_since_ms(60), 5_000_000);
    for (let i = 2; i < 60; ++i) known.sample(5_000_000 + i * 1000, true);
    assert.equal(known.known_since_ms(60), null);
    assert.equal(known.known_since_ms(state.history_seconds), 5_000_000);
  });

  test('is bounded', () => {
    const known = new state.State();
    for (let i = 0; i < 2 * state.history_seconds; ++i) known.sample(i * 1000, true);
    assert.equal(known.samples.length, state.history_seconds);
  });
});

describe('the times of the last minute', () => {
  // All in the bucket of what took 256 µs or more and less than 512 µs.
  const took = count => ({sum_us: 300 * count, counts: [...Array(9).fill(0), count]});

  test('have percentiles to a bucket, and the mean', () => {
    assert.equal(times.percentile_ms([], 0.5), null);
    assert.equal(times.percentile_ms([0, 0], 0.5), null);
    assert.equal(times.percentile_ms(took(4).counts, 1), 0.512);
    assert.equal(times.percentile_ms(took(4).counts, 0.5), 0.384);
    assert.equal(times.percentile_ms([...took(99).counts, 1], 0.99), 0.512);
    assert.ok(times.percentile_ms([...took(98).counts, 2], 0.99) > 0.512);
    const minute = new times.LastMinute();
    minute.take(0, took(7));
    const seen = minute.take(1000, took(9));
    assert.deepEqual({...seen, mean_ms: Math.round(seen.mean_ms * 1000)},
        {count: 2, p50_ms: 0.384, p99_ms: 0.256 + 0.256 * 0.99, mean_ms: 300});
  });

  test('know what happened between a snapshot and the first second behind it', () => {
    const minute = new times.LastMinute();
    minute.begin(took(5));
    assert.equal(minute.take(1000, took(9)).count, 4);
  });

  test('are of what happened since the page is there, and of a minute at most', () => {
    const minute = new times.LastMinute();
    assert.deepEqual(minute.take(0, took(1000)),
        {count: 0, p50_ms: null, p99_ms: null, mean_ms: null});
    for (let s = 1; s <= 60; ++s) assert.equal(minute.take(s * 1000, took(1000 + s)).count, s);
    assert.equal(minute.take(61_000, took(1061)).count, 60);
    assert.ok(minute.seen.length <= 61);
  });

  test('begin again with a master that counts from zero, and when the feed is back', () => {
    const minute = new times.LastMinute();
    minute.take(0, took(10));
    assert.equal(minute.take(1000, took(2)).count, 0);
    assert.equal(minute.take(2000, took(5)).count, 3);
    minute.forget();
    assert.equal(minute.take(3000, took(50)).count, 0);
  });

  test('are samples of the charts, with a gap where the feed is away', () => {
    const known = new state.State();
    known.take('snapshot',
        {rooms: [], events: [], at_ms: 0, times: {match: took(1), boot: took(0)}});
    known.sample(0, true);
    known.take('change', {at_ms: 1, times: {match: took(3), boot: took(0)}});
    known.sample(1000, true);
    assert.equal(known.samples.at(-1).match_p50_ms, 0.384);
    assert.equal(known.samples.at(-1).boot_p50_ms, null);
    assert.equal(known.last_minute.match.count, 2);
    known.sample(2000, false);
    assert.equal(known.samples.at(-1).match_p50_ms, null);
    assert.equal(known.last_minute.match, null);
  });
});

describe('sums over rooms', () => {
  test('count seats by what is done with them', () => {
    const sum = state.totals([room('a', {occupied: 2, reserved: 1}),
      room('b', {phase: 'starting'}), room('c', {group: null}),
      room('d', {occupied: null, reserved: 3})]);
    assert.deepEqual(sum, {
      rooms: 4, starting: 1, seats: 16, reserved: 1, playing: 2, unknown: 3, warm: 1
    });
    assert.equal(state.free_seats(room('d', {occupied: null, reserved: 3})), 1);
  });

  test('call a room spare if the others of its group have seats for all', () => {
    const spare = (...rooms) => state.spare_rooms(rooms);
    assert.equal(spare(room('a')), 0, 'the only one');
    assert.equal(spare(room('a', {occupied: 4}), room('b', {occupied: 1})), 0);
    assert.equal(spare(room('a', {occupied: 2}), room('b', {occupied: 2})), 1);
    assert.equal(spare(room('a'), room('b', {phase: 'starting'}), room('c')), 2);
    assert.equal(spare(room('a'), room('b', {group: 'duel/us'})), 0);
    assert.equal(spare(room('a'), room('b', {phase: 'draining'})), 0);
    assert.equal(spare(room('a', {group: null}), room('b', {group: null})), 0, 'nobody\'s');
  });
});

describe('sections', () => {
  const rooms = [room('b'), room('a', {worker: 'w2'}), room('c', {group: null, mode: 'ffa'})];
  const shown = (by, filter = '') => state.sections_of(rooms, by, filter)
    .map(({key, rooms: members}) => [key, members.map(each => each.room_id)]);

  test('are those of a key, in a lasting order', () => {
    assert.deepEqual(shown('group'),
        [['duel/eu', ['a', 'b']], ['kept ready, no group yet', ['c']]]);
    assert.deepEqual(shown('worker'), [['w1', ['b', 'c']], ['w2', ['a']]]);
    assert.deepEqual(shown('mode'), [['duel', ['a', 'b']], ['ffa', ['c']]]);
  });

  test('have the rooms that fit a filter', () => {
    assert.deepEqual(shown('group', ' W2 '), [['duel/eu', ['a']]]);
    assert.deepEqual(shown('group', 'nothing like it'), []);
  });
});

describe('lanes of locks', () => {
  const us = ms => ms * 1000;

  test('have a span of waiting and one of holding, with the token', () => {
    const all = new lanes.Lanes();
    all.take({event: 'lock-wanted', group: 'g', at_us: us(1000)});
    all.take({event: 'lock-granted', group: 'g', at_us: us(1004), counter: 7, master: 2});
    all.take({event: 'lock-left', group: 'g', at_us: us(1006)});
    const [lane] = all.latest(2000, 5);
    assert.equal(lane.token, '7.m2');
    assert.deepEqual(lane.spans.map(({kind, from, to}) => [kind, from, to]),
        [['waits', 1000, 1004], ['holds', 1004, 1006]]);
  });

  test('are those that changed last, and end when they are old', () => {
    const all = new lanes.Lanes();
    for (const [group, ms] of [['b', 1], ['c', 2], ['a', 3], ['b', 4]]) {
      all.take({event: 'lock-wanted', group, at_us: us(ms)});
      all.take({event: 'lock-left', group, at_us: us(ms + 0.5)});
    }
    assert.deepEqual(all.latest(10, 2).map(lane => lane.group), ['a', 'b']);
    assert.deepEqual(all.latest(lanes.lane_ms + 10, 2), []);
    assert.equal(all.lanes.size, 0);
  });

  test('have a mark for the hold of another master, which the room of it names', () => {
    const all = new lanes.Lanes();
    const made = (id, creation_id, changes = {}) => room(id, {creation_id, ...changes});
    all.see(made('a', '7.m2.0.5f'), 1000, 'm1');
    all.see(made('b', '7.m2.1.5f'), 1001, 'm1');
    all.see(made('c', '6.m3.0.5f'), 1002, 'm1');
    all.see(made('d', '9.m1.0.5f'), 1003, 'm1');
    all.see(made('e', '9.m2.0.5f', {group: null}), 1004, 'm1');
    const [lane, ...others] = all.latest(2000, 5);
    assert.deepEqual(others, []);
    assert.deepEqual(lane.spans.map(({kind, from, token}) => [kind, from, token]),
        [['other', 1000, '7.m2']], 'one for a token, none for an older one or our own');
    assert.equal(lane.token, '7.m2');
    all.take({event: 'lock-granted', group: 'duel/eu', at_us: us(1005), counter: 8, master: 1});
    assert.equal(all.latest(2000, 5)[0].token, '8.m1');
  });

  test('are bounded, whatever happens', () => {
    const all = new lanes.Lanes();
    for (let i = 0; i < 5000; ++i) {
      all.take({event: 'lock-wanted', group: `g${i % 700}`, at_us: us(i)});
    }
    for (let i = 0; i < 5000; ++i) {
      all.take({event: 'lock-wanted', group: 'one', at_us: us(i)});
    }
    assert.ok(all.lanes.size <= 500);
    assert.ok(all.lanes.get('one').spans.length <= 200);
  });
});

describe('words', () => {
  test('say what happened, and by whom', () => {
    const said = event => words.words(event, 'm1');
    assert.equal(said({event: 'lock-granted', group: 'duel/eu', counter: 7, master: 1}),
        'm1 has the lock of duel/eu, token 7.m1');
    assert.equal(said({event: 'room-ordered', group: 'duel/eu', worker: 'w2'}),
        'm1 ordered a room of duel/eu at w2');
    assert.equal(said({event: 'match-answered', room: ''}), 'A request was refused');
    assert.equal(said({event: 'new-in-a-later-version'}), 'new-in-a-later-version');
  });

  test('know what came to nothing', () => {
    assert.ok(words.is_trouble({event: 'match-answered', room: ''}));
    assert.ok(words.is_trouble({event: 'order-answered', accepted: false}));
    assert.ok(!words.is_trouble({event: 'order-answered', accepted: true}));
  });

  test('say durations as people do', () => {
    assert.deepEqual([0, 0.43, 999, 1500, 42_000, 61_000, 3_700_000].map(words.duration),
        ['0 ms', '0.4 ms', '999 ms', '1.5 s', '42 s', '1 min', '1 h 1 min']);
  });
});

describe('a pool', () => {
  const steps = [{after_ms: 0, most: 50}, {after_ms: 5000, most: 100}, {after_ms: 9000, most: null}];
  const rules = (changes = {}) => ({players_most: 4,
    distances: [{number: 0, widening: 'older', steps, ...changes}]});
  const claim = (since_ms, number, players = 1) => ({since_ms, players, numbers: [number]});

  test('has limits that widen with the age of who waits', () => {
    assert.deepEqual([0, 4999, 5000, 9000].map(age => pools.limit_at(steps, age)),
        [50, 50, 100, Infinity]);
    assert.equal(pools.limit_at([{after_ms: 10, most: 5}], 9), 0);
    assert.equal(pools.next_step(steps, 5000).most, null);
    assert.equal(pools.next_step(steps, 9000), undefined);
  });

  test('lets those play together whom the limit of the older one lets in, or both', () => {
    const older = claim(0, 1500), younger = claim(5000, 1600);
    assert.ok(pools.fits(rules(), older, younger, 5000));
    assert.ok(!pools.fits(rules(), older, younger, 4999));
    assert.ok(!pools.fits(rules({widening: 'both'}), older, younger, 9999));
    assert.ok(pools.fits(rules({widening: 'both'}), older, younger, 10_000));
    assert.ok(!pools.fits(rules(), claim(0, 1500, 3), claim(0, 1500, 2), 0), 'five in a room of four');
  });

  test('draws the nearest pairs and counts all', () => {
    const few = pools.pairs_of(rules(), [claim(0, 0), claim(0, 40), claim(0, 60), claim(0, 500)], 0);
    assert.deepEqual(few, {count: 2, partners: [1, 2, 1, 0], nearest: [[1, 2], [0, 1]]});
    const many = pools.pairs_of(rules(), Array.from({length: 40}, () => claim(0, 0)), 0);
    assert.equal(many.count, 780);
    assert.equal(many.nearest.length, pools.pairs_most);
    const no_number = {players_most: 4, distances: []};
    assert.equal(pools.pairs_of(no_number, [claim(0, 0), claim(0, 9999)], 0).count, 1);
  });

  test('has ticks at round numbers', () => {
    assert.deepEqual(pools.ticks_of(0, 5, 4), [0, 2, 4]);
    assert.deepEqual(pools.ticks_of(1130, 1760, 3), [1500]);
    assert.deepEqual(pools.ticks_of(-30, 30, 6), [-30, -20, -10, 0, 10, 20, 30]);
  });

  test('says why its oldest claim waits, by the time that has passed since', () => {
    const why = {at_ms: 1000, requests: 7, rooms: 1, acceptable: 2,
      refused: [{rule: 'distance', number: 'rating', requests: 5, rooms: 1},
        {rule: 'latency', requests: 1, rooms: 0}],
      nearest: {rule: 'distance', number: 'rating', room: false, beyond: 12, in_ms: 3000},
      players_missing: 1, enough_in_ms: 6000, roles_missing: [{role: 'healer', players: 1}]};
    assert.equal(pools.why_words(why, 3000), 'The oldest one was left waiting by a decision 2.0 s ago. ' +
      'It saw 7 other requests of all masters and 1 room; rating keeps it from 5 requests and 1 room; ' +
      'its latency keeps it from 1 request; the nearest request is 12 beyond the limit of rating, and ' +
      'is let in in 1.0 s; no rule refuses 2 requests; 1 player is wanting; those who are there may ' +
      'start in 4.0 s; wanted: 1 healer.');
    assert.match(pools.why_words({...why, nearest: {...why.nearest, in_ms: null}}, 3000),
        /and no step lets it in;/);
    assert.match(pools.why_words(why, 9000), /and may be let in now; .* may start now;/);
    assert.match(pools.why_words(null, 0), /^No decision has said yet/);
  });
});

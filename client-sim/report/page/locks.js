// Shows the output of `fixkeep-lab locks --json`: the cost and the promises of each lock. Each lock runs
// alone, contended, with its holder killed, and in the burst of players.
/* global drawing, count, ink_of, make, match_ms, never, runs_of, section, short,
   show_faults, show_origin, faults_of, spread, sum */
'use strict';

const rounds_of = lock => [...lock.one_key.rounds, ...lock.many_keys.rounds];

// Returns the time without a holder after each kill. The time is infinite if no master got the lock.
const gaps_of = lock =>
  spread([...lock.without_holder_ms, ...Array(lock.never_granted).fill(never)]);
// Returns the times without a holder after another fault: `vanished`, `cut` or `leader`.
// Older files have none.
const gaps_after = (lock, fault) =>
  spread([...lock[`${fault}_ms`] ?? [], ...Array(lock[`never_granted_${fault}`] ?? 0).fill(never)]);
const two_believe = lock => {
  const cuts = (lock.cut_ms?.length ?? 0) + (lock.never_granted_cut ?? 0);
  return cuts > 0 ? `${lock.two_believers}/${cuts}` : '–';
};

function promises_of(lock, runs) {
  const mine = runs_of(runs, lock.lock);
  const p99 = spread(mine.map(run => match_ms(run, 'p99')));
  const gaps = gaps_of(lock);
  return {lock: lock.lock, gaps, vanished: gaps_after(lock, 'vanished'), cut: gaps_after(lock, 'cut'),
    two_believe: two_believe(lock), leader: gaps_after(lock, 'leader'), burst: mine.length > 0,
    holders: lock.granted_before_kill + sum(rounds_of(lock).map(round => round.double_holders)),
    duplicates: sum(mine.map(run => run.duplicate_rooms)), rooms: sum(mine.map(run => run.rooms)),
    needed: sum(mine.map(run => run.ideal_rooms)), p99: p99?.median ?? null};
}

// Sorts by faults first, then by time. A missing time ranks behind "never".
function ranked(promises) {
  const rank = row => [row.holders, row.duplicates, row.gaps ? 0 : 1, row.gaps?.most ?? 0];
  return promises.toSorted((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    const at = a.findIndex((value, index) => value !== b[index]);
    return at < 0 ? 0 : a[at] - b[at];
  });
}

function lock_bars(place, locks, {name, title, words, unit, series, logarithmic = false, reference = null}, values_of) {
  const rows = locks.map(lock => ({label: lock.lock, ink: ink_of(lock.lock),
    bars: values_of(lock).map(value => ({value: value ?? null}))}));
  if (!rows.some(row => row.bars.some(bar => bar.value > 0))) return;
  const root = section(place, title, words, {name});
  drawing.bars(root, rows, {unit, series, logarithmic, reference});
}

function show_lock_bars(place, locks, runs) {
  lock_bars(place, locks, {name: 'holder-killed', title: 'The holder is killed', unit: 'ms',
    series: ['median', 'longest'], logarithmic: true,
    words: 'Time from the SIGKILL of the holder to the grant of one who waits; never: not before the dead one ' +
      'was started again.'}, lock => [gaps_of(lock)?.median, gaps_of(lock)?.most]);
  lock_bars(place, locks, {name: 'fairness', title: 'Fairness on one key', unit: "Jain's index",
    series: [], reference: {value: 1, label: 'the line: all masters had as many grants'},
    words: 'Jain\'s index over the masters\' grants.'}, lock => [lock.one_key.median?.fairness]);
  const trip = spread(locks.flatMap(lock => lock.uncontended.rounds.map(round => round.round_trip_p50_us)))?.median;
  lock_bars(place, locks, {name: 'alone', title: 'Alone', unit: 'µs', series: ['median', '99 %'], logarithmic: true,
    reference: trip && {value: trip, label: `the line: one round trip, ${short(trip)} µs`},
    words: 'Acquire and release while nobody else wants the key. One round trip of a framed message between two ' +
      'masters was measured in the same rounds.'},
  lock => [lock.uncontended.median?.p50_us, lock.uncontended.median?.p99_us]);
  lock_bars(place, locks, {name: 'contended', title: 'Contended', unit: 'grants a second',
    series: ['one key', 'handed over', 'many keys'], logarithmic: true,
    words: 'Grants of all masters together: on one key that every master wants at once again, how many of these ' +
      'went to another master than the one before, and on many keys.'},
  lock => [lock.one_key.median?.per_second, lock.one_key.median?.handovers_per_second,
    lock.many_keys.median?.per_second]);
  lock_bars(place, locks, {name: 'messages', title: 'Messages per acquisition', unit: 'messages',
    series: ['alone', 'one key'],
    words: 'Of all masters together. For a lock that lives in a server: requests and replies of the masters, not ' +
      'what the servers say to each other.'},
  lock => [lock.uncontended.median?.messages, lock.one_key.median?.messages]);
  lock_bars(place, locks, {name: 'burst', title: 'The burst: time to match', unit: 'ms', series: ['median', 'longest'],
    words: '99 % of the players had their seat within so long, boot of the game included. Over the seeds.'}, lock => {
    const p99 = spread(runs_of(runs, lock.lock).map(run => match_ms(run, 'p99')));
    return [p99?.median, p99?.most];
  });
}

function show_locks(place, data) {
  const {locks, runs = []} = data;
  const promises = ranked(locks.map(lock => promises_of(lock, runs)));
  const broken = promises.filter(row => row.lock !== 'none' && row.holders > 0);
  make('h1', place, '', broken.length === 0 ?
    `${count(locks.filter(lock => lock.lock !== 'none').length, 'lock')}: never two holders of one key` :
    `Two holders of one key: ${broken.map(row => `${row.lock} ${row.holders} times`).join(', ')}`);
  make('p', place, 'soft', 'Every lock among the masters of one machine: with its holder killed, alone, ' +
    'contended, and deciding who makes the rooms of a burst of players.');
  show_faults(place, [...locks.filter(lock => lock.failure).map(lock => `${lock.lock}: ${lock.failure}`),
    ...locks.flatMap(lock => lock.faults.map(fault => `${lock.lock}: ${fault}`)), ...faults_of(runs)]);
  const root = section(place, 'Promises', 'Two holders of one key at once, rooms and duplicates of the burst, the ' +
    'time without a holder after it is killed, vanishes or is cut off; the best lock first.', {name: 'promises'});
  drawing.table(root, [['lock', 'two holders', 'duplicates', 'rooms', 'killed: ms without', 'at most ms',
    'vanished: ms without', 'cut: ms', 'two believe', 'leader dead: ms', 'burst p99 ms'],
    ...promises.map(row => [row.lock, String(row.holders), row.burst ? String(row.duplicates) : '–',
      row.burst ? `${row.rooms}/${row.needed}` : '–', short(row.gaps?.median), short(row.gaps?.most),
      short(row.vanished?.median), short(row.cut?.median), row.two_believe, short(row.leader?.median), short(row.p99)])]);
  make('p', root, 'soft small', 'Cut: the holder\'s bytes are lost while it hears the others. Two believe: the old holder ' +
    'does not know yet that it has lost the lock; the new holder is then told to fence. Leader dead: the longest time ' +
    'without a grant after the coordinator or the leading server is killed. It is "never" for a server that is alone, ' +
    'and "–" without a leader.');
  show_lock_bars(place, locks, runs);
  const figures = section(place, 'Figures', 'Medians over the rounds; longest and most over all of them. ' +
    'Contended: every master wants the same key, then one of many.', {name: 'figures'});
  drawing.table(figures, [['lock', 'fairness', 'overtaken', '1 key: per s', 'hand-overs/s', 'p50 µs', 'p99 µs', 'longest µs',
    'messages', 'many: per s', 'p50 µs', 'p99 µs'], ...locks.map(({lock, one_key: {median: one}, many_keys: {median: many}}) =>
    [lock, short(one?.fairness), short(one?.longest_overtaking), short(one?.per_second), short(one?.handovers_per_second),
      short(one?.wait_p50_us), short(one?.wait_p99_us), short(one && 1000 * one.longest_wait_ms), short(one?.messages),
      short(many?.per_second), short(many?.wait_p50_us), short(many?.wait_p99_us)])]);
  make('p', figures, 'soft small', 'Alone: acquire and release beside round trips to one peer and to all, in turns.');
  drawing.table(figures, [['lock', 'p50 µs', 'p99 µs', 'round trip µs', 'ratio', 'to all µs', 'ratio', 'messages', 'bytes'],
    ...locks.map(({lock, uncontended: {median: alone, ratio_p50, ratio_all_p50}}) => [lock, short(alone?.p50_us),
      short(alone?.p99_us), short(alone?.round_trip_p50_us), short(ratio_p50), short(alone?.round_trip_all_p50_us),
      short(ratio_all_p50), short(alone?.messages), short(alone && Math.round(alone.bytes))])]);
  show_origin(place, data, data.facts ?? []);
}

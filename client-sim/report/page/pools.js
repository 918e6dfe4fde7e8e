// Shows live runs of a mode with widening rules, beside a replay of the same players in simulated time.
/* global by_setting, count, curves, drawing, faults_of, locks_of, make, match_ms, moments,
   run_facts, runs_of, section, share_at, short, show_faults, show_origin, spread, spread_text, sum,
   with_lock, without_empty */
'use strict';

// Each column: name, figure of a live run, figure of the replay of that run.
const pool_columns = [
  ['too wide', run => run.pool.too_wide], ['needless', run => run.pool.needless],
  ['loose', run => run.pool.loose], ['seated twice', run => run.pool.seated_twice],
  ['requests', run => run.players, run => run.players],
  ['seated', run => run.seated, run => run.pool.replay?.seated],
  ['rooms', run => run.rooms, run => run.pool.replay?.rooms],
  ['refused', run => run.pool.refused_orders], ['decisions', run => run.pool.decisions],
  ['wait p50 ms', run => run.match_ms.p50, run => run.pool.replay?.wait_ms.p50],
  ['wait p90 ms', run => run.match_ms.p90, run => run.pool.replay?.wait_ms.p90],
  ['spread p50', run => run.pool.spread.p50, run => run.pool.replay?.spread.p50],
  ['spread p90', run => run.pool.spread.p90, run => run.pool.replay?.spread.p90],
  ['own late ms', run => run.own_lateness_ms.p99]];
const whole = value => Number.isFinite(value) ? Math.round(value) : value;

function pool_table(groups) {
  const rows = [['lock', 'setting', 'seeds', ...pool_columns.map(([name]) => name)]];
  for (const group of groups) {
    const row = (name, runs, figures) => rows.push([name, group.title, String(runs.length),
      ...figures.map(figure => figure ? spread_text(runs.map(run => whole(figure(run)))) : '–')]);
    for (const lock of locks_of(group.runs)) {
      row(lock, runs_of(group.runs, lock), pool_columns.map(([, live]) => live));
    }
    row('replay', runs_of(group.runs, group.runs[0].lock), pool_columns.map(([, , replayed]) => replayed));
  }
  return without_empty(rows);
}

// Draws the cumulative distribution of the values of each lock and of the replay.
function pool_curves(place, runs, {live, replayed, ...options}) {
  const lines = [...locks_of(runs).map(lock => [lock, runs_of(runs, lock).flatMap(run => live(run) ?? [])]),
    ['replay', runs_of(runs, runs[0].lock).flatMap(run => replayed(run) ?? [])]]
    .map(([lock, values]) => [lock, values.toSorted((a, b) => a - b)]).filter(([, values]) => values.length > 0);
  if (lines.length === 0) return;
  const x = moments(Math.max(...lines.map(([, values]) => values.at(-1))));
  curves(place, x, lines.map(([lock, values]) => ({lock, values: x.map(share_at(values))})), {...options, most: 100});
}

function show_pools(place, data) {
  const {runs} = data;
  const groups = by_setting(runs);
  make('h1', place, '', locks_of(runs).map((lock, index) => {
    const mine = runs_of(runs, lock);
    const needless = sum(mine.map(run => (run.pool.needless ?? 0) + (run.pool.loose ?? 0)));
    return `${index === 0 ? count(needless, 'needless room') : needless} ${with_lock(lock)}`;
  }).join(', '));
  make('p', place, 'soft', `${runs[0].players} requests ask ${count(runs[0].masters, 'master')} for a seat with others ` +
    `whose limits widen (${runs[0].arrival}). One decision at a time sees all of them, if a lock says whose; ` +
    'without one each master sees its own.');
  show_faults(place, faults_of(runs));
  drawing.table(section(place, 'In short', 'Needless: a room was ordered while another one could have taken one of ' +
    'its claims. Loose: two rooms of one decision could have been one. Too wide: beyond the limits of the moment. ' +
    'Refused: orders that workers took for void, since another master had fenced later. Replay: the same players in ' +
    'simulated time, where one planner sees all of them at once.', {name: 'in-short'}), pool_table(groups));
  for (const group of groups) {
    const suffix = group.title ? `-${group.title}` : '';
    if (group.title) make('h2', place, 'part', group.title);
    pool_curves(section(place, 'Waiting', 'After how long which share of those who got a seat had it, the boot of ' +
      'their room included.', {name: `pool-waiting${suffix}`}), group.runs, {x: 'milliseconds', y: 'percent',
      live: run => run.match_times_ms, replayed: run => run.pool.replay?.waits_ms});
    pool_curves(section(place, 'Who meets whom', 'In which share of the rooms the highest and the lowest number are ' +
      'no further apart.', {name: `pool-spread${suffix}`}), group.runs, {x: 'highest less lowest number',
      y: 'percent of the rooms', live: run => run.pool.spreads, replayed: run => run.pool.replay?.spreads});
  }
  show_origin(place, data, [['rules', data.rules], ...run_facts(runs)]);
}

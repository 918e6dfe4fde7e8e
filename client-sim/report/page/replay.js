// Shows the output of `fixkeep-lab replay --json`: the effect of widening rules on arrivals in simulated
// time. Two sets of rules stand side by side.
/* global curves, dashes, drawing, make, moments, section, share_at, short, show_origin,
   without_empty */
'use strict';

const three = ({p50, p90, p99}) => [p50, p90, p99].map(value => short(Math.round(value))).join(' / ');
const percent = (part, whole) => `${(whole === 0 ? 0 : 100 * part / whole).toFixed(1)} %`;

// Returns a table with a row for each index of the lists and a column for each set of rules.
function by_place(replays, place, first, list_of, cell) {
  const most = Math.max(...replays.map(replay => list_of(replay)?.length ?? 0));
  return [[place, ...replays.map(replay => replay.rules)], ...Array.from({length: most}, (_, row) =>
    [String(row + first), ...replays.map(replay => {
      const value = list_of(replay)?.[row];
      return value === undefined ? '' : cell(value);
    })])];
}

// Draws a chart for each set of rules: the median as a line, the range from the median to the 90th
// percentile as a band.
function tenths(place, replays, list_of, options) {
  const pair = make('div', place, 'pair');
  for (const replay of replays) {
    const list = list_of(replay);
    if (!list?.length) continue;
    const cell = make('div', pair);
    make('h3', cell, 'small', replay.rules);
    const wide = [...list, list.at(-1)];  // gives the last step the same width
    const low = wide.map(value => value.p50);
    curves(cell, wide.map((_, index) => index + options.first), [{lock: 'multiphase', label: 'median', values: low,
      low, high: wide.map(value => value.p90)}], {...options, step: true});
  }
}

function show_replay(place, data) {
  const replays = Array.isArray(data) ? data : data.replays;
  make('h1', place, '', replays.map(replay =>
    `${replay.rules}: ${percent(replay.seated, replay.players)} seated, half within ${short(Math.round(replay.wait_s.p50))} s`)
    .join('; '));
  make('p', place, 'soft', 'What the rules do to the same arrivals: who waits for how long, and who meets whom. ' +
    'Three numbers are the median, 90 % and 99 %.');
  drawing.table(section(place, 'In short', '', {name: 'in-short'}), without_empty([['', 'players', 'seated', 'left', 'refused',
    'rooms', 'filled', 'wait s', 'mean, no less than', 'spread', 'way ms', 'gap of teams', 'passed over',
    'within the p90 they were told'],
  ...replays.map(one => [one.rules, String(one.players), percent(one.seated, one.players), percent(one.left, one.players),
    percent(one.refused, one.players), String(one.rooms), `${(100 * one.filled).toFixed(1)} %`, three(one.wait_s),
    `${one.mean_wait_s.toFixed(1)}, ${one.least_mean_wait_s?.toFixed(1) ?? '?'}`, three(one.spread), three(one.latency_ms),
    one.gap ? three(one.gap) : '', String(one.passed_over), `${percent(one.told_right, one.told)} of ${one.told}`])]));
  if (replays[0].optimum) {
    drawing.table(section(place, 'Against hindsight', 'The first arrivals alone, and the pairs of least cost that ' +
      'anybody could have made who knew them all beforehand: distance, and lambda for each second of waiting.',
    {name: 'hindsight'}), [['', 'arrivals', 'lambda', 'distance', 'best', 'wait s', 'best', 'cost', 'best'],
      ...replays.filter(one => one.optimum).map(({rules, optimum: best}) => [rules, String(best.arrivals), short(best.lambda),
        three(best.distance), three(best.best_distance), three(best.wait_s), three(best.best_wait_s),
        short(Math.round(best.cost)), short(Math.round(best.best_cost))])]);
  }
  const known = replays.filter(replay => replay.waits_s?.length);
  if (known.length > 0) {
    const root = section(place, 'Waiting', 'After how many seconds which share of the tickets that were seated had ' +
      'its seat.', {name: 'waiting'});
    const x = moments(Math.max(...known.map(replay => replay.waits_s.at(-1))));
    const pair = make('div', root, 'pair');
    for (const replay of known) {
      const cell = make('div', pair);
      make('h3', cell, 'small', replay.rules);
      curves(cell, x, [{lock: 'multiphase', label: 'seated', values: x.map(share_at(replay.waits_s))}], {x: 'seconds', y: 'percent', most: 100});
    }
    tenths(section(place, 'By hour', 'Median of the waiting of those who came in the hour, and up to where 90 % had ' +
      'a seat.', {name: 'hours'}), replays, replay => replay.waits_by_hour_s, {x: 'hour', y: 'seconds', first: 0});
    if (replays.some(replay => replay.waits_by_decile_s?.length)) {
      tenths(section(place, 'By rating', 'The same by tenths of the first number: the lowest at the left.',
        {name: 'deciles'}), replays, replay => replay.waits_by_decile_s, {x: 'tenths', y: 'seconds', first: 1});
    }
    const figures = section(place, 'Figures', '', {name: 'figures'});
    const deciles = by_place(replays, 'tenth', 1, replay => replay.waits_by_decile_s, three);
    if (deciles.length > 1) drawing.table(figures, deciles);
    const left = by_place(replays, 'tenth, left', 1, replay => replay.left_by_decile, value => `${value.toFixed(1)} %`);
    if (left.length > 1) drawing.table(figures, left);
    drawing.table(figures, by_place(replays, 'hour', 0, replay => replay.waits_by_hour_s, three));
  }
  show_origin(place, data, data.facts ?? []);
}

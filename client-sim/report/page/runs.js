// Shows runs of `compare` and `load`: needless rooms and the waiting times of players. A run is an
// object from the output of `--json`. Figures that an older file lacks are left out.
/* global drawing */
'use strict';

const never = Infinity;
const stages = ['wait', 'ask', 'lock', 'fence', 'order', 'boot', 'news'];
const {make, short, count} = drawing;

// A lock has the same colour and dash on all pages. Add new locks at the end.
const styled_locks = ['none', 'multiphase', 'lamport', 'ricart-agrawala', 'maekawa', 'coordinator',
  'two-phase', 'redis', 'redlock', 'etcd', 'zookeeper', 'postgres',
  'kubernetes-lease', 'suzuki-kasami', 'tree-quorum', 'carvalho-roucairol',
  'naimi-trehel', 'raymond'];
const dashes = [[9, 4], [], [4, 3], [12, 3, 3, 3], [2, 3], [16, 5], [8, 3, 2, 3, 2, 3],
  [6, 3, 1, 3], [20, 4, 6, 4], [6, 6], [10, 2, 2, 2], [3, 6], [14, 3], [5, 2, 1, 2], [12, 2, 4, 2], [3, 3, 9, 3], [24, 2, 2, 2], [1, 4]];
function style_of(lock) {
  const place = styled_locks.indexOf(lock);
  return place < 0 ? styled_locks.length : place;
}
const ink_of = lock => `c${style_of(lock)}`;
const with_lock = lock => lock === 'none' ? 'without a lock' : `with ${lock}`;

function nearest_rank(sorted, percent) {
  return sorted[Math.max(0, Math.ceil(sorted.length * percent / 100) - 1)];
}

// Returns least, median and most. The median is a measured value, as everywhere in the project.
function spread(values) {
  const sorted = values.filter(value => value !== null && value !== undefined)
    .sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  return {least: sorted[0], median: nearest_rank(sorted, 50), most: sorted.at(-1)};
}
function span_text(values) {
  const span = spread(values);
  if (!span) return '–';
  return span.least === span.most ? short(span.median) : `${short(span.least)} – ${short(span.most)}`;
}
function spread_text(values) {
  const span = spread(values);
  if (!span) return '–';
  if (span.least === span.most) return short(span.median);
  return [span.least, span.median, span.most].map(short).join(' / ');
}

const unique = values => [...new Set(values)];
const locks_of = runs => unique(runs.map(run => run.lock));
const runs_of = (runs, lock) => runs.filter(run => run.lock === lock);
const sum = values => values.reduce((all, value) => all + value, 0);
const one_way = run =>
  run.one_way ?? (run.link_delay_ms === null || run.link_delay_ms === undefined ? '' : `${run.link_delay_ms} ms`);

// Returns a percentile of the time to match. The time of a player without a seat is infinite.
function match_ms(run, name) {
  const percent = {p50: 50, p90: 90, p99: 99, max: 100}[name];
  const place = Math.max(1, Math.ceil(run.players * percent / 100));
  if (place > run.seated) return never;
  const times = run.match_times_ms;
  if (!times?.length || run.seated === run.players) return run.match_ms[name];
  return nearest_rank(times, 100 * place / run.seated);
}

// Groups runs that differ only in lock and seed. Keeps the order of the runs.
function by_setting(runs) {
  const groups = new Map();
  for (const run of runs) {
    const name = JSON.stringify([run.arrival, one_way(run), run.jitter_ms, run.loss_percent]);
    if (!groups.has(name)) groups.set(name, {arrival: run.arrival, one_way: one_way(run), runs: []});
    groups.get(name).runs.push(run);
  }
  const all = [...groups.values()];
  const arrivals = unique(all.map(group => group.arrival)).length > 1;
  const apart = unique(all.map(group => group.one_way)).length > 1;
  for (const group of all) {
    group.title = [arrivals && group.arrival, apart && group.one_way && `${group.one_way} one way`]
      .filter(Boolean).join(', ');
  }
  return all;
}

// --- parts of the page --------------------------------------------------------------------------

// Adds a section. tests/browser/picture.js finds the section by its name.
function section(place, title, words = '', {name = '', folded = false} = {}) {
  let root = make('section', place);
  root.id = name.replaceAll(/[^a-z0-9.]+/g, '-').replace(/-$/, '');
  if (folded) {
    root = make('details', root);
    make('h2', make('summary', root), '', title);
  } else {
    make('h2', root, '', title);
  }
  if (words) make('p', root, 'soft small', words);
  return root;
}

const faults_of = runs => runs.flatMap(run =>
  [...run.faults ?? [], ...(run.warnings ?? []).map(text => `warning: ${text}`), ...run.complaints ?? []]
    .map(text => `${run.lock}, seed ${run.seed}${one_way(run) && `, ${one_way(run)} one way`}: ${text}`));

function show_faults(place, faults, most = 40) {
  if (faults.length === 0) return;
  const root = section(place, 'What went wrong', '', {name: 'faults'});
  for (const fault of faults.slice(0, most)) make('p', root, 'bad small', fault);
  if (faults.length > most) make('p', root, 'bad small', `and ${faults.length - most} more`);
}

function show_origin(place, data, facts) {
  const root = section(place, 'How this was made', '', {name: 'origin'});
  const list = make('dl', root);
  for (const [name, value] of [...facts, ['machine', data.machine], ['when', data.when]]) {
    if (value === null || value === undefined || value === '') continue;
    const entry = make('div', list);
    make('dt', entry, '', name);
    make('dd', entry, '', String(value));
  }
  if (!data.command) return;
  make('p', root, 'small', 'To reproduce:');
  make('pre', root, '', data.command);
}

function run_facts(runs) {
  const run = runs[0];
  const ms = value => value ? `${value} ms` : '';
  return [['masters', run.masters], ['workers', run.workers], ['players', run.players],
    ['groups', run.groups], ['seats of a room', run.capacity], ['boot of a game', ms(run.boot_ms)],
    ['runner of rooms', run.runner === 'process' ? '' : run.runner],
    ['one worker stopped for', ms(run.stopped_worker_ms)],
    ['one master stopped for', ms(run.stopped_master_ms)],
    ['one master killed for', ms(run.killed_master_ms)],
    ['one master cut off for', ms(run.cut_master_ms)],
    ['arrival', unique(runs.map(each => each.arrival)).join(', ')],
    ['one way', unique(runs.map(one_way)).filter(Boolean).join(', ')],
    ['jitter', ms(run.jitter_ms)], ['segments lost', run.loss_percent ? `${run.loss_percent} %` : ''],
    ['zones', run.zones], ['first seed', run.seed]];
}

// Draws a separate chart for each lock: the lines of many locks would hide each other.
function charts_apart(place, captions, lines_of, chart) {
  const pair = make('div', place, 'pair');
  for (const caption of captions) {
    const cell = make('div', pair);
    make('h3', cell, 'small', caption).style.color = `var(--${ink_of(caption)})`;
    chart(cell, lines_of(caption));
  }
}

// Draws curves over a shared x axis: {lock, values, low, high, label}. `label` is the lock's name by default.
// `low` and `high` are the edges of a band.
function curves(place, x, lines, options) {
  if (lines.length > 4 && !options.names) {
    return charts_apart(place, lines.map(line => line.lock), lock => lines.filter(line => line.lock === lock),
      (cell, own) => curves(cell, x, own, options));
  }
  const series = [{label: options.x, value: (_, at) => at === null ? '–' : options.names?.[at] ?? short(at)}];
  const data = [x];
  const bands = [];
  const paths = options.step ? uPlot.paths.stepped({align: 1}) : undefined;
  for (const {lock, label, values, low, high} of lines) {
    const stroke = drawing.ink(ink_of(lock));
    series.push({label: label ?? lock, stroke, dash: dashes[style_of(lock)], paths,
      points: {show: Boolean(options.names), size: 7, fill: stroke}});
    data.push(values);
    if (!low || low.every((value, at) => value === high[at])) continue;
    const edge = {unnamed: true, stroke: 'transparent', width: 0, paths};
    series.push(edge, {...edge});
    data.push(high, low);
    bands.push({series: [series.length - 2, series.length - 1], fill: `${stroke}2e`});
  }
  const reference = options.reference;
  if (reference) {
    series.push({label: reference.label, stroke: drawing.ink('text'), dash: [2, 4], width: 1.2});
    data.push(x.map(() => reference.value));
  }
  const y_most = Math.max(...data.slice(1).flat().filter(Number.isFinite), 1e-9);
  drawing.chart(place, {
    label: options.y, height: 280, bands, series,
    scales: {x: {time: false, range: options.names ? (_, least, most) => [least - 0.2, most + 0.2] : undefined},
      y: {range: () => [0, options.most ?? y_most * 1.08]}},
    axes: [{label: options.x, labelSize: 20, size: 34, splits: options.names && (() => x),
      values: options.names && ((_, at) => at.map(value => options.names[value]))},
    {label: options.y, labelSize: 20, size: 54}],
  }, data.map(values => values.map(value => Number.isFinite(value) ? value : null)));
}

// Returns evenly spaced times: enough for an exact curve, but no more than the columns of a screen.
function moments(most, steps = 500) {
  return Array.from({length: steps + 1}, (_, index) => most * index / steps);
}

// Returns a line for each lock: the median over the runs, with a band from the least to the most.
function lines_over(locks, runs, x, value_at) {
  return locks.map(lock => {
    const of_lock = runs_of(runs, lock).map(run => value_at(run)).filter(Boolean);
    const spans = x.map(at => spread(of_lock.map(value => value(at))));
    return {lock, values: spans.map(span => span?.median ?? null),
      low: spans.map(span => span?.least ?? null), high: spans.map(span => span?.most ?? null)};
  });
}

// Returns a function of `at`: the value of the last point at or before `at`.
function steps_at(points) {
  return at => {
    let [low, high] = [0, points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle][0] <= at) low = middle + 1; else high = middle;
    }
    return low === 0 ? 0 : points[low - 1][1];
  };
}

// Returns a function of `at`: the percentage of values at or below `at`. `share` is the fraction of
// all values that `sorted` contains.
function share_at(sorted, share = 1) {
  const points = sorted.map((value, index) => [value, 100 * share * (index + 1) / sorted.length]);
  return steps_at(points);
}

// --- sections -----------------------------------------------------------------------------------

function show_cards(place, runs) {
  const cards = make('div', place, 'cards');
  for (const lock of locks_of(runs)) {
    const mine = runs_of(runs, lock);
    const card = make('div', cards, 'card');
    card.style.borderTopColor = `var(--${ink_of(lock)})`;
    make('div', card, 'name', with_lock(lock));
    const twice = mine.map(run => run.duplicate_rooms);
    make('div', card, `big ${Math.max(...twice) > 0 ? 'bad' : 'good'}`, span_text(twice));
    make('div', card, 'soft', `duplicate rooms${mine.length > 1 ? ` a run, ${mine.length} seeds` : ''}`);
    make('div', card, 'small soft', `collisions ${span_text(mine.map(run => run.collisions))}; rooms ` +
      `${span_text(mine.map(run => run.rooms))}, needed ${span_text(mine.map(run => run.ideal_rooms))}`);
    const failed = [[sum(mine.map(run => run.players - run.seated)), 'players got no seat'],
      [sum(mine.map(run => run.turned_away ?? 0)), 'turned away with a valid seat'],
      [sum(mine.map(run => run.answered_late ?? 0)), 'seats answered too late'],
      [sum(mine.map(run => run.dropped ?? 0)), 'dropped'],
      [sum(mine.map(run => run.overbooked_seats ?? 0)), 'seats over capacity']]
      .filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
    if (failed.length > 0) make('div', card, 'small bad', failed.join(', '));
    const p99 = spread(mine.map(run => match_ms(run, 'p99'))).median;
    make('div', card, 'small soft', `time to match p99 ${short(p99)}${p99 === never ? '' : ' ms'}`);
  }
}

function show_over_distance(place, groups) {
  for (const arrival of unique(groups.map(group => group.arrival))) {
    const same = groups.filter(group => group.arrival === arrival);
    if (same.length < 2) continue;
    const runs = same.flatMap(group => group.runs);
    const root = section(place, 'Over the distance' + (same.length < groups.length ? `, ${arrival}` : ''),
      'Lines are medians over the seeds, bands reach from the least to the most. At 0 nodes connect ' +
      'directly; otherwise every message between them takes the delay.', {name: `over-distance-${arrival}`});
    const pair = make('div', root, 'pair');
    const figures = [['collisions a run', run => run.collisions],
      ['duplicate rooms a run', run => run.duplicate_rooms],
      ['wasted room-seconds a run', run => run.wasted_room_seconds],
      ['time to match, p50 (ms)', run => match_ms(run, 'p50')],
      ['time to match, p99 (ms)', run => match_ms(run, 'p99')]];
    const x = same.map((_, index) => index);
    for (const [y, figure] of figures) {
      const lines = lines_over(locks_of(runs), runs, x,
        run => at => same[at].runs.includes(run) ? figure(run) : null);
      curves(make('div', pair), x, lines, {x: 'delay of one way', y, names: same.map(group => group.one_way)});
    }
  }
}

const mean_stages = runs => {
  const told = runs.filter(run => run.stages_ms);
  const matches = sum(told.map(run => run.seated));
  return matches === 0 ? null :
    stages.map(stage => sum(told.map(run => run.stages_ms[stage] * run.seated)) / matches);
};

function show_stages(place, groups) {
  for (const arrival of unique(groups.map(group => group.arrival))) {
    const same = groups.filter(group => group.arrival === arrival);
    const rows = same.flatMap(group => locks_of(group.runs).map(lock => {
      const mine = runs_of(group.runs, lock);
      const parts = mean_stages(mine);
      return parts && {label: same.length > 1 ? `${lock}, ${group.one_way}` : lock, parts,
        text: short(sum(parts)), mark: mine[0].needed_ms};
    })).filter(Boolean);
    if (rows.length === 0) continue;
    const root = section(place, 'Where the time of a match goes' + (same.length < groups.length ? `, ${arrival}` : ''),
      'Means over all matches, as the masters tell them, in the order in which the stages follow each other.' +
      (rows.some(row => row.mark) ? ' The line is what the rules demand of a lone match that needs a room.' : ''),
      {name: `stages-${arrival}`});
    const legend = make('ul', root, 'legend');
    stages.forEach((stage, index) => {
      const entry = make('li', legend);
      make('i', entry, 'sample').style.background = `var(--p${index})`;
      entry.append(stage);
    });
    const most = Math.max(...rows.map(row => Math.max(sum(row.parts), row.mark ?? 0)));
    drawing.stacks(root, rows, {unit: 'ms, mean time to match', parts: stages, most: most * 1.06});
  }
}

function show_rooms(place, runs, suffix) {
  const locks = locks_of(runs);
  const needs_stay = runs[0].arrival !== 'churn';  // leaving players change the number of needed rooms
  const needed = runs[0].ideal_rooms;
  const reference = needs_stay ? {value: needed, label: `needed: ${short(needed)}`} : null;
  if (needs_stay) {
    const root = section(place, 'Rooms made and needed', 'Median of the seeds, and what they span. Every ' +
      'room beyond the line is one that nobody needed.', {name: `rooms-made${suffix}`});
    drawing.bars(root, locks.map(lock => {
      const rooms = runs_of(runs, lock).map(run => run.rooms);
      const {least, median, most} = spread(rooms);
      return {label: lock, ink: ink_of(lock), bars: [{value: median, low: least, high: most, text: span_text(rooms)}]};
    }), {unit: 'rooms', reference});
  }
  const drawn = runs.filter(run => run.curve?.length);
  if (drawn.length === 0) return;
  const polled = drawn.some(run => run.collisions === null);
  const root = section(place, 'Rooms over time', polled ?
    'Rooms that are starting or open, as a master listed them when it was asked now and then: the times ' +
    'are later than the true ones, because the events of some node are missing.' :
    'Rooms that are starting or open, by the events of the workers. Of several seeds the line is the ' +
    'median, the band spans them.', {name: `rooms-over-time${suffix}`});
  const x = moments(Math.max(...drawn.map(run => Math.max(run.load_ms, run.curve.at(-1)[0]))));
  curves(root, x, lines_over(locks, drawn, x, run => steps_at(run.curve)),
    {x: 'time since the first request (ms)', y: 'rooms', step: true, reference});
}

function show_collision(place, run, suffix) {
  const story = run.first_collision;
  const left_out = story.left_out > 0 ? ` ${story.left_out} steps further from the collision are left out.` : '';
  const root = section(place, `The first collision ${with_lock(run.lock)}`, `Group ${story.group}, seed ` +
    `${run.seed}. Room A had free seats when room B was ordered: the master that ordered B did not know ` +
    'of it. Times are ms since the first request, each by the clock of the node that told it.' + left_out,
  {name: `first-collision-${run.lock}${suffix}`});
  drawing.sequence(make('div', root, 'scroll'), story.nodes, story.steps);
}

function show_lives(place, run, suffix) {
  const {rooms, left_out, collided_left_out, end_ms} = run.timeline;
  const collided = rooms.filter(room => room.collided).length + collided_left_out;
  const root = section(place, `Every room ${with_lock(run.lock)}`, `Seed ${run.seed}: ${count(rooms.length + left_out, 'room')}, ` +
    `${collided} of them from orders that collided (red). The thin line is the order on its way, the pale ` +
    'bar the boot of the game, the full bar the open room.' +
    (left_out > 0 ? ` Left out: ${left_out}, of which ${collided_left_out} collided.` : ''),
  {name: `room-bars-${run.lock}${suffix}`, folded: collided === 0});
  const until = value => value ?? end_ms;
  const said = value => value === null ? 'not in the run' : `${value.toFixed(1)} ms`;
  drawing.lives(make('div', root), rooms.map(room => ({
    label: `${room.group}  ${room.master || '?'} → ${room.worker}`, ink: ink_of(run.lock), bad: room.collided,
    hint: `ordered ${said(room.ordered_ms)}, starting ${said(room.starting_ms)}, open ${said(room.open_ms)}, ` +
      `closed ${said(room.closed_ms)}`,
    spans: [{kind: 'ordered', from: until(room.ordered_ms ?? room.starting_ms), to: until(room.starting_ms)},
      {kind: 'starting', from: until(room.starting_ms), to: until(room.open_ms ?? room.closed_ms)},
      {kind: 'open', from: until(room.open_ms), to: until(room.closed_ms)}]})),
  {unit: 'ms since the first request', end: end_ms || 1});
}

function show_times(place, runs, suffix) {
  const drawn = runs.filter(run => run.match_times_ms?.length);
  if (drawn.length === 0) return;
  const root = section(place, 'Time to match', 'How many of all players had their seat after how long, ' +
    'retries and boot of the game included. Of several seeds the line is the median, the band spans them.',
  {name: `time-to-match${suffix}`});
  const x = moments(1.02 * Math.max(...drawn.map(run => run.match_times_ms.at(-1))));
  curves(root, x, lines_over(locks_of(drawn), drawn, x,
    run => share_at(run.match_times_ms, Math.min(1, run.seated / run.players))),
  {x: 'time to match (ms)', y: 'players seated (%)', most: 100});
}

function show_fill(place, runs, suffix) {
  const first = locks_of(runs).map(lock => runs_of(runs, lock)[0]).filter(run => run.fills?.length);
  if (first.length === 0) return;
  const root = section(place, 'Fill of each room', 'A bar for each room that was made with the first seed: ' +
    'its players when it was fullest, by group.', {name: `fill${suffix}`, folded: true});
  const pair = make('div', root, 'pair');
  for (const run of first) {
    const cell = make('div', pair);
    make('h3', cell, 'small', `${run.lock}: ${Math.round(100 * run.mean_fill)} % full on average; ` +
      `${run.fills.length < run.rooms ? `the first ${run.fills.length} of ` : ''}${count(run.rooms, 'room')}`);
    const bars = make('div', cell, 'fills');
    for (const [group, inside, seats] of run.fills) {
      const bar = make('i', bars);
      bar.title = `${group}: ${inside} of ${seats}`;
      bar.style.cssText = `height:${Math.min(100, 100 * inside / seats)}%;background:var(--${ink_of(run.lock)})`;
    }
  }
}

// --- tables -------------------------------------------------------------------------------------

const run_columns = [['duplicates', run => run.duplicate_rooms], ['collisions', run => run.collisions],
  ['overbooked', run => run.overbooked_seats], ['leaked', run => run.leaked_seats],
  ['turned away', run => run.turned_away], ['errors', run => run.errors], ['dropped', run => run.dropped],
  ['seated', run => run.seated], ['rooms', run => run.rooms], ['ideal', run => run.ideal_rooms],
  ['wasted room-s', run => run.wasted_room_seconds],
  ['fill', run => 100 * run.mean_fill], ['p50 ms', run => match_ms(run, 'p50')],
  ['p99 ms', run => match_ms(run, 'p99')], ['own late ms', run => run.own_lateness_ms?.p99]];
const rate_columns = [['collisions/h', run => run.collisions_per_hour],
  ['duplicates/h', run => run.duplicates_per_hour],
  ['collisions/1000 matches', run => run.collisions_per_1000_matches],
  ['duplicates/1000 matches', run => run.duplicates_per_1000_matches],
  ['matches', run => run.seated], ['load ms', run => run.load_ms]];

function rows_by_lock(groups, columns) {
  const rows = [['lock', 'setting', 'seeds', ...columns.map(([name]) => name)]];
  for (const group of groups) {
    for (const lock of locks_of(group.runs)) {
      const mine = runs_of(group.runs, lock);
      rows.push([lock, group.title, String(mine.length),
        ...columns.map(([, figure]) => spread_text(mine.map(figure)))]);
    }
  }
  return without_empty(rows);
}

// Removes empty columns.
function without_empty(rows) {
  const kept = rows[0].map((_, column) => rows.slice(1).some(row => row[column] !== ''));
  return rows.map(row => row.filter((_, column) => kept[column]));
}

function show_figures(place, runs, groups) {
  const root = section(place, 'Figures', '', {name: 'figures'});
  const repeated = groups.some(group => group.runs.length > locks_of(group.runs).length);
  if (repeated) {
    make('p', root, 'soft small', 'Over the seeds: least / median / most, or one number where all seeds have ' +
      'the same. A time is "never" if so many players got no seat.');
    drawing.table(root, rows_by_lock(groups, run_columns));
  }
  const churn = groups.filter(group => group.arrival === 'churn');
  if (churn.length > 0) {
    make('p', root, 'soft small', 'While players come and go: how often orders collided and duplicates were ' +
      'made, in an hour of such load and in 1000 matches.');
    drawing.table(root, rows_by_lock(churn, rate_columns));
  }
  const most = 120;
  make('p', root, 'soft small', 'Each run. Turned away: players whose seat was valid and whose room refused ' +
    'them. Dropped: players whose room closed the connection under them. Own late: the p99 of how late ' +
    'client-sim itself was; times are right to within as much.' +
    (runs.length > most ? ` The first ${most} runs of ${runs.length}.` : ''));
  drawing.table(root, without_empty([['lock', 'seed', 'setting', ...run_columns.map(([name]) => name)],
    ...groups.flatMap(group => group.runs.map(run => [run.lock, String(run.seed), group.title,
      ...run_columns.map(([, figure]) => short(figure(run)))])).slice(0, most)]));
}

// Sums over all runs, such as "52 duplicate rooms without a lock, 0 with multiphase".
function headline_of(runs) {
  const twice = new Map(locks_of(runs).map(lock =>
    [lock, sum(runs_of(runs, lock).map(run => run.duplicate_rooms))]));
  const parts = [...twice].map(([lock, rooms]) => [rooms, with_lock(lock)]);
  const others = parts.filter(([, name]) => name !== 'without a lock');
  const words = ([rooms, name], index) => `${index === 0 ? count(rooms, 'duplicate room') : rooms} ${name}`;
  if (others.length < 4) return parts.map(words).join(', ');
  const most = Math.max(...others.map(([rooms]) => rooms));
  const rest = [most, `${most === 0 ? 'with each' : 'at most with any'} of ${others.length} locks`];
  return [...parts.filter(([, name]) => name === 'without a lock'), rest].map(words).join(', ');
}

function show_runs(place, data) {
  const {runs} = data;
  const first = runs[0];
  const groups = by_setting(runs);
  make('h1', place, '', headline_of(runs));
  make('p', place, 'soft', `${first.players} players in ${count(first.groups, 'group')} ask ${count(first.masters, 'master')} ` +
    `for seats (${unique(runs.map(run => run.arrival)).join(', ')}); a room has ${first.capacity} seats. ` +
    `${count(runs.length, 'run')}, of which the headline is the sum.`);
  show_faults(place, faults_of(runs));
  if (first.events_missing) {
    make('p', place, 'soft small', 'Without the events of all nodes collisions are not known, and rooms are as ' +
      `they were polled: ${first.events_missing}.`);
  }
  for (const group of groups) {
    if (group.title) make('h2', place, 'part', group.title[0].toUpperCase() + group.title.slice(1));
    show_cards(place, group.runs);
  }
  show_over_distance(place, groups);
  show_stages(place, groups);
  for (const group of groups) {
    const suffix = group.title ? `-${group.title}` : '';
    if (group.title) make('h2', place, 'part', group.title[0].toUpperCase() + group.title.slice(1));
    show_rooms(place, group.runs, suffix);
    for (const lock of locks_of(group.runs)) {
      const run = runs_of(group.runs, lock).find(each => each.timeline);  // one run with a timeline of its rooms
      if (run?.first_collision) show_collision(place, run, suffix);
      if (run) show_lives(place, run, suffix);
    }
    show_times(place, group.runs, suffix);
    show_fill(place, group.runs, suffix);
  }
  show_figures(place, runs, groups);
  show_origin(place, data, run_facts(runs));
}

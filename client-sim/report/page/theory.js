// Shows the output of `fixkeep-lab theory --json`: what each lock of the mesh costs in simulated time, beside
// the formulas of its paper.
/* global charts_apart, count, curves, drawing, make, moments, section, share_at, short, show_faults, show_origin, unique */
'use strict';

const beside = ({measured, expected, bound}) =>
  expected === undefined ? short(measured) : `${short(measured)} (${bound ? '≤ ' : ''}${short(expected)})`;

function masters_chart(root, points, value_of, y) {
  const x = unique(points.map(point => point.masters)).sort((a, b) => a - b);
  const lines = unique(points.map(point => point.lock)).map(lock => ({lock, values: x.map(masters => {
    const point = points.find(each => each.lock === lock && each.masters === masters);
    return point ? value_of(point) : null;
  })}));
  curves(root, x.map((_, at) => at), lines, {x: 'masters', y, names: x.map(String)});
}

function show_theory(place, data) {
  const {points, curves: loads, sources, faults} = data.theory;
  make('h1', place, '', faults.length === 0 ?
    `${count(sources.length, 'lock')}: every count agrees with its formula` : `${count(faults.length, 'count')} beside the formula`);
  make('p', place, 'soft', 'Masters with the locks of production, in simulated time. Every message takes one flight, and ' +
    'nothing fails. Light: one master at a time wants the key. Heavy: every master wants it again at once.');
  show_faults(place, faults);
  drawing.table(section(place, 'What the papers say', 'N masters; K masters in a quorum. Messages of a hold; the delay is the ' +
    'time from a release to the next grant, in flights.', {name: 'papers'}), [['lock', 'light', 'heavy', 'delay', 'source'],
    ...sources.map(({lock, light, heavy, delay, source}) => [lock, light, heavy, delay, source])]);
  for (const {lock, note} of sources.filter(each => each.note)) make('p', place, 'soft small', `${lock}: ${note}`);
  masters_chart(section(place, 'Messages over masters', 'Messages of a hold without contention.', {name: 'messages'}),
    points, point => point.light_messages.measured, 'messages');
  masters_chart(section(place, 'Bytes over masters', 'Bytes of a hold if all masters always wait.', {name: 'bytes'}),
    points, point => point.heavy_bytes, 'bytes');
  const x = loads[0].points.map(point => point.load);
  curves(section(place, 'Response time over load', 'Mean time from a request to its grant, in flights. Requests arrive as a ' +
    'Poisson process; load 1 is the most that the lock can serve. The band is the 95 % interval of the mean.', {name: 'load'}), x,
  loads.map(({lock, points: own}) => ({lock, values: own.map(point => point.response_flights),
    low: own.map(point => point.response_flights - point.error), high: own.map(point => point.response_flights + point.error)})),
  {x: 'load', y: 'flights'});
  const known = loads.filter(each => each.responses_flights?.length);
  charts_apart(section(place, 'Waits at load 0.8', 'The share of requests that were granted within a time.', {name: 'waits'}),
    known.map(each => each.lock), lock => known.find(each => each.lock === lock).responses_flights, (cell, times) => {
      const lock = known.find(each => each.responses_flights === times).lock;
      const at = moments(times.at(-1));
      curves(cell, at, [{lock, values: at.map(share_at(times))}], {x: 'flights', y: 'percent', most: 100});
    });
  drawing.table(section(place, 'Figures', 'Formulas in brackets. Fairness is Jain\'s index of the masters\' grants; overtaken: most ' +
    'grants to others during one wait.', {name: 'figures'}), [['lock', 'masters', 'light: messages', 'heavy: messages', 'heavy: bytes',
    'light: response', 'heavy: delay', 'fairness', 'overtaken'], ...points.map(point => [point.lock, short(point.masters),
    beside(point.light_messages), beside(point.heavy_messages), short(point.heavy_bytes), short(point.light_response_flights),
    beside(point.delay_flights), short(point.fairness), short(point.longest_overtaking)])]);
  show_origin(place, data, data.facts ?? []);
}

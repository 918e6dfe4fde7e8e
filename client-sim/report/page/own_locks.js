// Shows the output of `fixkeep-lab lock --json`: what happened to locks that other people wrote, without
// a fault and with each fault.
/* global count, drawing, make, never, section, short, show_faults, show_origin, spread */
'use strict';

const fault_words = {none: 'nothing fails', delay: 'messages are late', stop: 'the holder stops for a time',
  kill: 'the holder is killed', cut: 'messages are lost for a time'};
const gaps_of_row = row => spread([...row.no_holder_ms, ...Array(row.never_granted).fill(never)]);
const longest_wait = row => Math.max(0, row.open_wait_ms, ...row.wait_ms.slice(-1));

function show_own_lock(place, {name, rows}) {
  const root = section(place, name, '', {name: `own-${name}`});
  drawing.table(root, [['fault', 'holds', 'lost', 'overlaps', 'overlap ms', 'stale writes', 'past the fence', 'wait p50 ms',
    'longest wait', 'no holder ms', 'longest', 'messages a hold'], ...rows.map(row => {
    const gaps = gaps_of_row(row);
    return [fault_words[row.fault] ?? row.fault, short(row.holds), short(row.lost), short(row.overlaps),
      short(row.two_believers_ms), short(row.stale_writes), row.tokens > 0 ? short(row.past_the_fence) : 'no token',
      short(spread(row.wait_ms)?.median), short(longest_wait(row)), short(gaps?.median), short(gaps?.most),
      short(row.messages / Math.max(1, row.holds))];
  })]);
}

function fault_bars(place, locks, fault) {
  const rows = locks.map(({name, rows: all}, index) => {
    const row = all.find(each => each.fault === fault);
    const gaps = row && gaps_of_row(row);
    return {label: name, ink: `c${index + 1}`, bars: [gaps?.median, gaps?.most].map(value => ({value: value ?? null}))};
  });
  if (!locks.some(({rows: all}) => all.some(each => each.fault === fault))) return;
  const root = section(place, `Time without a holder: ${fault_words[fault]}`,
    'From the fault to the next grant of the key.', {name: `gap-${fault}`});
  if (!rows.some(row => row.bars.some(bar => bar.value > 0))) {
    make('p', root, 'soft', 'None: at each fault, another node held the key as well.');
    return;
  }
  drawing.bars(root, rows, {unit: 'ms', series: ['median', 'longest'], logarithmic: true});
}

function show_own_locks(place, data) {
  const locks = data.own_locks;
  const caught = locks.filter(lock => lock.faults.length > 0);
  make('h1', place, '', caught.length === 0 ? `${count(locks.length, 'lock')}: no fault found` :
    `Caught: ${caught.map(lock => lock.name).join(', ')}`);
  make('p', place, 'soft', 'Nodes contend for a key. Two believers: two nodes that were told "acquired", and of which ' +
    'neither was told that it lost the key. A stale write comes from a node after another node was granted the key; the ' +
    'fence refuses a write whose token is too old.');
  show_faults(place, locks.flatMap(lock => lock.faults.map(fault => `${lock.name}: ${fault}`)));
  for (const lock of locks) show_own_lock(place, lock);
  for (const fault of ['kill', 'stop']) fault_bars(place, locks, fault);
  const remarks = locks.flatMap(lock => lock.remarks.map(remark => `${lock.name}: ${remark}`));
  if (remarks.length > 0) {
    const root = section(place, 'During faults', '', {name: 'remarks'});
    for (const remark of remarks) make('p', root, 'small', remark);
  }
  show_origin(place, data, data.facts ?? []);
}

// Reads what real processes did, as JSON lines, for Recording: the history of `fixkeep-lab lock --history`,
// or the events of `fixkeep-client-sim compare --events`.
//
// An event of a master gives the times of its question and of the answer. The worker's time is
// unknown: this reader puts it in the middle.
/* global RecordingMaker, lanes_of */
/* exported read_recorded */
'use strict';

const read_recorded = (() => {
  const lines_most = 300_000;

  function events_of(text) {
    const lines = text.split('\n').filter(Boolean);
    if (lines.length > lines_most) throw new Error(`it has more than ${lines_most} lines`);
    return lines.map((line, index) => {
      try {
        const event = JSON.parse(line);
        if (typeof event.node === 'string' && Number.isFinite(event.at_us)) return event;
      } catch { /* see below */ }
      throw new Error(`line ${index + 1} is no event with "node" and "at_us"`);
    });
  }

  // --- a history of a lock's nodes -----------------------------------------------------------------

  const plain = {'asks': 'asks', 'acquired': 'granted', 'refused by the fence': 'gave-up', 'release': 'released', 'lost': 'lost-it',
    'error': 'gave-up', 'stopped': 'stopped', 'continued': 'continued', 'killed': 'killed', 'started': 'started'};

  function history(all, wanted) {
    const keys = [...new Set(all.map(each => each.key).filter(Boolean))];
    const key = keys.includes(wanted) ? wanted : keys[0] ?? '';
    const trial = all.find(each => each.key === key) ?? all[0];
    const mine = all.filter(each => each.fault === trial.fault && each.seed === trial.seed && (each.key ?? key) === key);
    const names = lanes_of(mine.map(each => each.node));
    const maker = new RecordingMaker(names, 0);
    maker.link_all();
    const from = new Map();
    mine.forEach((each, index) => {
      const node = names.indexOf(each.node) + 1;
      const {at_us: at, what, message} = each;
      if (what === 'sent') {
        from.set(message, node);
        maker.sent(at, node, names.indexOf(each.to) + 1, {key: message, what: `${each.type ?? 'a message'}`});
      } else if (what === 'arrived' || what === 'dropped') {
        maker.arrived(at, from.get(message), node, message, what);
      } else if (what.startsWith('cut') || what === 'healed') {
        for (let other = 1; other <= names.length; ++other) if (other !== node) cut(maker, at, node, other, what);
      } else if (plain[what]) {
        maker.record(at, plain[what], node, {token: each.token ?? '(none)'});
        if (what === 'acquired') maker.change(node, () => ({token: `${each.token ?? ''}`}));
      }
      maker.end_step(at, index + 1);
    });
    return {...maker.made(), keys, key, label: 'Key', lock: 'own lock', head: `${mine.length} events of the trial ${key}`, note: ''};
  }

  function cut(maker, at, node, other, what) {
    const heals = what === 'healed';
    const ways = [...what === 'cut from it' ? [] : [[other, node]], ...what === 'cut to it' ? [] : [[node, other]]];
    for (const [from, to] of ways) {
      maker.record(at, heals ? 'healed' : 'cut', from, {peer: to});
      maker.change(from, each => ({up: [...each.up.filter(peer => peer !== to), ...heals ? [to] : []]}));
    }
  }

  // --- events of masters and workers -----------------------------------------------------------------

  const questions = {'fence-asked': ['Fence', 'fence-answered', () => 'Promise'], 'seats-asked': ['Seats?', 'seats-answered', () => 'Seats'],
    'room-ordered': ['Order', 'order-answered', each => each.accepted ? 'Accepted' : 'Refused']};

  // The groups of each run: those with the most rooms first.
  function groups_of(all) {
    const rooms = new Map();
    for (const each of all.filter(event => event.event === 'room-ordered')) {
      const key = `${each.run ?? 'run'}: ${each.group}`;
      rooms.set(key, (rooms.get(key) ?? 0) + 1);
    }
    const runs = [...new Set(all.map(each => each.run ?? 'run'))];
    const run_of = key => runs.findIndex(run => key.startsWith(`${run}: `));
    return [...rooms].toSorted(([a, m], [b, n]) => run_of(a) - run_of(b) || n - m || (a < b ? -1 : 1));
  }

  function acts_of(events, group) {
    const room_group = new Map(events.filter(each => each.room && each.event === 'room-changed')
      .map(each => [`${each.node} ${Number(each.room.split('-').at(-1))}`, each.group]));
    const answers = new Map();
    for (const each of events) if (each.event.endsWith('-answered')) answers.set(`${each.node} ${each.worker} ${each.request} ${each.event}`, each);
    const acts = [];
    for (const each of events) {
      const {node, at_us: at, event, worker} = each;
      const mine = each.group ?? (event === 'seats-asked' ? room_group.get(`${worker} ${each.room}`) : null);
      if (event === 'killed') acts.push({at, do: (maker, id) => maker.record(at, 'killed', id(node))});
      if (mine !== group) continue;
      const [name, answer_name, title] = questions[event] ?? [];
      if (name) {
        const answer = answers.get(`${node} ${worker} ${each.request} ${answer_name}`);
        const key = `${event} ${each.request}`;
        acts.push({at, do: (maker, id) => maker.sent(at, id(node), id(worker), {key, what: name})});
        if (!answer) continue;
        const middle = Math.round((at + answer.at_us) / 2);
        acts.push({at: middle, do: (maker, id) => {
          maker.arrived(middle, id(node), id(worker), key);
          maker.sent(middle, id(worker), id(node), {key, what: title(answer)});
        }}, {at: answer.at_us, do: (maker, id) => maker.arrived(answer.at_us, id(worker), id(node), key)});
      } else {
        acts.push({at, do: (maker, id) => state_of_node(maker, id(node), each)});
      }
    }
    return acts.toSorted((a, b) => a.at - b.at);
  }

  function state_of_node(maker, node, each) {
    const {at_us: at, event} = each;
    if (event === 'lock-wanted') maker.record(at, 'asks', node);
    if (event === 'lock-left') maker.record(at, 'released', node);
    if (event === 'lock-granted') {
      const token = `${each.counter}.m${each.master}`;
      maker.record(at, 'granted', node, {token});
      maker.change(node, () => ({token}));
    }
    if (event === 'room-changed') {
      maker.record(at, 'room', node, {text: `room ${each.room.split('-').at(-1)} is ${each.phase}, ${each.taken} of ${each.capacity} seats taken`});
    }
  }

  function run(all, wanted) {
    const groups = groups_of(all);
    if (groups.length === 0) throw new Error('no event in it is an order of a room');
    const keys = groups.map(([key]) => key);
    const key = keys.includes(wanted) ? wanted : keys[0];
    const name = all.map(each => each.run ?? 'run').find(each => key.startsWith(`${each}: `));
    const mine = all.filter(each => (each.run ?? 'run') === name);
    const names = lanes_of(mine.flatMap(each => each.worker ? [each.node, each.worker] : [each.node]));
    const first = mine.reduce((least, each) => Math.min(least, each.at_us), Infinity) - 1000;
    const acts = acts_of(mine.map(each => ({...each, at_us: each.at_us - first})), key.slice(name.length + 2));
    const maker = new RecordingMaker(names, 0);
    maker.link_all();
    acts.forEach((each, index) => {
      each.do(maker, node => names.indexOf(node) + 1);
      maker.end_step(each.at, index + 1);
    });
    return {...maker.made(), keys, key, label: 'Group', words: new Map(groups.map(([each, rooms]) => [each, `${each}, ${rooms} rooms ordered`])),
      lock: name.split(/[ ,]/)[0], head: `${mine.length} events of the run ${name}`,
      note: 'A worker\'s answer leaves here in the middle between the master\'s question and the arrival of the answer.'};
  }

  // Throws an Error with the mistake. `key`: what the recording shows; by default its first key.
  return (text, key = '') => {
    const all = events_of(text);
    return all.some(each => each.event) ? run(all, key) : history(all, key);
  };
})();

// The lessons: schedules with two sentences each. `plan` is the text that the page's address has. A
// lesson plays from `from_us` to `until_us`; the state then has the values of `ends`.
'use strict';

const lessons = (() => {
  const at = (ms, ...acts) => acts.map(act => `0@${Math.round(ms * 1000)}.${act}`);
  const lesson = (id, title, text, settings, from_ms, until_ms, commands, ends, pick) => ({
    id, title, text, from_us: from_ms * 1000, until_us: until_ms * 1000, ends, pick,
    plan: settings + (commands.length ? `&do=${commands.join('~')}` : ''),
  });
  // A schedule of the model checker: all links keep their messages, and each act comes `gap` ms after the
  // one before. `1>2` delivers the next message of m1 to m2. `heal` heals all links. After the last act, the
  // lesson plays for `rest` ms more.
  const checked = (id, title, text, settings, masters, acts, ends, {gap = 60, rest = 0} = {}) => {
    const begins = 300;
    const ids = Array.from({length: masters}, (_, index) => index + 1);
    const holds = ids.flatMap(a => ids.filter(b => b !== a).map(b => `hold.${a}.${b}`));
    const steps = acts.split(' ').flatMap((act, index) => at(begins + gap * index,
      ...act === 'heal' ? holds.map(each => each.replace('hold', 'heal')) : [act.replace(/^(\d)>(\d)$/, 'deliver.$1.$2')]));
    return lesson(id, title, text, `${settings}&masters=${masters}&players=hand&fence=off`, begins - 60,
      begins + gap * acts.split(' ').length + rest, [...at(begins - 50, ...holds), ...steps], ends);
  };
  const hand = 'masters=3&players=hand';
  const first_asks = at(200, 'ask.1');

  return [
    lesson('turns', 'Masters take turns',
      'A master with players asks all others and waits for their answers. Only one bar is thick at any time: the holder.',
      'masters=3&seed=4', 60, 1500, [], {most_holders: 1}),
    lesson('none', 'No lock: two holders',
      'Without a lock each master decides alone. While the band is red, both hold, and both order a room for the same players. The worker refuses the order with the lower token; without the fence it accepts both.',
      'lock=none&masters=3&seed=1', 60, 1200, [], {most_holders: 2}),
    lesson('killed', 'The holder is killed',
      'm1 dies with the lock, and its machine closes the links. m2 then needs no answer of m1. It sends Fence before it works: if an order of m1 is still on its way, the worker refuses it.',
      hand, 150, 700, [...first_asks, ...at(300, 'ask.2'), ...at(420, 'kill.1')], {most_holders: 1, holders: [2]}, '1'),
    lesson('stopped', 'A stopped holder, and the fence',
      'm1 stops while it holds; after 400 ms of silence the others go on without it. The new holder m2 sends Fence. When m1 continues, it still believes that it holds, and the worker refuses its lower token.',
      hand, 150, 1300, [...first_asks, ...at(330, 'ask.2'), ...at(400, 'stop.1'), ...at(1100, 'leave.2'),
        ...at(1150, 'continue.1'), ...at(1160, 'leave.1')], {most_holders: 2, refused: 1, stale: 0}, '1'),
    lesson('unfenced', 'The same without the fence',
      'The schedule is the same, but m2 sends no Fence, and the worker does not compare tokens. m1 overwrites what m2 wrote, and no master notices it.',
      `${hand}&fence=off`, 150, 1300, [...first_asks, ...at(330, 'ask.2'), ...at(400, 'stop.1'), ...at(1100, 'leave.2'),
        ...at(1150, 'continue.1'), ...at(1160, 'leave.1')], {most_holders: 2, refused: 0, stale: 1}, '1'),
    lesson('lease', 'The lease ends while the holder is stopped',
      'm1 stops for longer than its lease: the longest hold, one second. It sees this first when it continues, and writes nothing.',
      hand, 150, 1750, [...first_asks, ...at(330, 'ask.2'), ...at(400, 'stop.1'), ...at(1600, 'continue.1')],
      {refused: 0, stale: 0, holders: [2]}, '1'),
    lesson('late', 'A late order',
      'The way from m1 to the worker is slow, so the write of m1 arrives after that of m2. The lock cannot stop a message that is on its way; the token can.',
      hand, 150, 1950, [...at(180, 'slow.1.0.700'), ...first_asks, ...at(1030, 'leave.1'), ...at(1040, 'ask.2'), ...at(1120, 'leave.2')],
      {most_holders: 1, refused: 1}, '0-1'),
    lesson('one-way', 'A cut in one direction',
      'm2 hears nothing from m1 and closes the link after 400 ms. Both go on without the other one, and the worker decides: it refuses the lower token.',
      hand, 150, 900, [...at(250, 'cut.1.2'), ...at(300, 'ask.2'), ...at(500, 'ask.1')], {most_holders: 2, holders: [2], refused: 1, stale: 0}, '1-2'),
    lesson('split', 'The mesh splits',
      'm1 and the others lose each other, and both sides go on: two holders. Each holder must send Fence, so the worker refuses the lower token; with equal numbers the name decides.',
      hand, 150, 1450, [...at(220, 'cut.1.2', 'cut.2.1', 'cut.1.3', 'cut.3.1'), ...at(800, 'ask.1'), ...at(860, 'ask.2'),
        ...at(1300, 'leave.2'), ...at(1350, 'leave.1')], {most_holders: 2, stale: 0}, '1-2'),
    checked('rounds', 'Without rounds: two holders',
      'Both masters ask, give up and ask again. The answer to each first question comes late, and its master takes it for an answer to the second question. (Messages show their numbers; here the masters ignore them.)',
      'without=rounds', 2, 'ask.1 leave.1 ask.2 leave.2 1>2 1>2 ask.2 2>1 ask.1 1>2 2>1 2>1', {most_holders: 2}),
    checked('with-rounds', 'The same with rounds',
      'The same schedule with the rule; then the links heal. The late answer names round 1, so it is ignored, and the masters hold one after the other.',
      'lock=multiphase', 2, 'ask.1 leave.1 ask.2 leave.2 1>2 1>2 ask.2 2>1 ask.1 1>2 2>1 2>1 heal leave.1 leave.2', {most_holders: 1}),
    checked('gated', 'Without the gated reset',
      'm2 lurks behind m1 and m3. It has not asked, so it has said yes to m3. m1 gives up, and its LockReset wakes m2, which asks. m3 asks too, but m2 has the lower name, so m3 says yes: both have all answers.',
      'without=gated-reset', 3, 'ask.1 1>2 ask.2 2>1 ask.3 1>3 3>1 leave.1 3>2 1>2 2>1 1>2 2>3 2>3 1>3 3>2', {most_holders: 2}),
    checked('with-gate', 'The same with the gated reset',
      'With the rule a lurking master asks only when every master that asked has sent its LockReset. m2 lurks until m3 has held the lock.',
      'lock=multiphase', 3, 'ask.1 1>2 ask.2 2>1 ask.3 1>3 3>1 leave.1 3>2 1>2 2>1 1>2 2>3 2>3 1>3 3>2 heal leave.3', {most_holders: 1, holders: [2]}, {rest: 120}),
    lesson('hello', 'Two masters that start alone',
      'Both masters ask before they have heard of each other. The rule hello makes a new master wait for the greeting of every other master; here it is left out.',
      'masters=2&players=hand&without=hello&fence=off', 0, 400, at(5, 'ask.1', 'ask.2'), {most_holders: 2}),
    lesson('quorum', 'Maekawa: one holder in every split',
      'A master asks only its quorum, and two quorums share a master. m4 is alone after the split, so it waits: some masters get no lock, but there are never two holders.',
      'lock=maekawa&masters=4&players=hand', 150, 1500, [...at(220, ...[1, 2, 3].flatMap(a => [`cut.${a}.4`, `cut.4.${a}`])),
        ...at(800, 'ask.1', 'ask.4')], {most_holders: 1, holders: [1], queue: [4]}, '4'),
    lesson('coordinator', 'The coordinator dies',
      'm1 hands out the lock. After its death m2 takes over, but it waits until every lease is over: a holder that it does not know may be alive.',
      'lock=coordinator&masters=3&players=hand', 150, 2200, [...at(200, 'ask.2'), ...at(420, 'leave.2'), ...at(500, 'kill.1'), ...at(560, 'ask.3')],
      {most_holders: 1, holders: [3]}, '1'),
    lesson('tree', 'A tree: two paths replace the root',
      'A quorum is a path from the root m1 to a leaf. m1 dies, so m2 needs both paths below the root: the votes of m2 and m3.',
      'lock=tree-quorum&masters=3&players=hand', 150, 1150, [...at(200, 'ask.3'), ...at(420, 'leave.3'), ...at(500, 'kill.1'), ...at(1000, 'ask.2')],
      {most_holders: 1, holders: [2]}, '1'),
    lesson('remembered', 'Permissions that last',
      'After its first hold, which has a fence, m1 asks both others again; then it enters without a message. When m2 asks, the answer of m1 ends the permission of m2, so the next time m1 asks only m2.',
      'lock=carvalho-roucairol&masters=3&players=hand', 150, 1600, [...at(200, 'ask.1'), ...at(450, 'leave.1'), ...at(550, 'ask.1'),
        ...at(800, 'leave.1'), ...at(900, 'ask.1'), ...at(950, 'leave.1'), ...at(1050, 'ask.2'), ...at(1400, 'leave.2'), ...at(1500, 'ask.1')],
      {most_holders: 1, holders: [1]}, '1-2'),
    lesson('token', 'A token: its owner asks nobody',
      'Only the owner of the token may hold the lock. Before its second hold m1 sends Elect, because the others do not know its Fence yet. The third hold needs no message. Then m2 asks and gets the token.',
      'lock=suzuki-kasami&masters=3&players=hand', 150, 1200, [...at(200, 'ask.1'), ...at(450, 'leave.1'), ...at(550, 'ask.1'),
        ...at(800, 'leave.1'), ...at(900, 'ask.1'), ...at(1000, 'leave.1'), ...at(1100, 'ask.2')], {most_holders: 1, holders: [2]}, '1'),
    lesson('token-lost', 'The token dies with its holder',
      'm1 is killed with the token while m2 waits. m2 sends Elect, and m3 promises to refuse every older token. The promises of all living masters are a new token, and its first holder sends Fence.',
      'lock=suzuki-kasami&masters=3&players=hand', 150, 600, [...at(200, 'ask.1'), ...at(330, 'ask.2'), ...at(450, 'kill.1')],
      {most_holders: 1, holders: [2]}, '1'),
    lesson('path', 'A request follows a path',
      'Each master asks only the master that probably asked last. m3 asks m1, but m2 has asked since, so m1 forwards the request to m2. m1 now knows that m3 asked last, and its next request goes directly to m3.',
      'lock=naimi-trehel&masters=3&players=hand', 150, 1450, [...at(200, 'ask.1'), ...at(500, 'leave.1'), ...at(600, 'ask.2'), ...at(850, 'leave.2'),
        ...at(950, 'ask.3'), ...at(1250, 'leave.3'), ...at(1350, 'ask.1')], {most_holders: 1, holders: [1]}, '3'),
    lesson('edges', 'A token moves along a tree',
      'Each master sends only to its neighbours in a tree: m4 is below m2, and m2 and m3 are below m1. The token is at m3, so the request of m4 goes by m2 and m1. The token comes back the same way.',
      'lock=raymond&masters=4&players=hand', 150, 1200, [...at(200, 'ask.3'), ...at(500, 'leave.3'), ...at(650, 'ask.4')],
      {most_holders: 1, holders: [4]}, '4'),
    checked('deferral', 'Ricart–Agrawala without deferral',
      'm1 asked first, but it answers m2 at once. The delayed answer is the only thing that excludes the others in this lock.',
      'lock=ricart-agrawala&without=deferral', 2, 'ask.1 1>2 ask.2 2>1 2>1 1>2', {most_holders: 2}),
    checked('first', 'Lamport without the queue',
      'Both masters have all answers, and both enter. Only the first in the queue of requests may enter; here this rule is left out.',
      'lock=lamport&without=first', 2, 'ask.1 1>2 ask.2 2>1 2>1 1>2', {most_holders: 2}),
    checked('vote', 'Two votes of one master',
      'Each master votes for the other one while its own proposal is open. The rule one vote forbids this; here it is left out.',
      'lock=two-phase&without=one-vote', 2, 'ask.1 ask.2 1>2 2>1 1>2 2>1', {most_holders: 2}, {gap: 30}),
  ];
})();

// Asks a master everything that docs/openapi.yaml says, through proxies that hold each answer against it
// (prism), and looks that every status of every call was seen. The master and its worker are started
// here, and ended by their process ids.
//
// A proxy refuses what a request does against the document, too, where the request is meant to be right;
// where it is meant to be wrong it goes through the other one. Schemas that leave open what else an
// object has are closed for this, so that no member is answered that the document does not name.
//
// Usage: scripts/openapi.sh
'use strict';

const assert = require('node:assert/strict');
const {execFileSync, spawn} = require('node:child_process');
const {mkdtempSync, readFileSync, rmSync, writeFileSync} = require('node:fs');
const {createServer, connect} = require('node:net');
const {tmpdir} = require('node:os');
const {join, resolve} = require('node:path');
const {after, before, describe, test} = require('node:test');
const {setTimeout: sleep} = require('node:timers/promises');
const {Running, eventually} = require('../support/cluster.js');

const programs = 'build/release/bin';
const document = JSON.parse(readFileSync('build/release/master/openapi.json', 'utf8'));
const urn = 'urn:fixkeep:error:';
const token = 'a-token-of-the-test-of-the-interface';
const folder = mkdtempSync(join(tmpdir(), 'fixkeep-openapi-'));
const evil = {origin: 'https://evil.example'};
const bearer = {authorization: `Bearer ${token}`};

// What players and services show, made as their makers would.
const ctl = (...args) => execFileSync(`${programs}/fixkeepctl`, args, {encoding: 'utf8'});
const secret_file = join(folder, 'players.secret');
writeFileSync(secret_file, 'a-secret-of-32-bytes-or-more-by-which-tokens-are-signed', {mode: 0o600});
const accounts = {issuer: 'https://accounts.example', audience: 'my-game'};
const player = {authorization: 'Bearer ' + ctl('token', 'ivy', '--issuer', accounts.issuer, '--audience',
  accounts.audience, '--secret-file', secret_file).trim()};
const [, key, hash] = ctl('key').match(/key +(\S+)\nhash +(\S+)/);
const service = {authorization: `Bearer ${key}`};

const calls = new Map(); // "GET /v1/rooms" -> its operation
for (const [path, item] of Object.entries(document.paths)) {
  for (const method of ['get', 'post', 'put', 'delete']) {
    if (item[method]) calls.set(`${method.toUpperCase()} ${path}`, item[method]);
  }
}
const of_tag = tag => [...calls].filter(([, call]) => call.tags[0] === tag).map(([name]) => name);
const seen = new Set(); // "GET /v1/rooms 200"

function closed(schemas) {
  const open = ['Problem', 'Drain'];
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.properties && !open.includes(name)) schema.additionalProperties ??= false;
  }
}

function free_port() {
  return new Promise((done, failed) => {
    const server = createServer().on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const {port} = server.address();
      server.close(() => done(port));
    });
  });
}

const ports = {};
const running = new Set();
process.on('exit', () => { for (const one of running) one.process.kill('SIGKILL'); });
process.on('SIGTERM', () => process.exit(1));
function start(args, file) {
  const one = new Running(args, file);
  running.add(one);
  return one;
}
async function stop(one, signal) {
  running.delete(one);
  return one.stop(signal);
}

function node(name, config) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(config));
  return start(['--config', file], `${programs}/fixkeep-${name}`);
}

const cluster = {id: 'openapi', secret: 'a-secret-of-the-test-of-the-interface'};
const patience = {heartbeat_timeout_ms: 60_000}; // a worker that is stopped keeps its link

async function start_master(events, limits = {}) {
  const master = node('master', {
    cluster,
    master: {id: 1, zone: 'a'},
    http: {port: ports.players, ready_requires: ['workers']},
    admin: {port: ports.operators, token},
    identity: {open: 'anybody-may-name-any-player', tokens: {...accounts, secret_file},
               keys: [{name: 'studio', hash, modes: ['slow']}]},
    mesh: {listen: `127.0.0.1:${ports.mesh}`, masters: [{id: 1, address: `127.0.0.1:${ports.mesh}`}],
           ...patience},
    matching: {waiting_requests_per_client: 3, ...limits},
    modes: [
      {name: 'duel', capacity: 2, attributes: ['region'], values: {region: ['eu', 'us']},
       bands: [{attribute: 'skill', edges: [1000]}]},
      {name: 'club', capacity: 2, join: ['code', 'room_id']},
      {name: 'slow', capacity: 2},
      {name: 'nobody', capacity: 2},
      {name: 'ranked', capacity: 2, rules: {wait_ms: 60_000, party: 1, distance: [
        {attribute: 'rating', steps: [{after_ms: 0, most: 50}, {after_ms: 50_000, most: 100}]}]}},
    ],
    tickets: {keep_ms: 1000},
    events: {keep: events},
  });
  await eventually('the master serves', () => {
    assert.equal(master.process.exitCode, null, master.output);
    return fetch(`http://127.0.0.1:${ports.players}/healthz`).then(() => true, () => false);
  });
  return master;
}

function start_worker() {
  const game = resolve(`${programs}/fixkeep-demo-game`);
  return node('worker', {
    cluster,
    worker: {id: 'w1', zone: 'a', address: '127.0.0.1', state_folder: join(folder, 'state')},
    masters: [{id: 1, address: `127.0.0.1:${ports.mesh}`}],
    rooms: {limit: 10, ports: {first: ports.room, last: ports.room + 9}},
    games: [{mode: 'duel', command: [game]}, {mode: 'club', command: [game]}, {mode: 'ranked', command: [game]}, {mode: 'slow', command: [game, '--boot-ms', '90000']}],
    mesh: patience,
  });
}

async function start_proxy(port, upstream, ...options) {
  const file = join(folder, 'openapi.json');
  start([resolve('build/openapi/node_modules/.bin/prism'), 'proxy', file, upstream, '--errors',
    '--port', String(port), '--cors=false', '-v', 'warn', ...options], process.execPath);
  await eventually('the proxy listens', () => new Promise(done => {
    const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
    socket.on('connect', () => socket.destroy());
  }));
}

// One call through a proxy; notes what was seen, and fails if the proxy says that it is not documented.
async function ask(proxy, call, {path, headers = {}, body, signal} = {}) {
  const [method, pattern] = call.split(' ');
  const target = (path ?? pattern).replace('{room_id}', 'w1-0000000000000001-1').replace('{worker}', 'w1')
    .replace('{request_id}', 'r').replace('{mode}', 'duel').replace('{match_id}', 'none').replace('{player_id}', 'ann').replace('{seat_token}', token_of('eve', 'w1'))
    .replace('{ticket}', 'of.nobody');
  const answer = await fetch(`http://127.0.0.1:${ports[proxy]}${target}`, {method, headers:
    {...(body === undefined ? {} : {'content-type': 'application/json'}), ...headers}, body, signal});
  const text = await answer.text();
  const type = /json/.test(answer.headers.get('content-type')) ? JSON.parse(text).type ?? '' : '';
  assert.ok(!String(type).includes('prism'), `${call}: ${text}`);
  const responses = calls.get(call).responses;
  assert.ok(responses[answer.status], `${call}: ${answer.status} is not documented: ${text}`);
  seen.add(`${call} ${answer.status}`);
  return {status: answer.status, type: String(type).replace(urn, ''), text};
}
async function expect(proxy, call, wanted, options) {
  const {status, type, text} = await ask(proxy, call, options);
  assert.equal(`${status} ${type}`.trim(), wanted, `${call}: ${text}`);
  return text;
}
const seat = (player, more = {}) => JSON.stringify(
  {player_id: player, mode: 'duel', attributes: {region: 'eu', skill: 1200}, ...more});
const match = 'POST /v1/match';
const [make_ticket, poll, cancel] = ['POST /v1/tickets', 'GET /v1/tickets/{ticket}', 'DELETE /v1/tickets/{ticket}'];
const [make_all, watch] = ['POST /v1/tickets:batch', 'GET /v1/tickets'];
const of_tickets = [make_ticket, poll, cancel, watch, make_all];
const invite = 'POST /v1/invitations';
const leave = 'DELETE /v1/seats/{seat_token}';
const [put_match, get_match, end_match, join_match, leave_match] = ['PUT', 'GET', 'DELETE', 'POST', 'DELETE'].map((method, at) =>
  `${method} /v1/matches/{match_id}${['', '', '', '/players', '/players/{player_id}'][at]}`);
const of_matches = [put_match, get_match, end_match, join_match, leave_match];
const order = (players, more = {}) => JSON.stringify({mode: 'duel', attributes: {region: 'eu', skill: 1200},
  players: players.map(player_id => ({player_id})), ...more});
const joins = players => JSON.stringify({players: players.map(player_id => ({player_id}))});
// The path and the body of a call about a match.
const about = (call, id, body) => ({path: call.split(' ')[1].replace('{match_id}', id),
  body: body ?? {[put_match]: order(['zoe']), [join_match]: joins(['zoe'])}[call]});
// Of a room that nobody has: base64url of its claims, and a signature.
const token_of = (player, worker) => `${Buffer.from(`1\n4000000000000\n${worker}-0000000000000001-1\n${player}`)
  .toString('base64url')}.c2lnbmVk`;

describe('a master', {concurrency: false}, () => {
  let master, worker;
  before(async () => {
    for (const name of ['players', 'operators', 'mesh', 'right', 'wrong', 'admin']) {
      ports[name] = await free_port();
    }
    ports.room = 27_300; // to 27 309; a worker leaves out what others have
    const open = structuredClone(document);
    closed(open.components.schemas);
    // Or the proxy itself refuses whoever has no token.
    delete open.security;
    for (const item of Object.values(open.paths)) {
      for (const call of Object.values(item)) delete call.security;
    }
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(open));
    master = await start_master(1000);
    const [players, operators] = [ports.players, ports.operators].map(port => `http://127.0.0.1:${port}`);
    await Promise.all([start_proxy(ports.right, players),
      start_proxy(ports.wrong, players, '--validate-request=false'),
      start_proxy(ports.admin, operators, '--validate-request=false')]);
  });
  after(async () => {
    worker?.process.kill('SIGCONT');
    await Promise.all([...running].map(one => stop(one, 'SIGTERM')));
    rmSync(folder, {recursive: true});
  });

  test('is not ready before it has a worker', async () => {
    await expect('right', 'GET /readyz', '503 not-ready');
    worker = start_worker();
    await eventually('it is ready', async () => {
      assert.equal(worker.process.exitCode, null, worker.output);
      return (await fetch(`http://127.0.0.1:${ports.players}/readyz`)).status === 200;
    });
  });

  test('answers players', async () => {
    const first = JSON.parse(await expect('right', match, '200', {body: seat('ann')}));
    const party = {party: ['cid'], backfill: false, attributes: {region: 'us', skill: 3}};
    await expect('right', match, '200', {body: seat('bob', party), headers: {'x-request-id': 'r 1'}});
    const again = JSON.parse(await expect('right', match, '200', {body: seat('ann')}));
    assert.equal(again.room_id, first.room_id);
    await expect('right', leave, '204', {path: `/v1/seats/${first.seat_token}`});
    await expect('right', leave, '204');
    for (const call of ['GET /v1/modes', 'GET /v1/modes/{mode}/statistics', 'GET /v1/version', 'GET /openapi.json', 'GET /healthz',
      'GET /readyz']) {
      await expect('right', call, '200');
    }
  });

  test('says why a request waits to whoever made it', async () => {
    const why = 'GET /v1/match/{request_id}/why';
    const held = new AbortController();
    const holder = fetch(`http://127.0.0.1:${ports.players}/v1/match`, {method: 'POST', signal: held.signal,
      headers: {'x-request-id': 'why me?'}, body: seat('ann', {mode: 'slow'})}).catch(() => {});
    const mine = {path: '/v1/match/why%20me%3F/why'};
    await eventually('it waits', async () => (await ask('right', why, mine)).status === 200);
    const told = JSON.parse(await expect('right', why, '200', mine));
    assert.deepEqual([told.request_id, told.mode, told.why], ['why me?', 'slow', null]);
    await eventually('it is counted', async () => JSON.parse(await expect('right', 'GET /v1/modes/{mode}/statistics',
      '200', {path: '/v1/modes/slow/statistics'})).waiting === 1);
    await expect('right', why, '404 not-found', {...mine, headers: service});
    held.abort();
    await holder;
    // Rules that widen say more, while a request waits and when it has waited in vain.
    const ranked = (player_id, rating, wait_ms) => seat(player_id, {mode: 'ranked', attributes: {rating}, wait_ms});
    const longer = new AbortController();
    const older = fetch(`http://127.0.0.1:${ports.players}/v1/match`, {method: 'POST', signal: longer.signal,
      headers: {'x-request-id': 'bea'}, body: ranked('bea', 1000, 45_000)}).catch(() => {});
    await eventually('a decision has told it', async () =>
      JSON.parse((await ask('right', why, {path: '/v1/match/bea/why'})).text).why?.players_missing === 1);
    const text = await expect('right', match, '504 wait-timeout', {body: ranked('cal', 1070, 3000)});
    const {rule, number, beyond} = JSON.parse(text).why.nearest;
    assert.deepEqual([rule, number, beyond], ['distance', 'rating', 20]);
    longer.abort();
    await older;
    await eventually('it is gone', async () => (await ask('right', why, mine)).type === 'not-found');
    await expect('right', 'GET /v1/modes/{mode}/statistics', '404 not-found', {path: '/v1/modes/chess/statistics'});
  });

  test('keeps players who carry a ticket', async () => {
    const make = async body => JSON.parse(await expect('right', make_ticket, '201', {body})).ticket;
    const look = (ticket, headers = {}) => ({path: `/v1/tickets/${ticket}`, headers});
    const wait = {prefer: 'wait=20'};
    const state_of = async (ticket, headers) => JSON.parse(await expect('right', poll, '200', look(ticket, headers)));
    const seated = await make(seat('tia'));
    assert.ok((await state_of(seated, wait)).seat.port > 0);
    await expect('right', poll, '304', look(seated, {'if-none-match': 'W/"ready"'}));
    await expect('right', cancel, '204', look(seated));
    // A room that boots for longer than anybody waits.
    const slow = await make(seat('tom', {mode: 'slow'}));
    // No proxy here: it would wait for the end.
    const streams = {accept: 'text/event-stream', ...service};
    const news = await fetch(`http://127.0.0.1:${ports.players}/v1/tickets`, {headers: streams});
    assert.deepEqual([news.status, news.headers.get('content-type')], [200, 'text/event-stream']);
    seen.add(`${watch} 200`);
    await news.body.cancel();
    await expect('right', watch, '400 invalid-request', {headers: service});
    await expect('right', watch, '403 key-needed');
    assert.equal((await state_of(slow, {...wait, 'if-none-match': 'W/"waiting"'})).state, 'matched');
    await expect('right', make_ticket, '409 already-waiting', {body: seat('tom', {mode: 'slow'})});
    await expect('right', cancel, '204', look(slow));
    assert.equal((await state_of(slow)).state, 'cancelled');
    await expect('right', poll, '204', look(slow, {accept: 'text/event-stream', 'last-event-id': 'cancelled'}));
    const {answers} = JSON.parse(await expect('right', make_all, '200',
      {headers: service, body: JSON.stringify({requests: [1, 2].map(() => JSON.parse(seat('tab', {mode: 'slow'})))})}));
    assert.deepEqual(answers.map(each => each.status), [201, 409]);
    await expect('right', cancel, '204', look(answers[0].body.ticket, service));
    await expect('wrong', make_all, '400 invalid-request', {headers: service, body: '{"requests":[]}'});
    await expect('right', make_all, '403 key-needed', {body: `{"requests":[${seat('tab')}]}`});
    for (const call of [poll, cancel]) await expect('right', call, '403 wrong-ticket', look(slow, player));
    const shown = ticket => ({body: JSON.stringify({ticket})});
    await expect('right', match, '403 wrong-ticket', {...shown(slow), headers: player});
    const ranked = await make(seat('ted', {mode: 'ranked', attributes: {rating: 1}, wait_ms: 3000}));
    assert.equal((await state_of(ranked, {prefer: 'wait=1'})).why.players_missing, 1);
    assert.deepEqual((await state_of(ranked, wait)).problem.type, `${urn}wait-timeout`);
    await expect('right', match, '410 ticket-expired', shown(ranked));
    await sleep(1500); // then it is forgotten
    await expect('right', poll, '410 ticket-expired', look(ranked));
    const nowhere = await make(seat('tess', {mode: 'club', room_id: 'w9-0000000000000001-1'}));
    await expect('right', poll, '503 worker-away', look(nowhere, wait));
    const earlier = await make(seat('tim', {mode: 'slow'}));
    let later;
    await eventually('nobody polls the earlier one', async () => {
      later = await ask('right', make_ticket, {body: seat('tim', {mode: 'slow'})});
      return later.status === 201;
    });
    await expect('right', poll, '409 already-waiting', look(earlier));
    await expect('right', cancel, '204', look(JSON.parse(later.text).ticket));
    await expect('wrong', make_ticket, '400 invalid-request', shown(seated));
    await expect('right', make_ticket, '400 ticket-too-long',
      {body: seat('eve', {attributes: {region: 'eu', skill: 1, x: 'x'.repeat(4000)}})});
    await Promise.all(['h', 'i', 'j'].map(each => make(seat(each, {mode: 'slow'}))));
    await expect('right', make_ticket, '429 too-many-waiting', {body: seat('k', {mode: 'slow'})});
    await eventually('nobody polls them', async () => (await ask('right', match, {body: seat('k', {wait_ms: 300})})).status !== 429);
  });

  test('has private rooms for those who have the code', async () => {
    const made = JSON.parse(await expect('right', match, '200', {body: seat('ann', {mode: 'club', create: 'x'})}));
    const joined = JSON.parse(await expect('right', match, '200', {body: seat('bob', {mode: 'club', code: made.code})}));
    assert.deepEqual([joined.room_id, joined.code], [made.room_id, made.code]);
    const wrong = {body: seat('eve', {mode: 'club', code: 'guessed'})};
    await expect('right', match, '403 wrong-code', wrong);
    await eventually('it has guessed enough', async () =>
      (await ask('right', match, wrong)).type === 'too-many-wrong-codes');
  });

  test('sends players to the room that they name', async () => {
    const {room_id} = JSON.parse(await expect('right', match, '200', {body: seat('cid', {mode: 'club'})}));
    const to = (player, room) => ({body: seat(player, {mode: 'club', room_id: room})});
    const joined = JSON.parse(await expect('right', match, '200', to('dan', room_id)));
    assert.equal(joined.room_id, room_id);
    await expect('right', match, '409 room-full', to('eve', room_id));
    await expect('right', match, '409 room-closed', to('eve', room_id.replace(/[0-9]+$/, '999')));
    await expect('right', match, '503 worker-away', to('eve', 'w9-0000000000000001-1'));
  });

  test('gives the client of this project a seat', async () => {
    const {MatchClient} = await import(resolve('clients/js/index.js'));
    const client = new MatchClient([`http://127.0.0.1:${ports.right}`]);
    const {seat_token} = await client.findSeat(JSON.parse(seat('dan')));
    assert.match(seat_token, /\./);
  });

  test('refuses players in the words of the document', async () => {
    const us = {attributes: {region: 'us', skill: 1}};
    const text = {'content-type': 'text/plain'}; // of another type, the proxy reads it too
    await expect('wrong', match, '400 invalid-json', {body: '{', headers: text});
    await expect('wrong', match, '400 invalid-request', {body: seat('', {party: 3})});
    await expect('right', match, '400 unknown-mode', {body: seat('eve', {mode: 'chess'})});
    await expect('right', match, '400 party-too-large', {body: seat('eve', {party: ['f', 'g']})});
    await expect('right', match, '200', {body: seat('ann')});
    await expect('right', match, '409 already-seated', {body: seat('ann', us)});
    await expect('wrong', leave, '400 invalid-request', {path: '/v1/seats/none'});
    await expect('right', leave, '503 worker-away', {path: `/v1/seats/${token_of('eve', 'gone')}`});
    await expect('right', match, '503 no-capacity', {body: seat('eve', {mode: 'nobody', wait_ms: 300})});
    await expect('right', match, '504 wait-timeout', {body: seat('eve', {mode: 'slow', wait_ms: 300})});
    const held = new AbortController();
    const holders = ['h', 'i', 'j', 'k'].map(player => fetch(`http://127.0.0.1:${ports.players}/v1/match`,
      {method: 'POST', body: seat(player, {mode: 'slow'}), signal: held.signal}).catch(() => {}));
    assert.equal((await Promise.race(holders)).status, 429); // so the other three wait
    await expect('right', match, '429 too-many-waiting', {body: seat('l', {mode: 'slow'})});
    held.abort();
    await Promise.all(holders);
    for (const call of [...of_tag('players'), ...of_tag('health')]) {
      const body = {[match]: seat('eve'), [make_ticket]: seat('eve'), [make_all]: `{"requests":[${seat('eve')}]}`, [invite]: '{"leader":"ann","mode":"duel"}', [put_match]: order(['zoe']),
        [join_match]: joins(['zoe'])}[call];
      await expect('right', call, '403 foreign-page', {headers: evil, body});
    }
  });

  test('knows players by tokens and services by keys', async () => {
    const body = '{"leader":"joe","mode":"duel"}';
    JSON.parse(await expect('right', invite, '200', {headers: player, body}));
    await expect('right', invite, '400 invalid-request', {headers: player, body: '{"leader":"ivy","mode":"duel"}'});
    await expect('right', invite, '403 player-needed', {headers: service, body});
    await expect('right', match, '403 other-player', {headers: player, body: seat('joe')});
    await expect('right', leave, '403 other-player', {headers: player});
    await expect('right', match, '403 mode-forbidden', {headers: service, body: seat('joe')});
    await expect('right', match, '403 wrong-invitation',
      {headers: player, body: seat('ivy', {invitations: ['of.nobody']})});
    const headers = {authorization: 'Bearer of.no.body'};
    await expect('right', match, '401 wrong-token', {headers, body: seat('joe')});
    await expect('right', invite, '401 wrong-token', {headers, body});
    await expect('right', leave, '401 wrong-token', {headers});
    await expect('right', 'GET /v1/match/{request_id}/why', '401 wrong-token', {headers});
    await eventually('it has guessed enough', async () =>
      (await ask('right', match, {headers, body: seat('joe')})).status === 429);
    await expect('right', invite, '429 too-many-wrong-tokens', {headers, body});
    await expect('right', leave, '429 too-many-wrong-tokens', {headers});
    await expect('right', 'GET /v1/match/{request_id}/why', '429 too-many-wrong-tokens', {headers});
  });

  let room;
  test('answers operators', async () => {
    const {rooms} = JSON.parse(await expect('admin', 'GET /v1/rooms', '200', {headers: bearer}));
    room = rooms.find(each => each.mode === 'duel').room_id;
    await expect('admin', 'GET /v1/rooms', '200', {headers: bearer, path: `/v1/rooms?limit=1&after=${room}`});
    for (const call of ['GET /v1/rooms/{room_id}', 'GET /v1/rooms/{room_id}/log']) {
      await expect('admin', call, '200', {headers: bearer, path: call.slice(4).replace('{room_id}', room)});
    }
    for (const call of ['GET /v1/workers', 'GET /v1/masters', 'GET /v1/locks', 'GET /v1/node',
      'GET /v1/events', 'GET /metrics']) {
      await expect('admin', call, '200', {headers: bearer});
    }
    await expect('admin', 'POST /v1/workers/{worker}/drain', '202', {headers: bearer, body: '{"most_ms":60000}'});
    await expect('admin', 'POST /v1/workers/{worker}/resume', '202', {headers: bearer});
    const drain = {headers: bearer, path: `/v1/rooms/${room}/drain`};
    await expect('admin', 'POST /v1/rooms/{room_id}/drain', '202', {...drain, body: '{"most_ms":60000}'});
    await expect('admin', 'POST /v1/rooms/{room_id}/drain', '400 invalid-request', {...drain, body: '[]'});
    const close = {headers: bearer, path: `/v1/rooms/${room}/close`};
    await expect('admin', 'POST /v1/rooms/{room_id}/close', '400 invalid-request', {...close, body: '{}'});
    await expect('admin', 'POST /v1/rooms/{room_id}/close', '202', close);
  });

  test('refuses operators in the words of the document', async () => {
    const headers = bearer;
    const long = `{"x":"${'x'.repeat(5000)}"}`;
    await expect('admin', 'GET /v1/rooms', '400 invalid-query', {headers, path: '/v1/rooms?limit=0'});
    await expect('admin', 'GET /v1/events', '400 invalid-query', {headers, path: '/v1/events?after=x'});
    for (const what of ['drain', 'resume']) {
      const call = `POST /v1/workers/{worker}/${what}`;
      await expect('admin', call, '400 invalid-request', {headers, body: long});
      await expect('admin', call, '404 not-found', {headers, path: `/v1/workers/nobody/${what}`});
    }
    for (const call of of_tag('operators').filter(call => call.includes('{room_id}'))) {
      await expect('admin', call, '404 not-found', {headers});
    }
    const basic = {authorization: `Basic ${Buffer.from(`ann:${token}`).toString('base64')}`};
    for (const call of of_tag('operators')) {
      await expect('admin', call, '401 token-needed');
      await expect('admin', call, '403 foreign-page', {headers: {...basic, ...evil}});
    }
  });

  test('says what has become of a worker that is silent or gone', async () => {
    await expect('right', match, '200', {body: seat('zoe')});
    await expect('right', put_match, '200', about(put_match, 'held', order(['m8'])));
    const {ticket} = JSON.parse(await expect('right', make_ticket, '201', {body: seat('tia')}));
    const of_ticket = {path: `/v1/tickets/${ticket}`};
    await expect('right', poll, '200', {...of_ticket, headers: {prefer: 'wait=20'}});
    const {rooms} = JSON.parse(await expect('admin', 'GET /v1/rooms', '200', {headers: bearer}));
    const open = rooms.find(each => each.phase === 'open').room_id;
    const carried = of_tag('operators').filter(call => /(log|drain|close|resume)$/.test(call));
    const ask_all = () => Promise.all(carried.map(call => ask('admin', call,
      {headers: bearer, path: call.split(' ')[1].replace('{room_id}', open).replace('{worker}', 'w1')})));
    worker.process.kill('SIGSTOP');
    for (const {status, type} of await ask_all()) assert.equal(`${status} ${type}`, '504 worker-silent');
    await expect('right', end_match, '504 worker-silent', about(end_match, 'held'));
    await expect('right', cancel, '503 worker-away', of_ticket);
    const carried_so_far = () => master.output.split("operator's call").length;
    const before_these = carried_so_far();
    const asked = ask_all();
    const ending = ask('right', end_match, about(end_match, 'held'));
    await eventually('they wait', () => carried_so_far() === before_these + carried.length - 1); // a look is in no log
    worker.process.kill('SIGKILL');
    for (const {status, type} of [...await asked, await ending]) assert.equal(`${status} ${type}`, '503 worker-away');
    worker = start_worker(); // the rooms outlive the one that was killed, and end with this one
    await eventually('it is there again', async () =>
      (await ask('admin', 'GET /v1/workers', {headers: bearer})).text.includes('"w1"'));
  });

  test('has so many readers and no more', async () => {
    const ending = new AbortController();
    const headers = {...bearer, accept: 'text/event-stream'};
    await Promise.all(Array.from({length: 50}, () =>
      fetch(`http://127.0.0.1:${ports.operators}/v1/events`, {headers, signal: ending.signal})));
    await expect('admin', 'GET /v1/events', '503 too-many-readers', {headers});
    ending.abort();
  });

  test('slows a client that guesses tokens', async () => {
    const headers = {authorization: 'Bearer a-wrong-one'};
    await eventually('it has guessed enough', async () =>
      (await ask('admin', 'GET /v1/node', {headers})).status === 429);
    for (const call of of_tag('operators')) {
      await expect('admin', call, '429 too-many-wrong-tokens', {headers});
    }
  });

  test('makes one room for a match made elsewhere', async () => {
    const made = JSON.parse(await expect('right', put_match, '200', about(put_match, 'final', order(['m1']))));
    assert.equal(JSON.parse(await expect('right', get_match, '200', about(get_match, 'final'))).room_id, made.room_id);
    await expect('right', put_match, '409 match-differs', about(put_match, 'final', order(['m2'])));
    await expect('right', join_match, '200', about(join_match, 'final', joins(['m2'])));
    await expect('right', join_match, '409 room-full', about(join_match, 'final', joins(['m3'])));
    await expect('right', leave_match, '204', {path: '/v1/matches/final/players/m2'});
    // A player of the match sits elsewhere.
    const [{seat_token}] = made.players;
    await expect('right', leave, '204', {path: `/v1/seats/${seat_token}`});
    await expect('right', match, '200', {body: seat('m1', {attributes: {region: 'us', skill: 1}})});
    await expect('right', get_match, '409 already-seated', about(get_match, 'final'));
    for (const call of of_matches) {
      await expect('wrong', call, '400 invalid-request', about(call, '%01'));
      if (call !== put_match) await expect('right', call, '404 match-unknown', about(call, 'unknown'));
    }
    // A room that boots for longer than anybody waits.
    const slow = players => order(players, {mode: 'slow', attributes: {}, wait_ms: 0});
    await expect('right', put_match, '202', about(put_match, 'late', slow(['m4'])));
    await eventually('its room starts', async () => (await ask('right', get_match, about(get_match, 'late'))).status === 202);
    await expect('right', join_match, '202', about(join_match, 'late', joins(['m5'])));
    // A match that waits for a room.
    await expect('right', put_match, '202', about(put_match, 'stuck', order(['m6'], {mode: 'nobody', attributes: {}, wait_ms: 0})));
    for (const call of [join_match, leave_match]) {
      await expect('right', call, '409 match-starting', about(call, 'stuck'));
    }
    const waits = ask('right', put_match, about(put_match, 'stuck', order(['m6'], {mode: 'nobody', attributes: {}, wait_ms: 9000})));
    await sleep(500); // it waits
    await expect('right', end_match, '204', about(end_match, 'stuck'));
    assert.equal((await waits).type, 'match-unknown');
    await expect('right', end_match, '202', about(end_match, 'final'));
    await eventually('it is over', async () => (await ask('right', get_match, about(get_match, 'final'))).status === 410);
    for (const call of [put_match, join_match, leave_match]) {
      const body = call === put_match ? order(['m1']) : undefined;
      assert.equal((await ask('right', call, about(call, 'final', body))).status, 410, call);
    }
    await expect('right', end_match, '204', about(end_match, 'final'));
  });

  test('says why a match got no room', async () => {
    await expect('right', put_match, '503 no-capacity',
      about(put_match, 'lost', order(['m7'], {mode: 'nobody', attributes: {}})));
    await expect('right', get_match, '503 no-capacity', about(get_match, 'lost'));
    await expect('right', join_match, '503 no-capacity', about(join_match, 'lost'));
    await expect('right', leave_match, '503 no-capacity', about(leave_match, 'lost'));
    await expect('right', end_match, '204', about(end_match, 'lost'));
    await expect('right', get_match, '404 match-unknown', about(get_match, 'lost'));
  });

  test('has no events where none are kept', async () => {
    await stop(master, 'SIGTERM');
    master = await start_master(0, {requests_per_client_per_s: 1});
    await expect('admin', 'GET /v1/events', '404 events-not-kept', {headers: bearer});
  });

  test('slows an address that reads without end', async () => {
    const headers = {authorization: 'Bearer of.no.body'};
    for (const call of of_matches) {
      await expect('right', call, '401 wrong-token', {headers, ...about(call, 'none')});
    }
    for (const call of of_matches) {
      await eventually('it has guessed enough', async () =>
        (await ask('right', call, {headers, ...about(call, 'none')})).type === 'too-many-wrong-tokens');
    }
    for (const call of ['GET /v1/modes', 'GET /v1/modes/{mode}/statistics', 'GET /v1/version', 'GET /openapi.json']) {
      await eventually('it has read enough', async () => (await ask('right', call)).type === 'too-many-requests');
    }
  });

  test('slows a client that shows tickets with guessed tokens', async () => {
    await stop(master, 'SIGTERM');
    master = await start_master(0);
    const headers = {authorization: 'Bearer of.no.body'};
    for (const call of of_tickets) {
      await expect('right', call, '401 wrong-token', {headers, body: {[make_ticket]: seat('joe'), [make_all]: `{"requests":[${seat('joe')}]}`}[call]});
    }
    for (const call of [poll, cancel, watch, make_all]) {
      const body = call === make_all ? `{"requests":[${seat('joe')}]}` : undefined;
      await eventually('it has guessed enough', async () =>
        (await ask('right', call, {headers, body})).type === 'too-many-wrong-tokens');
    }
  });

  // These never reach a call, and no proxy lets them through.
  test('names troubles as the document does', async () => {
    const [, trouble] = document.components.responses.Trouble.content['application/problem+json'].schema.allOf;
    const say = bytes => new Promise((done, failed) => {
      let heard = '';
      const socket = connect(ports.players, '127.0.0.1', () => socket.write(bytes));
      socket.on('data', more => { heard += more; }).on('end', () => done(heard)).on('error', failed);
    });
    for (const [bytes, type] of Object.entries({
      'hello\r\n\r\n': 'malformed-http',
      'BREW / HTTP/1.1\r\nHost: m\r\n\r\n': 'unknown-method',
      'GET / HTTP/3.0\r\nHost: m\r\n\r\n': 'unknown-version',
      [`GET /${'x'.repeat(9000)} HTTP/1.1\r\nHost: m\r\n\r\n`]: 'target-too-long',
      [`GET / HTTP/1.1\r\nHost: m\r\nX: ${'x'.repeat(9000)}\r\n\r\n`]: 'header-too-large',
      'POST /v1/match HTTP/1.1\r\nHost: m\r\nContent-Length: 99999\r\n\r\n': 'body-too-large',
    })) {
      const heard = await say(bytes);
      assert.match(heard, /application\/problem\+json/);
      assert.equal(heard.match(/urn:fixkeep:error:([a-z-]+)/)?.[1], type, heard);
      assert.ok(trouble.properties.type.enum.includes(urn + type), type);
    }
  });

  test('has shown every status of every call that the document has', () => {
    const wanted = [...calls].flatMap(([name, {responses}]) =>
      Object.keys(responses).filter(status => status !== 'default').map(status => `${name} ${status}`));
    assert.deepEqual(wanted.filter(each => !seen.has(each)), []);
    console.log(`${calls.size} calls, ${wanted.length} statuses of them, all seen`);
  });
});

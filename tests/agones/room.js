// The game of one room: calls every method of the official client of Agones, through the
// environment that its worker gave it, and writes a line for each to a file.
//
// Usage: node tests/agones/room.js FILE       started by a worker; tests/agones/agones_test.js reads
'use strict';

const assert = require('node:assert/strict');
const {appendFileSync} = require('node:fs');
const AgonesSDK = require('@google-cloud/agones-sdk');

const call_limit_ms = 10_000;
const poll_ms = 20;

const write = line => appendFileSync(process.argv[2], `${line}\n`);
const sleep = ms => new Promise(done => { setTimeout(done, ms); });

async function eventually(what, condition) {
  const end = Date.now() + call_limit_ms;
  while (!condition()) {
    assert.ok(Date.now() < end, `not within ${call_limit_ms} ms: ${what}`);
    await sleep(poll_ms);
  }
}

// Notes which methods were called.
const called = new Set();
function noted(client, prefix) {
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given) => {
        called.add(prefix + name);
        return value.apply(target, given);
      };
    }
  });
}

// Every method and property that the client's class has.
function all_of(client, prefix) {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(client))
      .filter(name => name !== 'constructor' && name !== 'port')
      .map(name => prefix + name);
}

let failed = false;
async function check(name, body) {
  try {
    let late;
    const limit = new Promise((_, reject) => {
      late = setTimeout(() => reject(new Error(`no end in ${call_limit_ms} ms`)), call_limit_ms);
    });
    await Promise.race([body(), limit]);
    clearTimeout(late);
    write(`ok      ${name}`);
  } catch (error) {
    failed = true;
    write(`FAILED  ${name}: ${error.message}`.replaceAll('\n', ' '));
  }
}

// gRPC code 2 is what the servers of Agones answer where a counter, a list or a place lacks.
const refused = (call, text) => assert.rejects(call, error => {
  assert.equal(error.code, 2);
  assert.match(error.message, text);
  return true;
});

async function life(sdk, watched) {
  await check('port', async () => assert.equal(sdk.port, process.env.AGONES_SDK_GRPC_PORT));
  await check('connect', () => sdk.connect());
  await check('getGameServer', async () => {
    const shown = await sdk.getGameServer();
    assert.equal(shown.objectMeta.name, process.env.FIXKEEP_ROOM_ID);
    assert.equal(shown.status.state, 'Scheduled');
    assert.equal(shown.status.portsList[0].port, Number(process.env.FIXKEEP_PORT));
    assert.ok(Math.abs(shown.objectMeta.creationTimestamp - Date.now() / 1000) < 60);
  });
  await check('watchGameServer', async () => {
    sdk.watchGameServer(shown => watched.push(shown), error => write(`        watch: ${error}`));
    await eventually('the object at once', () => watched.length === 1);
  });
  await check('health', async () => {
    let problem;
    sdk.health(error => { problem = error; });
    sdk.health(error => { problem = error; });
    await sdk.getGameServer();
    assert.equal(problem, undefined);
  });
  const state = async () => (await sdk.getGameServer()).status.state;
  await check('reserve', async () => {
    await sdk.reserve(1);
    assert.equal(await state(), 'Reserved');
    await eventually('Ready after a second', () => watched.at(-1).status.state === 'Ready');
  });
  await check('allocate', async () => {
    await sdk.allocate();
    assert.equal(await state(), 'Allocated');
    const {annotationsMap} = (await sdk.getGameServer()).objectMeta;
    assert.match(new Map(annotationsMap).get('agones.dev/last-allocated'), /^\d{4}-\d\d-\d\dT.*Z$/);
  });
  await check('ready', async () => {
    await sdk.ready();
    assert.equal(await state(), 'Ready');
  });
}

async function metadata(sdk, watched) {
  const of_map = (map, key) => new Map(map).get(`agones.dev/sdk-${key}`);
  await check('setLabel', async () => {
    await sdk.setLabel('map', 'ice');
    await assert.rejects(sdk.setLabel('no key', ''), {code: 3});
    await eventually('a watch tells it', () => of_map(watched.at(-1).objectMeta.labelsMap, 'map'));
    const versions = watched.map(shown => Number(shown.objectMeta.resourceVersion));
    assert.deepEqual(versions, [...new Set(versions)].sort((a, b) => a - b));
  });
  await check('setAnnotation', async () => {
    await sdk.setAnnotation('note', 'any text');
    const shown = await sdk.getGameServer();
    assert.equal(of_map(shown.objectMeta.annotationsMap, 'note'), 'any text');
  });
}

async function players(alpha) {
  await check('alpha.getPlayerCapacity', async () => assert.equal(
      await alpha.getPlayerCapacity(), Number(process.env.FIXKEEP_CAPACITY)));
  await check('alpha.playerConnect', async () => {
    assert.equal(await alpha.playerConnect('ann'), true);
    assert.equal(await alpha.playerConnect('ann'), false);
    assert.equal(await alpha.playerConnect('without-a-seat'), false);
  });
  await check('alpha.isPlayerConnected', async () => {
    assert.equal(await alpha.isPlayerConnected('ann'), true);
    assert.equal(await alpha.isPlayerConnected('bob'), false);
  });
  await check('alpha.getPlayerCount', async () => assert.equal(await alpha.getPlayerCount(), 1));
  await check('alpha.getConnectedPlayers',
              async () => assert.deepEqual(await alpha.getConnectedPlayers(), ['ann']));
  await check('alpha.setPlayerCapacity', async () => {
    await alpha.setPlayerCapacity(1);
    assert.equal(await alpha.getPlayerCapacity(), 1);
    await refused(alpha.playerConnect('bob'), /at capacity/);
  });
  await check('alpha.playerDisconnect', async () => {
    assert.equal(await alpha.playerDisconnect('ann'), true);
    assert.equal(await alpha.playerDisconnect('ann'), false);
  });
}

// The mode has the counter "rooms", 1 of 10.
async function counters(beta) {
  const count = () => beta.getCounterCount('rooms');
  await check('beta.getCounterCount', async () => {
    assert.equal(await count(), 1);
    await refused(beta.getCounterCount('none'), /not found/);
  });
  await check('beta.incrementCounter', async () => {
    await beta.incrementCounter('rooms', 4);
    assert.equal(await count(), 5);
    await refused(beta.incrementCounter('rooms', 6), /out of range/);
  });
  await check('beta.decrementCounter', async () => {
    await beta.decrementCounter('rooms', 3);
    assert.equal(await count(), 2);
    await refused(beta.decrementCounter('rooms', 3), /out of range/);
  });
  await check('beta.setCounterCount', async () => {
    await beta.setCounterCount('rooms', 7);
    assert.equal(await count(), 7);
    await beta.setCounterCount('rooms', 0);
    assert.equal(await count(), 0);
  });
  await check('beta.setCounterCapacity', async () => {
    await beta.setCounterCapacity('rooms', 20);
    await beta.setCounterCount('rooms', 20);
    await beta.setCounterCapacity('rooms', 0);
  });
  await check('beta.getCounterCapacity', async () => {
    assert.equal(await beta.getCounterCapacity('rooms'), 0);
    assert.equal(await count(), 0);
  });
}

// The mode has the list "players" with room for 3, in it "test0".
async function lists(beta) {
  const values = () => beta.getListValues('players');
  await check('beta.getListCapacity', async () => {
    assert.equal(await beta.getListCapacity('players'), 3);
    await refused(beta.getListCapacity('none'), /not found/);
  });
  await check('beta.getListValues', async () => assert.deepEqual(await values(), ['test0']));
  await check('beta.appendListValue', async () => {
    await beta.appendListValue('players', 'ann');
    assert.deepEqual(await values(), ['test0', 'ann']);
    await refused(beta.appendListValue('players', 'ann'), /already exists/);
  });
  await check('beta.getListLength',
              async () => assert.equal(await beta.getListLength('players'), 2));
  await check('beta.listContains', async () => {
    assert.equal(await beta.listContains('players', 'ann'), true);
    assert.equal(await beta.listContains('players', 'bob'), false);
  });
  await check('beta.deleteListValue', async () => {
    await beta.deleteListValue('players', 'test0');
    assert.deepEqual(await values(), ['ann']);
    await refused(beta.deleteListValue('players', 'test0'), /not found/);
  });
  await check('beta.setListCapacity', async () => {  // with a mask that is there and empty
    await beta.setListCapacity('players', 2);
    assert.equal(await beta.getListCapacity('players'), 2);
    assert.deepEqual(await values(), ['ann']);
    await refused(beta.setListCapacity('players', 1001), /out of range/);
  });
}

async function play() {
  const client = new AgonesSDK();
  const sdk = noted(client, '');
  const beta = noted(client.beta, 'beta.');
  const watched = [];
  await life(sdk, watched);
  await metadata(sdk, watched);
  await players(noted(client.alpha, 'alpha.'));
  await counters(beta);
  await lists(beta);
  await check('shutdown', async () => {
    await sdk.shutdown();
    await eventually('a watch tells it', () => watched.at(-1).status.state === 'Shutdown');
  });
  await check('close', async () => sdk.close());
  const all = [...all_of(client, ''), ...all_of(client.alpha, 'alpha.'),
               ...all_of(client.beta, 'beta.')];
  await check(`all ${all.length} methods were called`,
              async () => assert.deepEqual(all.filter(name => !called.has(name)), []));
  write(failed ? 'end: FAILED' : 'end: ok');
}

process.on('SIGTERM', () => {});  // after `shutdown` it has a grace, and something left to write
play().then(() => process.exit(failed ? 1 : 0), error => {
  write(`end: FAILED: ${error.stack}`);
  process.exit(1);
});

// Starts a master and a worker whose game is tests/agones/room.js, asks for a seat, and prints what
// the game writes: a line for each method of the official client of Agones. Exit code 0 if all of
// them did what they should.
//
// Usage: scripts/agones.sh
'use strict';

const {spawn} = require('node:child_process');
const {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} = require('node:fs');
const {createServer} = require('node:net');
const {tmpdir} = require('node:os');
const {join, resolve} = require('node:path');

const programs = 'build/release/bin';
const limit_ms = 60_000;
const stop_limit_ms = 10_000;
const poll_ms = 50;

const sleep = ms => new Promise(done => { setTimeout(done, ms); });
const folder = mkdtempSync(join(tmpdir(), 'fixkeep-agones-'));
const results = join(folder, 'results');
const children = [];

async function eventually(what, condition) {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    const ended = children.find(child => child.exitCode !== null);
    if (ended) throw new Error(`${ended.spawnfile} has ended with ${ended.exitCode}`);
    if (Date.now() > end) throw new Error(`not within ${limit_ms} ms: ${what}`);
    await sleep(poll_ms);
  }
}

function free_port() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const {port} = server.address();
      server.close(() => done(port));
    });
  });
}

function start(name, config) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(join(programs, `fixkeep-${name}`), ['--config', file]);
  child.log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', bytes => { child.log += bytes; });
  }
  child.ended = new Promise(done => { child.on('exit', done); });
  children.push(child);
}

async function stop(child) {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stop_limit_ms);
  await child.ended;
  clearTimeout(late);
}

async function start_cluster() {
  const [mesh, http, admin, room] =
    [await free_port(), await free_port(), await free_port(), await free_port()];
  const cluster = {id: 'agones', secret: 'a secret for this test only'};
  const masters = [{id: 1, address: `127.0.0.1:${mesh}`}];
  start('master', {
    cluster,
    master: {id: 1, zone: 'a'},
    http: {address: '127.0.0.1', port: http},
    admin: {port: admin},
    mesh: {listen: `127.0.0.1:${mesh}`, masters},
    modes: [{name: 'agones', capacity: 4, attributes: []}]
  });
  start('worker', {
    cluster,
    worker: {id: 'w1', zone: 'a', address: '127.0.0.1'},
    masters,
    rooms: {ports: {first: room, last: room}},
    games: [{
      mode: 'agones',
      command: [process.execPath, resolve('tests/agones/room.js'), results],
      environment: {NODE_PATH: process.env.NODE_PATH},
      counters: {rooms: {count: 1, capacity: 10}},
      lists: {players: {capacity: 3, values: ['test0']}}
    }]
  });
  const url = `http://127.0.0.1:${http}`;
  await eventually('the master is ready', async () => {
    try {
      const workers = await (await fetch(`http://127.0.0.1:${admin}/v1/workers`)).json();
      return (await fetch(`${url}/readyz`)).ok && workers.workers.length === 1;
    } catch {
      return false;
    }
  });
  return url;
}

async function main() {
  const url = await start_cluster();
  const seat = await fetch(`${url}/v1/match`, {
    method: 'POST',
    body: JSON.stringify({player_id: 'ann', mode: 'agones'})
  });
  if (!seat.ok) throw new Error(`no seat: ${await seat.text()}`);
  const written = () => existsSync(results) ? readFileSync(results, 'utf8') : '';
  const text = await eventually('the game ends', () => /^end: /m.test(written()) && written());
  process.stdout.write(text);
  return /^end: ok$/m.test(text) ? 0 : 1;
}

main().catch(error => {
  console.error(error.message);
  for (const child of children) console.error(`--- ${child.spawnfile}\n${child.log}`);
  if (existsSync(results)) console.error(readFileSync(results, 'utf8'));
  return 1;
}).then(async code => {
  for (const child of children.reverse()) await stop(child);
  rmSync(folder, {recursive: true});
  process.exitCode = code;
});

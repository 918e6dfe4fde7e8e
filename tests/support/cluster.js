// A cluster of fixkeep-client-sim for tests that drive something from outside, such as a browser or
// Prometheus. It is one of its own, and ended by its process id.
'use strict';

const assert = require('node:assert/strict');
const {execFileSync, spawn} = require('node:child_process');

const program = 'build/release/bin/fixkeep-client-sim';
const start_limit_ms = 60_000;
const stop_limit_ms = 30_000;
const wait_limit_ms = 60_000;  // the machine may be busy
const poll_ms = 100;

const sleep = ms => new Promise(done => { setTimeout(done, ms); });

// What the condition gives, as soon as it is true.
async function eventually(what, condition, limit_ms = wait_limit_ms) {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `not within ${limit_ms} ms: ${what}`);
    await sleep(poll_ms);
  }
}

// A program of the project that runs until it is stopped; of client-sim, unless another is named.
class Running {
  constructor(args, file = program) {
    this.process = spawn(file, args);
    this.output = '';
    this.ended = new Promise(done => { this.process.on('exit', code => done(code)); });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.on('data', bytes => { this.output += bytes; });
    }
  }

  // Waits until it has said something of this form.
  async said(what) {
    return eventually(`it says ${what}`, () => {
      assert.equal(this.process.exitCode, null, this.output);
      return this.output.match(what);
    }, start_limit_ms);
  }

  // Resolves with its exit code.
  async stop(signal = 'SIGTERM') {
    this.process.kill(signal);
    const late = setTimeout(() => this.process.kill('SIGKILL'), stop_limit_ms);
    const code = await this.ended;
    clearTimeout(late);
    return code;
  }
}

class Cluster extends Running {
  static async start(...options) {
    const cluster = new Cluster(['up', ...options]);
    await cluster.said(/Ctrl-C ends/);
    const masters = [...cluster.output.matchAll(/master \d.*?(http\S+).*?(http\S+)/g)];
    cluster.masters = masters.map(match => match[1]);
    cluster.admins = masters.map(match => match[2]);
    cluster.worker_admins =
      [...cluster.output.matchAll(/worker \d.*?(http\S+)/g)].map(match => match[1]);
    return cluster;
  }

  // By the name of its configuration: "worker-2".
  kill(node) {
    const pid = execFileSync('pgrep', ['-P', String(this.process.pid), '-f', `${node}.json`]);
    process.kill(Number(pid), 'SIGKILL');
  }

  async match(player, region, master = 0) {
    return fetch(`${this.masters[master]}/v1/match`, {method: 'POST', body: JSON.stringify(
        {player_id: player, mode: 'duel', attributes: {region}})});
  }

  // Players come as they do to a server that opens, take their seats and stay for a moment.
  // Resolves with {code, output}.
  load(players, groups) {
    return this.#load(groups, '--players', String(players));
  }

  // Players come all the time, and leave again after a while.
  churn(players_per_s, seconds, stay_ms, groups) {
    return this.#load(groups, '--arrival', 'churn', '--rate', String(players_per_s),
        '--duration-s', String(seconds), '--churn-stay-ms', String(stay_ms));
  }

  #load(groups, ...options) {
    const load = new Running(['load', '--masters', this.masters.join(), '--admin',
      this.admins.join(), '--groups', String(groups), ...options]);
    return load.ended.then(code => ({code, output: load.output}));
  }
}

module.exports = {Cluster, Running, eventually, sleep, wait_limit_ms};

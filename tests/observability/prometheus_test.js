// A real Prometheus scrapes real clusters with the rules of configs/observability, and is asked what
// an operator asks it. Each Prometheus and each cluster is one of its own, ended by its process id.
//
// Usage: scripts/observability.sh
'use strict';

const assert = require('node:assert/strict');
const {execFileSync, spawn, spawnSync} = require('node:child_process');
const {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} = require('node:fs');
const {createServer} = require('node:net');
const {tmpdir} = require('node:os');
const {join} = require('node:path');
const {after, before, describe, test} = require('node:test');
const {Cluster, eventually} = require('../support/cluster.js');

const configs = 'configs/observability';
const scrape_s = 1;

async function free_port() {
  return new Promise(done => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const {port} = server.address();
      server.close(() => done(port));
    });
  });
}

class Prometheus {
  static async start(cluster) {
    const prometheus = new Prometheus();
    prometheus.folder = mkdtempSync(join(tmpdir(), 'fixkeep-prometheus-'));
    const job = (name, nodes) => `
  - job_name: ${name}
    static_configs: [{targets: ${JSON.stringify(nodes.map(url => url.replace('http://', '')))}}]`;
    cpSync(`${configs}/rules.yml`, join(prometheus.folder, 'rules.yml'));
    writeFileSync(join(prometheus.folder, 'prometheus.yml'), `
global: {scrape_interval: ${scrape_s}s, evaluation_interval: ${scrape_s}s}
rule_files: [rules.yml]
scrape_configs:${job('fixkeep-master', cluster.admins)}${job('fixkeep-worker', cluster.worker_admins)}
`);
    prometheus.url = `http://127.0.0.1:${await free_port()}`;
    prometheus.process = spawn('prometheus', [
      `--config.file=${join(prometheus.folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(prometheus.folder, 'data')}`,
      `--web.listen-address=${prometheus.url.replace('http://', '')}`], {stdio: 'ignore'});
    prometheus.ended = new Promise(done => { prometheus.process.on('exit', done); });
    await eventually('Prometheus has asked every node', async () => {
      assert.equal(prometheus.process.exitCode, null);
      const up = await prometheus.ask('sum(up)').catch(() => []);
      return up[0]?.value === cluster.admins.length + cluster.worker_admins.length;
    });
    return prometheus;
  }

  async api(path, parameters = {}) {
    const answer = await (await fetch(
      `${this.url}/api/v1/${path}?${new URLSearchParams(parameters)}`)).json();
    assert.equal(answer.status, 'success', JSON.stringify(answer));
    return answer.data;
  }

  // The series that the expression gives now.
  async ask(query) {
    const {result} = await this.api('query', {query});
    return result.map(({metric, value}) => ({labels: metric, value: Number(value[1])}));
  }

  async number(query) {
    return (await this.ask(query))[0]?.value ?? NaN;
  }

  // Every node was asked again after this moment.
  async has_asked_again() {
    const now = Date.now() / 1000;
    await eventually('every node is asked again', async () =>
      await this.number('min(timestamp(up))') > now);
  }

  async firing() {
    const {alerts} = await this.api('alerts');
    return alerts.filter(alert => alert.state === 'firing').map(alert => alert.labels);
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.ended;
    rmSync(this.folder, {recursive: true});
  }
}

const names_of = async url =>
  new Set((await (await fetch(`${url}/metrics`)).text()).match(/(?<=# TYPE )\S+/g));

const promtool = (...args) => execFileSync('promtool', args, {encoding: 'utf8'});

describe('what is in configs/observability', () => {
  test('is taken by promtool', () => {
    promtool('check', 'config', `${configs}/prometheus.yml`);
    promtool('check', 'rules', `${configs}/rules.yml`);
  });

  test('has rules that do what their tests say', () => {
    promtool('test', 'rules', `${configs}/rules_test.yml`);
  });

  test('has an alert only with words for it', () => {
    const rules = readFileSync(`${configs}/rules.yml`, 'utf8');
    const alerts = rules.match(/- alert:/g).length;
    for (const part of [/ summary:/g, / action:/g, / severity:/g]) {
      assert.equal(rules.match(part).length, alerts);
    }
  });
});

describe('a cluster with the multiphase lock', () => {
  let cluster, prometheus;
  before(async () => {
    cluster = await Cluster.start('--masters', '3', '--workers', '2', '--boot-ms', '200');
    prometheus = await Prometheus.start(cluster);
  });
  after(async () => {
    await prometheus?.stop();
    await cluster?.stop();
  });

  test('has pages that promtool finds nothing wrong with', async () => {
    await cluster.match('ann', 'lint');
    for (const url of [...cluster.admins, ...cluster.worker_admins]) {
      const input = await (await fetch(`${url}/metrics`)).text();
      const found = spawnSync('promtool', ['check', 'metrics'], {input, encoding: 'utf8'});
      assert.deepEqual([found.status, found.stderr], [0, ''], url);
    }
  });

  test('has no name for two things', async () => {
    const master = await names_of(cluster.admins[0]);
    const worker = await names_of(cluster.worker_admins[0]);
    const both = [...master].filter(name => worker.has(name));
    assert.ok(both.every(name => /^(process_|fixkeep_(http|link|build)_)/.test(name)), both.join());
    for (const [names, prefix] of [[master, 'fixkeep_master_'], [worker, 'fixkeep_worker_']]) {
      const own = [...names].filter(name => !both.includes(name));
      assert.ok(own.every(name => name.startsWith(prefix)), own.join());
    }
  });

  test('has every name in docs/metrics.md, and no other there', async () => {
    const documented = new Set(readFileSync('docs/metrics.md', 'utf8').match(
      /(?<=`)(fixkeep|process)_(?!(master|worker)_`)\w+(?=`)/g));
    const names = await Promise.all([cluster.admins[0], cluster.worker_admins[0]].map(names_of));
    const served = new Set(names.flatMap(set => [...set]));
    assert.deepEqual([...served].filter(name => !documented.has(name)), []);
    const sometimes = /_certificate_expiry_|_lock_server_|_mode_paused$|_shadow_/;
    assert.deepEqual(
      [...documented].filter(name => !served.has(name) && !sometimes.test(name)), []);
  });

  test('tells the duplicate rate and the time to match', async () => {
    // Counters are there from the beginning; what rate() is to see comes after the first scrape.
    await prometheus.has_asked_again();
    const {output: said} = await cluster.load(60, 3);
    await eventually('60 players in 2 scrapes', async () =>
      await prometheus.number('sum(fixkeep_master_match_requests_total{outcome="seated"})') >= 60);
    await prometheus.has_asked_again();
    assert.equal(await prometheus.number('sum(fixkeep_master_duplicate_rooms_total)'), 0, said);
    await eventually('the share of duplicates', async () =>
      await prometheus.number('fixkeep:duplicate_rooms:ratio1h') === 0);
    const slowest = await eventually('p99', () =>
      prometheus.number('fixkeep:match_duration_seconds:p99_5m{mode="duel"}'));
    assert.ok(slowest > 0.1 && slowest < 10, `${slowest} s`);  // a boot takes 0.2 s
    const boot = await eventually('boots', () =>
      prometheus.number('fixkeep:room_boot_seconds:p99_5m{mode="duel"}'));
    assert.ok(boot >= 0.131 && boot < 5, `${boot} s`);  // the bucket of 0.2 s begins at 0.131 s
  });

  test('counts what clients do wrong by what it was', async () => {
    const before_s = await prometheus.number(
      'sum(fixkeep_http_responses_total{listener="players",code="400"}) or vector(0)');
    await fetch(`${cluster.masters[0]}/v1/match`, {method: 'POST', body: '{"mode":"chess"}'});
    await fetch(`${cluster.masters[0]}/v1/match`, {method: 'POST', body: 'no json'});
    await prometheus.has_asked_again();
    assert.equal(await prometheus.number(
      'sum(fixkeep_http_responses_total{listener="players",code="400"})'), before_s + 2);
    assert.equal(await prometheus.number(
      'sum(fixkeep_master_match_requests_total{mode="unknown",outcome="invalid-json"})'), 1);
  });

  test('agrees with itself: seats of workers are those that masters see', async () => {
    await eventually('the same', async () =>
      await prometheus.number('sum(fixkeep_worker_seats{state!="free"})') ===
      await prometheus.number('max(sum by (instance) (fixkeep_master_seats{state!="free"}))'));
  });

  test('has everything that the dashboard of Grafana asks for', async () => {
    const dashboard = JSON.parse(readFileSync(`${configs}/grafana.json`, 'utf8'));
    const {data} = {data: await prometheus.api('label/__name__/values')};
    const known = new Set(data);
    const expressions = dashboard.panels.flatMap(panel => panel.targets ?? []);
    assert.ok(expressions.length > 20);
    for (const {expr} of expressions) {
      const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$mode', '.*');
      await prometheus.ask(query);
      for (const name of query.match(/\b(fixkeep|process)_\w+/g) ?? []) {
        assert.ok(known.has(name), `${name}, of which ${expr} is made, is not there`);
      }
    }
  });

  test('is told of when a worker is killed', async () => {
    assert.deepEqual(await prometheus.firing(), []);
    cluster.kill('worker-2');
    const dead = cluster.worker_admins[1].replace('http://', '');
    const alert = await eventually('an alert', async () =>
      (await prometheus.firing()).find(labels => labels.alertname === 'FixKeepNodeDown'));
    assert.equal(alert.instance, dead);
  });
});

describe('a cluster without a lock', () => {
  let cluster, prometheus;
  before(async () => {
    cluster = await Cluster.start('--masters', '4', '--workers', '2', '--boot-ms', '200',
                                  '--lock', 'none');
    prometheus = await Prometheus.start(cluster);
  });
  after(async () => {
    await prometheus?.stop();
    await cluster?.stop();
  });

  test('has duplicates, no more than the judge finds, and is told of', async () => {
    await prometheus.has_asked_again();
    const {output: said} = await cluster.load(256, 64);  // each group may show one
    const counted = await eventually('duplicates', () =>
      prometheus.number('sum(fixkeep_master_duplicate_rooms_total)'));
    await prometheus.has_asked_again();
    const judged = Number(said.match(/^none +\d+ +(\d+)/m)[1]);  // lock, seed, duplicates
    assert.ok(counted <= judged, `${counted}; ${said}`);
    await eventually('the alert', async () =>
      (await prometheus.firing()).some(labels => labels.alertname === 'FixKeepDuplicateRooms'));
  });
});

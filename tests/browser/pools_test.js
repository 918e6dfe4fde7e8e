// Drives the dashboard of a real master whose players wait in pools: too few for a room, so that
// decisions are made and nobody gets a seat. Master and worker are its own, ended by their process
// ids.
'use strict';

const assert = require('node:assert/strict');
const {mkdirSync, mkdtempSync, rmSync, writeFileSync} = require('node:fs');
const {setMaxListeners} = require('node:events');
const {createServer} = require('node:net');
const {tmpdir} = require('node:os');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');
const {Running, eventually, sleep} = require('../support/cluster.js');

const programs = 'build/release/bin/fixkeep-';
const pictures = 'build/browser/pictures';

const free_port = () => new Promise(done => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const {port} = server.address();
    server.close(() => done(port));
  });
});

// So large that nobody gets a seat.
const raid = {name: 'raid', capacity: 1000, attributes: ['region'], rules: {wait_ms: 120000, party: 1,
  distance: [{attribute: 'rating', steps: [{after_ms: 0, most: 50}, {after_ms: 5000, most: 100},
    {after_ms: 15000, most: 150}]}]}};
const battle = {name: 'battle', capacity: 60, rules: {wait_ms: 120000, party: 8,
  size: {best: 60, least: 40, after_ms: 60000}}};

class Nodes {
  static async start(modes) {
    const nodes = new Nodes();
    const [players, admin, mesh] = await Promise.all([free_port(), free_port(), free_port()]);
    nodes.folder = mkdtempSync(`${tmpdir()}/fixkeep-pools-`);
    nodes.url = `http://127.0.0.1:${players}`;
    nodes.admin = `http://127.0.0.1:${admin}`;
    const cluster = {id: 'pools', secret: 'a-secret-of-this-test-alone'};
    const masters = [{id: 1, address: `127.0.0.1:${mesh}`}];
    nodes.master = nodes.run('master', {cluster, master: {id: 1, zone: 'a'},
      http: {address: '127.0.0.1', port: players}, admin: {address: '127.0.0.1', port: admin},
      mesh: {listen: `127.0.0.1:${mesh}`, masters}, matching: {wait_ms: 120000}, modes});
    nodes.worker = nodes.run('worker', {cluster, masters, worker: {id: 'w1', zone: 'a',
      address: '127.0.0.1', state_folder: nodes.folder},
    rooms: {limit: 2, ports: {first: 29900, last: 29909}},
    games: modes.map(({name}) => ({mode: name,
      command: [`${process.cwd()}/${programs}demo-game`, '--port', '{port}']}))});
    await eventually('the master is ready and has its worker', async () => {
      for (const {process: {exitCode}, output} of [nodes.master, nodes.worker]) {
        assert.equal(exitCode, null, output);
      }
      return fetch(`${nodes.admin}/v1/workers`).then(async answer =>
        (await answer.json()).workers?.length === 1, () => false);
    });
    return nodes;
  }

  run(role, settings) {
    const file = `${this.folder}/${role}.json`;
    writeFileSync(file, JSON.stringify(settings));
    return new Running(['--config', file], `${programs}${role}`);
  }

  // Requests that wait until leave().
  ask(claims) {
    if (!this.leaving) setMaxListeners(0, (this.leaving = new AbortController()).signal);
    for (const {player, mode = 'raid', party, ...attributes} of claims) {
      fetch(`${this.url}/v1/match`, {method: 'POST', signal: this.leaving.signal,
        body: JSON.stringify({player_id: player, mode, party, attributes})})
          .then(answer => assert.fail(`answered: ${answer.status}`), () => {});
    }
  }
  leave() {
    this.leaving?.abort();
    this.leaving = undefined;
  }

  async stop() {
    this.leave();
    await Promise.all([this.master.stop(), this.worker.stop()]);
    rmSync(this.folder, {recursive: true});
  }
}

// The same players each time, in ratings as those of many are.
function* ratings() {
  for (let seed = 1;;) {
    let sum = 0;
    for (let i = 0; i < 4; ++i) {
      seed = (seed * 48271) % 2147483647;
      sum += seed / 2147483647 - 0.5;
    }
    yield Math.round(1500 + 500 * sum);
  }
}

function players(count, region) {
  const rating = ratings();
  return Array.from({length: count}, (_, i) =>
    ({player: `secret-${region}-${i}`, region, rating: rating.next().value}));
}

describe('the pools in the dashboard', () => {
  let nodes, browser, page;
  const complaints = [];

  const pool = name => page.locator('.pool', {has: page.locator('h3', {hasText: name})});
  const counts = async name => pool(name).locator('.counts').textContent();
  const waiting = (name, count) => eventually(`${count} wait in ${name}`, async () =>
    await pool(name).count() === 1 && (await counts(name)).startsWith(count));

  async function take_pictures(name) {
    for (const [scheme, width] of
      [['light', 1400], ['dark', 1400], ['light', 420], ['dark', 420]]) {
      await page.setViewportSize({width, height: 1000});
      await page.emulateMedia({colorScheme: scheme});
      await sleep(1500);  // for a picture that was drawn anew in this width
      await page.locator('#pools').screenshot(
          {path: `${pictures}/pools-${name}-${scheme}-${width}.png`});
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} > ${width}: the page is cut off`);
    }
    await page.setViewportSize({width: 1400, height: 1000});
  }

  before(async () => {
    mkdirSync(pictures, {recursive: true});
    nodes = await Nodes.start([raid, battle]);
    browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
    page = await (await browser.newContext({viewport: {width: 1400, height: 1000}})).newPage();
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(String(error)));
    await page.goto(nodes.admin);
  });
  after(async () => {
    await browser?.close();
    await nodes?.stop();
  });

  test('are there of each mode with rules before anybody waits', async () => {
    await waiting('raid', 0);
    await waiting('battle', 0);
    assert.match(await counts('raid'), /Nobody of this mode got a seat here/);
    assert.equal(await pool('raid').locator('circle').count(), 0);
    assert.equal(await page.locator('#pools_title').textContent(), 'Pools, as m1 sees them');
    await take_pictures('empty');
  });

  test('show who waits, who could play with whom, and why the oldest one does not', async () => {
    nodes.ask([{player: 'secret-ann', region: 'eu', rating: 1500}]);
    await waiting('raid/region=eu', 1);
    nodes.ask([{player: 'secret-bob', region: 'eu', rating: 1540}]);
    await waiting('raid/region=eu', 2);
    nodes.ask([{player: 'secret-cem', region: 'eu', rating: 2100}]);
    await waiting('raid/region=eu', 3);
    const eu = pool('raid/region=eu');
    assert.equal(await eu.locator('circle').count(), 3);
    assert.equal(await eu.locator('line.pair').count(), 1);
    await eventually('why', async () => /The oldest one was left waiting by a decision .* ago\. It saw \d other/
      .test(await eu.locator('.why').textContent()));
    await eventually('the limit has widened', async () =>
      /rating 1,500 .*; its limit is 100, and 150 in/.test(await eu.locator('.details').textContent()));
    await take_pictures('3');
  });

  test('tell of the one that is gone to with the keys, and name nobody', async () => {
    const eu = pool('raid/region=eu');
    await eu.locator('svg').focus();
    await page.keyboard.press('End');
    assert.match(await eu.locator('.details').textContent(),
        /^A player of rating 2,100 has waited for .*, and could play with 0 of 2 drawn; its limit/);
    await page.keyboard.press('Home');
    assert.match(await eu.locator('.details').textContent(), /rating 1,500 .* with 1 of 2 drawn/);
    assert.ok(!(await page.content()).includes('secret-'));
    nodes.leave();
    await waiting('raid', 0);
  });

  test('show sixty, and parties of a mode that compares no numbers', async () => {
    nodes.ask(players(60, 'us'));
    nodes.ask([1, 3, 8].map(size => ({player: `secret-b${size}`, mode: 'battle',
      party: Array.from({length: size - 1}, (_, i) => `secret-b${size}-${i}`)})));
    await waiting('raid/region=us', 60);
    await waiting('battle', 3);
    assert.equal(await pool('raid/region=us').locator('circle').count(), 60);
    assert.equal(await pool('battle').locator('line.limit').count(), 0);
    await take_pictures('60');
    assert.deepEqual(complaints, []);
    nodes.leave();
    await waiting('raid', 0);
  });
});

// Drives the dashboard of a master of a real cluster, as an operator would, while players come, a
// worker dies and the master itself goes away. The cluster is one of its own, ended by its process
// id.
'use strict';

const assert = require('node:assert/strict');
const {execFileSync, spawn} = require('node:child_process');
const {mkdirSync} = require('node:fs');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');

const program = 'build/release/bin/fixkeep-client-sim';
const pictures = 'build/browser/pictures';
const start_limit_ms = 60_000;
const stop_limit_ms = 30_000;
const page_limit_ms = 60_000;  // for whatever the page is to show: the machine may be busy
const poll_ms = 100;

const sleep = ms => new Promise(done => { setTimeout(done, ms); });

async function eventually(what, condition, limit_ms = page_limit_ms) {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `not within ${limit_ms} ms: ${what}`);
    await sleep(poll_ms);
  }
}

class Cluster {
  static async start() {
    const cluster = new Cluster();
    cluster.process =
      spawn(program, ['up', '--masters', '2', '--workers', '2', '--boot-ms', '300']);
    cluster.output = '';
    cluster.ended = new Promise(done => { cluster.process.on('exit', done); });
    for (const stream of [cluster.process.stdout, cluster.process.stderr]) {
      stream.on('data', bytes => { cluster.output += bytes; });
    }
    await eventually('the cluster is ready', () => {
      assert.equal(cluster.process.exitCode, null, cluster.output);
      return cluster.output.includes('Ctrl-C ends');
    }, start_limit_ms);
    const addresses = [...cluster.output.matchAll(/master \d.*?(http\S+).*?(http\S+)/g)];
    cluster.masters = addresses.map(match => match[1]);
    cluster.admins = addresses.map(match => match[2]);
    return cluster;
  }

  async stop() {
    this.process.kill('SIGTERM');
    const late = setTimeout(() => this.process.kill('SIGKILL'), stop_limit_ms);
    await this.ended;
    clearTimeout(late);
  }

  // By the name of its configuration: "worker-2".
  kill(node) {
    const pid = execFileSync('pgrep', ['-P', String(this.process.pid), '-f', `${node}.json`]);
    process.kill(Number(pid), 'SIGKILL');
  }

  async match(player, region) {
    return fetch(`${this.masters[0]}/v1/match`, {method: 'POST', body: JSON.stringify(
        {player_id: player, mode: 'duel', attributes: {region}})});
  }

  // Players come as they do to a server that opens, take their seats and stay for a moment.
  load(players, groups) {
    const child = spawn(program, ['load', '--masters', this.masters.join(), '--admin',
      this.admins.join(), '--players', String(players), '--groups', String(groups)]);
    return new Promise(done => { child.on('exit', done); });
  }
}

describe('the dashboard', () => {
  let cluster, browser, page;
  const complaints = [];

  const text = id => page.locator(`#${id}`).textContent();
  const count = async id => Number((await text(id)).replaceAll(',', ''));

  before(async () => {
    mkdirSync(pictures, {recursive: true});
    cluster = await Cluster.start();
    browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
    const context = await browser.newContext({viewport: {width: 1400, height: 1000}});
    page = await context.newPage();
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(String(error)));
    await page.goto(cluster.admins[0]);
  });
  after(async () => {
    await browser?.close();
    await cluster?.stop();
  });

  test('is live, and says what to do where there is nothing yet', async () => {
    await eventually('live', async () => await text('link') === 'live');
    await eventually('the figures', async () => await text('rooms_count') === '0');
    assert.ok(await page.locator('#no_rooms').isVisible());
    assert.match(await text('who'), /^m1, cluster \S+, lock multiphase/);
    assert.equal(await page.locator('#masters tr').count(), 2);
    assert.equal(await page.locator('#workers tr').count(), 2);
  });

  test('shows rooms as they appear and fill, and the lock as it changes hands', async () => {
    const loaded = cluster.load(96, 6);
    await eventually('rooms', async () => await count('rooms_count') >= 6);
    await eventually('seats', async () => await count('seats_count') >= 96);
    assert.equal(await loaded, 0);
    assert.ok(await count('rooms_count') >= 12);
    assert.ok(await page.locator('#lanes .lane rect.holds').count() > 0);
    assert.match(await text('events'), /m1 has the lock of duel\/region=g\d, token \d+\.m1/);
    assert.match(await text('events'), /m1 ordered a room of duel\/region=g\d at w[12]/);
    assert.ok(await count('locks_count') > 0);
  });

  test('shows the same again after a reload in the middle', async () => {
    const rooms = await count('rooms_count');
    await page.reload();
    await eventually('the same rooms', async () => await count('rooms_count') === rooms);
  });

  test('is used with the keys', async () => {
    await page.locator('#board').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const first = await text('room_words');
    assert.match(first, /^w[12]-[0-9a-f]{16}-\d+ open, \d playing/);
    await page.keyboard.press('End');
    assert.notEqual(await text('room_words'), first);
  });

  test('shows the rooms that are asked for, as a table too', async () => {
    await page.locator('#table summary').click();
    await page.locator('#by').selectOption('worker');
    await page.locator('#filter').fill('w2');
    await eventually('those of w2', async () => {
      const rows = await page.locator('#table_rows tr td:nth-child(4)').allTextContents();
      return rows.length > 0 && rows.every(worker => worker === 'w2');
    });
    await page.locator('#filter').fill('');
    await page.locator('#by').selectOption('group');
    await page.locator('#table summary').click();
  });

  test('shows what players say as text, and nothing else', async () => {
    const name = '<img src=x onerror=alert(1)>';
    assert.equal((await cluster.match('mallory', name)).status, 200);
    await eventually('her group', async () => /(<|%3C)img/.test(await text('events')));
    assert.equal(await page.locator('main img').count(), 0);
  });

  test('looks as it should, in the light, in the dark and on a phone', async () => {
    for (const [scheme, width] of [['light', 1400], ['dark', 1400], ['light', 420]]) {
      await page.setViewportSize({width, height: 1000});
      await page.emulateMedia({colorScheme: scheme});
      await sleep(500);  // for a picture of what is drawn once a frame
      await page.screenshot({path: `${pictures}/dashboard-${scheme}-${width}.png`, fullPage: true});
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} > ${width}: the page is cut off`);
    }
    await page.setViewportSize({width: 1400, height: 1000});
  });

  test('shows a worker that dies, with its rooms, as gone', async () => {
    const rooms = await count('rooms_count');
    cluster.kill('worker-2');
    await eventually('one worker', async () => await page.locator('#workers tr').count() === 1);
    await eventually('fewer rooms', async () => await count('rooms_count') < rooms);
    assert.deepEqual(complaints, []);
  });

  test('says since when its master is away', async () => {
    cluster.kill('master-1');
    await eventually('lost', async () => (await text('link')).startsWith('connection lost'));
    assert.ok(await page.evaluate(() => document.body.classList.contains('stale')));
  });
});

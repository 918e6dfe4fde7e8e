// Drives the dashboard of a master of a real cluster, as an operator would, while players come, a
// worker dies and the master itself goes away. The cluster is one of its own, ended by its process
// id.
'use strict';

const assert = require('node:assert/strict');
const {mkdirSync} = require('node:fs');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');
const {Cluster, eventually, sleep} = require('../support/cluster.js');

const pictures = 'build/browser/pictures';

describe('the dashboard', () => {
  let cluster, browser, page;
  const complaints = [];

  const text = id => page.locator(`#${id}`).textContent();
  const count = async id => Number((await text(id)).replaceAll(',', ''));
  const lane_of = region => page.locator('#lanes .lane', {hasText: `duel/region=${region}`});

  before(async () => {
    mkdirSync(pictures, {recursive: true});
    cluster = await Cluster.start('--masters', '2', '--workers', '2', '--boot-ms', '300');
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
    await eventually('since when it knows', async () =>
      /^Known since \d\d:\d\d:\d\d, when this page was opened\.$/.test(await text('course_since')));
    assert.match(await text('match_note'), /^no match since \d\d:\d\d:\d\d, when this page was opened$/);
  });

  test('shows rooms as they appear and fill, and the lock as it changes hands', async () => {
    const loaded = cluster.load(96, 6);
    await eventually('rooms', async () => await count('rooms_count') >= 6);
    await eventually('seats', async () => await count('seats_count') >= 96);
    assert.equal((await loaded).code, 0);
    await eventually('all rooms', async () => await count('rooms_count') >= 12);
    await eventually('holders of locks', async () =>
      await page.locator('#lanes .lane rect.holds').count() > 0);
    await eventually('the lock in words', async () =>
      /m1 has the lock of duel\/region=g\d, token \d+\.m1/.test(await text('events')));
    await eventually('orders in words', async () =>
      /m1 ordered a room of duel\/region=g\d at w[12]/.test(await text('events')));
    await eventually('locks are counted', async () => await count('locks_count') > 0);
  });

  test('says how long matches and boots took, and that no room was a duplicate', async () => {
    await eventually('time to match', async () => /^≈ [\d.]+ m?s$/.test(await text('match_time')));
    assert.match(await text('match_note'), /^median; p99 ≈ [\d.]+ m?s, mean [\d.]+ m?s$/);
    const mean = (await text('boot_note')).match(/mean ([\d.]+) (m?s)$/);
    assert.ok(mean, await text('boot_note'));
    const boot_ms = Number(mean[1]) * (mean[2] === 's' ? 1000 : 1);
    // The news of the start may be late as well as that of the end.
    assert.ok(boot_ms >= 200 && boot_ms < 10_000, `games take 300 ms to boot, not ${boot_ms}`);
    assert.equal(await text('duplicates_count'), '0');
  });

  test('shows the lock of one group go from master to master, with its tokens', async () => {
    const {room_id} = await (await cluster.match('h0', 'hands', 1)).json();
    await eventually('m2 had it', async () =>
      /last m2, \d+\.m2/.test(await lane_of('hands').textContent()));
    assert.equal(await lane_of('hands').locator('rect.other').count(), 1);
    const {capacity} = await (await fetch(`${cluster.admins[0]}/v1/rooms/${room_id}`)).json();
    const players = Array.from({length: capacity}, (_, i) => cluster.match(`h${i + 1}`, 'hands'));
    for (const answer of await Promise.all(players)) assert.equal(answer.status, 200);
    await eventually('m1 had it', async () =>
      /last m1, \d+\.m1/.test(await lane_of('hands').textContent()));
    assert.ok(await lane_of('hands').locator('rect.holds').count() > 0);
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

  test('reads the log of a room, drains one, closes another, drains a worker', async () => {
    const of_phase = async phase => {
      const rooms = (await (await fetch(`${cluster.admins[1]}/v1/rooms`)).json()).rooms;
      return rooms.filter(room => phase(room.phase)).length;
    };
    const before_all = await count('rooms_count');
    await page.locator('#board').focus();
    await page.keyboard.press('Home');
    await page.locator('#read_log').click();
    await eventually('its log', async () => await page.locator('#log').isVisible());
    assert.equal(await text('log_text'), 'It has written nothing yet.');
    await page.keyboard.press('Escape');
    await page.locator('#drain_room').click();
    await eventually('it is told', async () => /takes no more players/.test(await text('room_done')));
    await eventually('the other master knows', async () =>
      await of_phase(phase => phase === 'draining') >= 1 || await count('rooms_count') < before_all);

    await page.locator('#board').focus();
    await page.keyboard.press('End');
    const last = (await text('room_words')).split(' ')[0];
    await page.locator('#close_room').click();
    assert.ok(await page.locator('#ask').isVisible());
    await page.keyboard.press('Escape');
    assert.equal((await fetch(`${cluster.admins[1]}/v1/rooms/${last}`)).status, 200);
    await page.locator('#close_room').click();
    await page.locator('#agree').click();
    await eventually('the other master knows that it is closed', async () =>
      (await fetch(`${cluster.admins[1]}/v1/rooms/${last}`)).status === 404);

    await page.locator('#workers tr', {hasText: 'w1'}).getByRole('button').click();
    await page.locator('#agree').click();
    await eventually('it drains', async () =>
      (await fetch(`${cluster.worker_admins[0]}/readyz`)).status === 503);
    const resume = page.locator('#workers tr', {hasText: 'w1'}).getByRole('button', {name: 'Resume'});
    await resume.click();
    await eventually('it goes on', async () =>
      (await fetch(`${cluster.worker_admins[0]}/readyz`)).status === 200);
    await eventually('and is shown so', async () =>
      /takes orders/.test(await page.locator('#workers tr', {hasText: 'w1'}).textContent()));
  });

  test('has a name for each control, and each is reached with the keys and shows it', async () => {
    const cdp = await page.context().newCDPSession(page);
    const {nodes} = await cdp.send('Accessibility.getFullAXTree');
    const roles = ['application', 'button', 'combobox', 'link', 'region', 'searchbox'];
    const controls = nodes.filter(node => !node.ignored && roles.includes(node.role?.value));
    assert.ok(controls.length > 10, `${controls.length} controls`);
    assert.deepEqual(controls.filter(node => !node.name?.value).map(node => node.role.value), []);

    const name_of = `e => e.id || e.getAttribute('aria-label') || e.textContent.trim()`;
    const wanted = await page.evaluate(`[...document.querySelectorAll(
        'a[href],button,select,input,summary,[tabindex="0"]')]
      .filter(e => e.checkVisibility({visibilityProperty: true})).map(${name_of})`);
    await page.evaluate(() => document.activeElement.blur());
    const reached = new Set();
    for (let i = 0; i < 2 * wanted.length; ++i) {
      await page.keyboard.press('Tab');
      const now = await page.evaluate(`(() => {
        const e = document.activeElement, style = getComputedStyle(e);
        return {name: (${name_of})(e), body: e === document.body,
          outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2};
      })()`);
      if (now.body) continue;
      assert.ok(now.outlined, `${now.name} has the focus, and nobody sees it`);
      reached.add(now.name);
    }
    assert.deepEqual(wanted.filter(name => !reached.has(name)), []);
  });

  test('reads out what somebody does, and not what happens all the time', async () => {
    assert.equal((await cluster.load(96, 6)).code, 0);
    await page.locator('#board').focus();
    await page.keyboard.press('Home');
    assert.match(await text('room_said'), /^w[12]-/);
    const spoken = await page.evaluate(() => {
      const regions = document.querySelectorAll(
          '[role=status],[role=alert],[role=log],[aria-live]');
      window.spoken = [];
      const observer = new MutationObserver(all => window.spoken.push(...all.map(each =>
        each.target.parentElement?.id)));
      for (const region of regions) {
        observer.observe(region, {subtree: true, childList: true, characterData: true});
      }
      return [...regions].map(region => region.id);
    });
    assert.deepEqual(spoken.sort(), ['link', 'room_done', 'room_said', 'workers_done']);
    const rooms = await count('rooms_count');
    assert.equal((await cluster.load(96, 6)).code, 0);
    await eventually('rooms have changed', async () => await count('rooms_count') !== rooms);
    assert.deepEqual(await page.evaluate(() => window.spoken), []);
  });

  test('shows who waits and for how long, while no worker starts rooms', async () => {
    const tell_workers = what => Promise.all(cluster.worker_admins.map(async url => {
      assert.ok((await fetch(`${url}/v1/${what}`, {method: 'POST'})).ok);
    }));
    await tell_workers('drain');
    await eventually('both drain', async () =>
      await page.locator('#workers tr', {hasText: 'duel drained'}).count() === 2);
    const answer = cluster.match('late', 'nowhere');
    const row = page.locator('#waiting_rows tr', {hasText: 'duel/region=nowhere'});
    await eventually('it waits', async () => await row.count() === 1);
    assert.equal(await row.locator('td').nth(1).textContent(), '1');
    await eventually('for seconds', async () =>
      /^[2-9]\.\d s$/.test(await row.locator('td').nth(2).textContent()));
    assert.match(await text('waiting_note'), /^the oldest for [\d.]+ m?s; \d+ were refused$/);
    await tell_workers('resume');
    assert.equal((await answer).status, 200);
    await eventually('nobody waits', async () => await text('waiting_more') === 'Nobody waits.');
    assert.equal(await count('waiting_count'), 0);
  });

  test('shows what players say as text, and nothing else', async () => {
    const name = '<img src=x onerror=alert(1)>';
    assert.equal((await cluster.match('mallory', name)).status, 200);
    await eventually('her group', async () => /(<|%3C)img/.test(await text('events')));
    assert.equal(await page.locator('main img').count(), 0);
  });

  test('looks as it should, in the light, in the dark and on a phone', async () => {
    const played = cluster.churn(20, 10, 5000, 12);
    await eventually('rooms with players', async () => await count('rooms_count') >= 12 &&
      !/: 0 playing/.test(await text('seats_note')));
    for (const [scheme, width] of
      [['light', 1400], ['dark', 1400], ['light', 420], ['dark', 420]]) {
      await page.setViewportSize({width, height: 1000});
      await page.emulateMedia({colorScheme: scheme});
      await sleep(500);  // for a picture of what is drawn once a frame
      await page.screenshot({path: `${pictures}/dashboard-${scheme}-${width}.png`, fullPage: true});
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} > ${width}: the page is cut off`);
    }
    await page.setViewportSize({width: 1400, height: 1000});
    assert.equal((await played).code, 0);
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

// Drives `fixkeep-lab race` through its page, as a visitor of a stand would, and looks at
// what the clusters then do. Each test starts a race of its own and ends it by its process id.
//
// Usage: scripts/browser.sh [WORD | OPTION OF node --test …]
'use strict';

const assert = require('node:assert/strict');
const {mkdirSync} = require('node:fs');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');
const {Running, eventually, sleep, wait_limit_ms} = require('../support/cluster.js');

const pictures = 'build/browser/pictures';
const lab = 'build/release/bin/fixkeep-lab';

class RunningRace extends Running {
  static async start(...options) {
    const race = new RunningRace(['race', '--port', '0', ...options], lab);
    [race.url] = await race.said(/http:\S+/);
    return race;
  }

  async state() {
    return (await fetch(`${this.url}state`)).json();
  }

  // Once a round is full and its collisions are counted.
  async full_round(after_round = 0) {
    return eventually('a full round', async () => {
      const state = await this.state();
      return state.round > after_round && state.stage === 'full' && state;
    });
  }
}

let browser;
before(async () => {
  mkdirSync(pictures, {recursive: true});
  browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium'});
});
after(() => browser?.close());

// A page of the race, with all that its console complains of.
async function open(race, options = {}) {
  const context = await browser.newContext({viewport: {width: 1400, height: 1000}, ...options});
  context.setDefaultTimeout(wait_limit_ms);
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(race.url);
  await page.locator('.lane').first().waitFor();
  return {page, complaints, close: () => context.close()};
}

async function slide(page, id, key, times = 1) {
  await page.locator(`#${id}`).focus();
  for (let pressed = 0; pressed < times; ++pressed) await page.keyboard.press(key);
}

const figure = (page, side, key) =>
  page.locator(`.board.${side} dd[data-figure=${key}] span`).textContent();

describe('a race at 20 ms', () => {
  let race;
  before(async () => { race = await RunningRace.start('--link-delay-ms', '20'); });
  after(async () => { assert.equal(await race.stop('SIGINT'), 0, race.output); });

  test('shows collisions without a lock and none with it', async () => {
    const {page, complaints, close} = await open(race);
    const {contestants: [without, with_lock]} = await race.full_round();
    assert.ok(without.round.collisions > 0);
    assert.ok(without.round.rooms > without.round.needed);
    assert.ok(without.round.wasted_room_seconds > 0);
    assert.equal(with_lock.total.collisions, 0);
    assert.equal(with_lock.round.rooms, with_lock.round.needed);
    assert.equal(with_lock.round.seated, 64);

    await eventually('the headline says so', async () =>
      (await page.locator('#headline').innerText()).match(
        /^Without a lock: \d+ rooms where 8 were needed, \d+ collisions\.\s+With the multiphase lock: 8 rooms\.$/));
    assert.ok(await page.locator('.board.without .room.collided').count() > 0);
    assert.ok(await page.locator('.board.without .lines path').count() > 0);
    assert.equal(await page.locator('.board.with .room.collided').count(), 0);
    assert.equal(await figure(page, 'with', 'collisions'), '0');
    await eventually('every seat is shown', async () =>
      await page.locator('.board.with .seats .occupied').count() === 64);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('looks right in any light and on any screen', async () => {
    for (const width of [1400, 420]) {
      for (const colorScheme of ['light', 'dark']) {
        const {page, complaints, close} = await open(
          race, {viewport: {width, height: width > 600 ? 1000 : 900}, colorScheme});
        const {round} = await race.full_round();
        await race.full_round(round);  // one that the page has seen from its beginning
        await sleep(500);
        await page.screenshot({path: `${pictures}/race-${width}-${colorScheme}.png`,
                               fullPage: true});
        const too_wide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth);
        assert.ok(!too_wide, `${width} px: the page scrolls sideways`);
        assert.deepEqual(complaints, []);
        await close();
      }
    }
  });

  test('shows rooms that boot', async () => {
    const {page, close} = await open(race);
    await page.locator('.board.with .room.booting').first().waitFor();
    await page.screenshot({path: `${pictures}/race-booting.png`});
    await close();
  });
});

describe('the sliders of a race', () => {
  let race;
  let shown;
  before(async () => {
    race = await RunningRace.start('--link-delay-ms', '0', '--boot-ms', '0', '--groups', '3',
                                   '--rate', '30');
    shown = await open(race);
  });
  after(async () => {
    await shown.close();
    assert.equal(await race.stop('SIGINT'), 0, race.output);
  });

  const match_ms = async () => (await race.full_round()).contestants.map(each => each.match_p50_ms);

  // What a match takes at least with links of 80 ms: an order to a worker, and its news that the room
  // is open. The lock costs more. Nothing is compared with an earlier round: that may have been one
  // on a busy machine.
  const two_ways_ms = 160;
  const quick = async () => (await match_ms()).every(ms => ms < two_ways_ms);

  test('change the delay of the links', async () => {
    await eventually('matches are quick', quick);
    await slide(shown.page, 'link_delay_ms', 'ArrowRight', 16);  // by 5 ms each
    await eventually('the change arrives',
                     async () => (await race.state()).settings.link_delay_ms === 80);
    await eventually('matches take two ways',
                     async () => (await match_ms()).every(ms => ms >= two_ways_ms));
    await slide(shown.page, 'link_delay_ms', 'Home');
    await eventually('and are as quick again', quick);
    assert.deepEqual(shown.complaints, []);
  });

  test('change the time that a room boots for', async () => {
    await slide(shown.page, 'boot_ms', 'ArrowRight', 15);  // by 100 ms each
    await eventually('rooms boot for 1500 ms',
                     async () => (await match_ms()).every(ms => ms >= 1450));
    assert.equal(await shown.page.locator('#boot_ms_value').textContent(), '1.5 s');
    await slide(shown.page, 'boot_ms', 'Home');
    await eventually('and for 0 ms again', async () => (await match_ms()).every(ms => ms < 1000));
  });

  test('and its buttons choose the groups, and stop what comes', async () => {
    await shown.page.getByLabel('2', {exact: true}).uncheck();
    await eventually('rounds without group 2', async () => {
      const {asked} = await race.full_round();
      return asked[0] === 8 && asked[1] === 0 && asked[2] === 8;
    });
    await shown.page.getByRole('button', {name: 'Pause'}).click();
    await eventually('it is paused', async () => !(await race.state()).settings.running);
    const {round} = await race.full_round();
    await sleep(4000);  // longer than a full round is shown
    assert.equal((await race.state()).round, round);
    await shown.page.getByRole('button', {name: 'Go on'}).click();
    await race.full_round(round);
    assert.deepEqual(shown.complaints, []);
  });

  test('kill, stop and cut off a master in both clusters, and let it run again', async () => {
    const exact = async (after_round, fate) => eventually(`a round with m2 ${fate}`, async () => {
      const state = await race.full_round(after_round);
      const [, locked] = state.contestants;
      return state.settings.masters[1] === fate && locked.round.asked === locked.round.seated && state;
    });
    const m2 = shown.page.locator('#masters select').nth(1);
    for (const fate of ['killed', 'stopped', 'cut', 'runs']) {
      const {round} = await race.state();
      await m2.selectOption(fate);
      const {contestants: [, locked]} = await exact(round, fate);
      assert.equal(locked.round.rooms, locked.round.needed, fate);
      assert.match(await shown.page.locator('.board.with .holders').textContent(), /Two holders of one lock: 0 in/);
    }
    assert.deepEqual(shown.complaints, []);
  });

  test('let two locks race, chosen on the page', async () => {
    await shown.page.locator('.board.without select.lock').selectOption('lamport');
    const state = await eventually('lamport on the left', async () => {
      const now = await race.full_round();
      return now.contestants[0].lock === 'lamport' && now;
    });
    for (const {round} of state.contestants) assert.equal(round.rooms, round.needed);
    assert.equal(await shown.page.locator('#name0').textContent(), 'With the lamport lock');
    await shown.page.screenshot({path: `${pictures}/race-two-locks.png`, fullPage: true});
    assert.deepEqual(shown.complaints, []);
  });

  test('can be reached with the keyboard, and say what they are', async () => {
    await shown.page.reload();
    await shown.page.locator('.lane').first().waitFor();
    const reached = [];
    for (let pressed = 0; pressed < 5; ++pressed) {
      await shown.page.keyboard.press('Tab');
      reached.push(await shown.page.evaluate(() => document.activeElement.id));
    }
    assert.deepEqual(reached, ['link_delay_ms', 'boot_ms', 'rate', 'spread_ms', 'running']);
    const slider = shown.page.getByRole('slider', {name: 'Link delay, one way'});
    assert.equal(await slider.getAttribute('aria-valuetext'), '0 ms');
  });

  test('refuse what comes from another site, or makes no sense', async () => {
    const post = (headers, body) =>
      fetch(`${race.url}settings`, {method: 'POST', headers, body: JSON.stringify(body)});
    const json = {'content-type': 'application/json'};
    const foreign = await post({...json, origin: 'http://example.org'}, {rate: 5});
    assert.equal(foreign.status, 403);
    assert.equal(foreign.headers.get('content-type'), 'application/problem+json');
    assert.equal((await post({'content-type': 'text/plain'}, {rate: 5})).status, 403);
    const wrong = await post(json, {rate: 5000});
    assert.equal(wrong.status, 400);
    assert.match((await wrong.json()).detail, /"rate" must be a number from 1 to 100/);
    assert.equal((await race.state()).settings.rate, 30);
  });
});

describe('a race of rules that widen', () => {
  let race;
  before(async () => {
    race = await RunningRace.start('--rules', 'configs/matching/skirmish.json', '--boot-ms', '300');
  });
  after(async () => { assert.equal(await race.stop('SIGINT'), 0, race.output); });

  test('shows who played with whom, and what was refused, in any light and on any screen', async () => {
    for (const [width, colorScheme] of [[1400, 'light'], [420, 'dark']]) {
      const {page, complaints, close} = await open(race, {viewport: {width, height: 1000}, colorScheme});
      const {round} = await race.full_round();
      const {contestants} = await race.full_round(round);
      for (const [index, side] of ['without', 'with'].entries()) {
        const {spread_p50, rooms} = contestants[index];
        assert.ok(spread_p50 > 0);
        assert.ok(rooms.some(room => room.numbers?.[0] < room.numbers?.[1]));
        await eventually('its spread', async () => Number(await figure(page, side, 'spread_p50')) > 0);
        await eventually('the numbers of a room', async () =>
          /\d–\d/.test(await page.locator(`.board.${side} .room .fill`).first().textContent()));
        assert.equal(await page.locator(`.board.${side} dd[data-figure=collisions]`).count(), 0);
      }
      assert.match(await page.locator('#headline').textContent(),
          /Without a lock: \d+ rooms?(, \d+ orders? refused)?, a median spread of \d+\./);
      await page.screenshot({path: `${pictures}/race-rules-${width}-${colorScheme}.png`, fullPage: true});
      const too_wide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      assert.ok(!too_wide, `${width} px: the page scrolls sideways`);
      assert.deepEqual(complaints, []);
      await close();
    }
  });
});

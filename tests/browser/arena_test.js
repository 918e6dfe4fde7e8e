// Plays the game of clients/arena in a browser: two players meet and see each other move, a master is
// killed, they play on, and a third one comes into the same room.
//
// FIXKEEP_ARENA=URL plays one that runs already, as scripts/play.sh has started it; it is not ended.
'use strict';

const assert = require('node:assert/strict');
const {mkdirSync} = require('node:fs');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');
const {Running, eventually, sleep, wait_limit_ms} = require('../support/cluster.js');

const pictures = 'build/browser/pictures';

describe('the arena', () => {
  let game, browser, url;
  const complaints = [];

  async function come(name, viewport = {width: 1400, height: 900}) {
    const page = await (await browser.newContext({viewport})).newPage();
    page.setDefaultTimeout(wait_limit_ms);
    page.on('pageerror', error => complaints.push(String(error)));
    await page.goto(`${url}?name=${name}`);
    return page;
  }
  const sees = (page, name) => page.locator('.player', {hasText: name});
  const place = (page, name) => sees(page, name).getAttribute('data-at');
  const room_of = async page =>
    (await page.locator('#state').textContent()).match(/in room (\S+),/)?.[1];
  async function moves(page, name, other) {
    const from = await place(other, name);
    await page.locator('#field').focus();
    await page.keyboard.press(from.startsWith('1.') ? 'ArrowLeft' : 'ArrowRight');
    await eventually(`${name} is seen to move`, async () => await place(other, name) !== from);
  }

  before(async () => {
    mkdirSync(pictures, {recursive: true});
    url = process.env.FIXKEEP_ARENA;
    if (!url) {
      game = new Running(['clients/arena/play.js', '--port', '0'], process.execPath);
      [, url] = await game.said(/(http:\S+)/);
    }
    browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
  });
  after(async () => {
    await browser?.close();
    if (game) assert.equal(await game.stop('SIGINT'), 0, game.output);
  });

  let ann, bob;
  test('lets two players meet and see each other move', async () => {
    [ann, bob] = await Promise.all([come('ann'), come('bob')]);
    await sees(ann, 'bob').waitFor();
    await sees(bob, 'ann').waitFor();
    assert.equal(await room_of(ann), await room_of(bob));
    await moves(ann, 'ann', bob);
    await moves(bob, 'bob', ann);
  });

  test('goes on when a master is killed, and a third player comes into the same room', async () => {
    await ann.getByRole('button', {name: 'Kill master 1'}).click();
    await eventually('it is seen to be gone', async () => await ann.locator('.dead').count() === 1);
    await moves(ann, 'ann', bob);
    const cid = await come('cid');
    await sees(cid, 'ann').waitFor();
    await sees(ann, 'cid').waitFor();
    assert.equal(await room_of(cid), await room_of(ann));
    await moves(cid, 'cid', bob);
  });

  test('looks right on a screen and on a phone', async () => {
    for (const width of [1400, 420]) {
      await ann.setViewportSize({width, height: width > 600 ? 640 : 780});
      await sleep(300); // for a picture of what is drawn once a frame
      await ann.screenshot({path: `${pictures}/arena-${width}.png`});
      const wide = await ann.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} > ${width}: the page is cut off`);
    }
    assert.deepEqual(complaints, []);
  });

  test('shows no player who has left', async () => {
    await bob.close();
    await eventually('bob is gone', async () => await sees(ann, 'bob').count() === 0);
  });
});

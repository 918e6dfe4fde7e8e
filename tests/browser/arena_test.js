// Plays the game of clients/arena in a browser: two players meet and see each other move, a master is
// killed, they play on, and a third one comes into the same room.
//
// Once more by TLS: the room is at wss://, and goes on while its certificate is renewed.
//
// FIXKEEP_ARENA=URL plays a game that already runs, from scripts/play.sh. The test does not end it.
'use strict';

const assert = require('node:assert/strict');
const {execFileSync} = require('node:child_process');
const {mkdirSync, renameSync} = require('node:fs');
const {connect} = require('node:tls');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');
const {Running, eventually, sleep, wait_limit_ms} = require('../support/cluster.js');

const pictures = 'build/browser/pictures';

let browser;
before(async () => {
  mkdirSync(pictures, {recursive: true});
  browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
});
after(() => browser?.close());

const complaints = [];

// The page of the player `name`. page.rooms has the URLs of its WebSockets.
async function come_to(url, name, viewport = {width: 1400, height: 900}) {
  const page = await (await browser.newContext({viewport, ignoreHTTPSErrors: true})).newPage();
  page.rooms = [];
  page.on('websocket', socket => page.rooms.push(socket.url()));
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

describe('the arena', () => {
  let game, url;
  const come = (name, viewport) => come_to(url, name, viewport);

  before(async () => {
    url = process.env.FIXKEEP_ARENA;
    if (url) return;
    game = new Running(['clients/arena/play.js', '--port', '0'], process.execPath);
    [, url] = await game.said(/(http:\S+)/);
  });
  after(async () => {
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

describe('the arena by TLS', () => {
  let game, url, certificate;
  before(async () => {
    game = new Running(['clients/arena/play.js', '--port', '0', '--tls'], process.execPath);
    [, certificate] = await game.said(/certificate is in (\S+)\./);
    [, url] = await game.said(/(https:\S+)/);
  });
  after(async () => assert.equal(await game.stop('SIGINT'), 0, game.output));

  // The serial number that a newcomer sees at the room's port.
  const shown_at = room => new Promise((done, failed) => {
    const {hostname: host, port} = new URL(room);
    const socket = connect({host, port, rejectUnauthorized: false}, () => {
      done(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    }).on('error', failed);
  });

  test('plays over wss, and goes on while the certificate is renewed', async () => {
    const [ann, bob] = await Promise.all([come_to(url, 'ann'), come_to(url, 'bob')]);
    await sees(ann, 'bob').waitFor();
    assert.match(ann.rooms[0], /^wss:\/\/127\.0\.0\.1:\d+\//);
    await moves(ann, 'ann', bob);

    const before = await shown_at(ann.rooms[0]);
    execFileSync('openssl', ['req', '-x509', '-key', certificate.replace(/pem$/, 'key'), '-days', '60', '-subj', '/CN=localhost',
      '-out', `${certificate}.new`]);
    renameSync(`${certificate}.new`, certificate);
    await eventually('newcomers see the new certificate', async () => await shown_at(ann.rooms[0]) !== before);

    await moves(bob, 'bob', ann);
    assert.equal(ann.rooms.length, 1, 'the connection has not broken');
    const cid = await come_to(url, 'cid');
    await sees(cid, 'ann').waitFor();
    await moves(cid, 'cid', bob);
    assert.deepEqual(complaints, []);
  });
});

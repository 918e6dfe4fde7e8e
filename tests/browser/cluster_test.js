// Drives build/web/cluster.html as a reader would, from its file, and compares its states with those of the
// native program.
//
// Usage: scripts/web.sh --test [OPTION OF node --test …]
'use strict';

const assert = require('node:assert/strict');
const {execFileSync, spawnSync} = require('node:child_process');
const {mkdirSync, readFileSync, statSync} = require('node:fs');
const {resolve} = require('node:path');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');
const {eventually, wait_limit_ms} = require('../support/cluster.js');

const pictures = 'build/browser/pictures';
const file = resolve('build/web/cluster.html');
const mesh_locks = ['multiphase', 'lamport', 'ricart-agrawala', 'carvalho-roucairol', 'suzuki-kasami', 'naimi-trehel', 'raymond', 'maekawa', 'tree-quorum', 'coordinator', 'two-phase'];

let browser;
before(async () => {
  mkdirSync(pictures, {recursive: true});
  browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium'});
});
after(() => browser?.close());

// A page with the state of `text`. It notes every error of the console and every request.
async function open(text = 'steps=0', options = {}) {
  const context = await browser.newContext({viewport: {width: 1400, height: 1000}, ...options});
  context.setDefaultTimeout(wait_limit_ms);
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('request', request => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`it asks ${request.url()}`);
  });
  await page.goto(`file://${file}#${text}`);
  await page.locator('#names button').first().waitFor();
  return {page, complaints, close: () => context.close()};
}

const text_of = page => page.evaluate(() => window.cluster.text());
const state_text = page => page.evaluate(() => window.cluster.world.state_text());
const state_of = async page => JSON.parse(await state_text(page));
// Lets simulated time pass at once.
const pass = (page, ms) => page.evaluate(each => {
  window.cluster.advance(window.cluster.clock + each * 1000);
  window.cluster.draw();
}, ms);

// The states of the native program for these texts.
function native(texts) {
  const said = execFileSync('build/release/bin/fixkeep-web-states', {input: texts.map(each => `${each}\n`).join('')});
  return said.toString().trimEnd().split('\n');
}

const press = (page, name) => page.getByRole('button', {name, exact: true}).click();
const pick = (page, key) => page.locator(`#ring [data-key="${key}"]`).dispatchEvent('click');

describe('the cluster in a browser', () => {
  test('is one file below 2 MB', () => assert.ok(statSync(file).size < 2_000_000));

  test('runs every lock as the native program does', async () => {
    const {page, complaints, close} = await open();
    const {locks} = await page.evaluate(() => window.cluster.engine.choices());
    for (const lock of mesh_locks) assert.ok(locks.includes(lock), lock);
    const texts = [];
    const states = [];
    for (const lock of locks) {
      await page.locator('#lock').selectOption(lock);
      await page.evaluate(() => window.cluster.play(false));
      await pass(page, 4000);
      const state = await state_of(page);
      assert.ok(state.grants > 5, `${lock}: ${state.grants} holds`);
      if (lock === 'none') assert.ok(state.most_holders > 1);
      else assert.equal(state.most_holders, 1, lock);
      texts.push(await text_of(page));
      states.push(await state_text(page));
    }
    assert.deepEqual(native(texts), states);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('stops, kills, cuts and heals by click, and a link gives the same state again', async () => {
    const {page, complaints, close} = await open('masters=5&seed=3');
    await page.evaluate(() => window.cluster.play(false));
    await pass(page, 600);
    await pick(page, '2');
    await press(page, 'Stop');
    assert.equal((await state_of(page)).nodes[1].life, 'stopped');
    await pass(page, 500);
    await press(page, 'Continue');
    await page.locator('#names button').nth(2).click();
    await press(page, 'Kill');
    assert.equal((await state_of(page)).nodes[2].life, 'killed');
    await pass(page, 300);
    await press(page, 'Start');
    await pick(page, '1-4');
    await press(page, 'Cut m1 → m4');
    await pass(page, 700);
    assert.deepEqual((await state_of(page)).links.filter(each => each.cut).map(({from, to}) => [from, to]), [[1, 4]]);
    await press(page, 'Heal m1 → m4');
    await press(page, 'Cut both ways');
    await pass(page, 200);
    await press(page, 'Heal both');
    await pick(page, '0-2');
    await page.getByRole('button', {name: 'Slow', exact: true}).last().click();
    await page.getByRole('button', {name: 'Hold', exact: true}).first().click();
    await pass(page, 400);
    const state = await state_of(page);
    assert.ok(state.grants > 3);
    assert.equal(state.stale, 0);

    const text = await text_of(page);
    const shown = await state_text(page);
    await page.evaluate(() => window.cluster.play(false));
    assert.equal(decodeURI(new URL(page.url()).hash.slice(1)), text);
    assert.deepEqual(native([text]), [shown]);
    const again = await open(text);
    assert.equal(await state_text(again.page), shown);
    assert.deepEqual([...complaints, ...again.complaints], []);
    await again.close();
    await close();
  });

  test('steps back and forward through the same states, with the commands', async () => {
    const {page, complaints, close} = await open('masters=3&seed=8&steps=90');
    await pick(page, '1');
    await press(page, 'Kill');
    for (let i = 0; i < 12; ++i) await press(page, 'Step ▶');
    const states = [await state_text(page)];
    for (let i = 0; i < 20; ++i) {
      await press(page, '◀ Step back');
      states.push(await state_text(page));
    }
    assert.equal(JSON.parse(states.at(-1)).nodes[0].life, 'running');
    assert.equal(new Set(states).size, states.length);
    for (let i = states.length - 2; i >= 0; --i) {
      await page.keyboard.press('Escape');
      await press(page, 'Step ▶');
      assert.equal(await state_text(page), states[i]);
    }
    assert.deepEqual(complaints, []);
    await close();
  });

  test('is usable with the keyboard', async () => {
    const {page, complaints, close} = await open('steps=40');
    await page.locator('#ring [data-key="3"]').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', {name: 'Master m3'}).waitFor();
    await page.locator('#ring [data-key="3"]').focus();
    await page.keyboard.press('ArrowRight');
    await eventually('a step', async () => (await state_of(page)).steps === 41);
    await page.keyboard.press('ArrowLeft');
    await eventually('the step before', async () => (await state_of(page)).steps === 40);
    await page.keyboard.press(' ');
    await eventually('it runs', async () => (await state_of(page)).steps > 45);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('moves lanes up and down', async () => {
    const {page, complaints, close} = await open('steps=60');
    const names = () => page.locator('#names b').allTextContents();
    const [first, third] = [await page.locator('#names button').nth(0).boundingBox(), await page.locator('#names button').nth(2).boundingBox()];
    await page.mouse.move(first.x + 30, first.y + 30);
    await page.mouse.down();
    await page.mouse.move(third.x + 30, third.y + 30, {steps: 8});
    await page.mouse.up();
    assert.deepEqual(await names(), ['m2', 'm3', 'm1', 'worker']);
    await page.locator('#names button').nth(3).focus();
    await page.keyboard.press('Alt+ArrowUp');
    assert.deepEqual(await names(), ['m2', 'm3', 'worker', 'm1']);
    await page.locator('#names button').nth(1).click();
    await page.getByRole('heading', {name: 'Master m3'}).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  test('says what is wrong with an address', async () => {
    const {page, complaints, close} = await open('lock=luck');
    await page.getByText('The address of this page is wrong: lock cannot be "luck".').waitFor();
    assert.equal((await state_of(page)).nodes.length, 3);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('has lessons that end as they say', async () => {
    const {page, complaints, close} = await open();
    const ends = await page.evaluate(() => lessons.map(({id, plan, until_us, ends: wanted}) => {
      window.cluster.open(`${plan}&lesson=${id}`);
      window.cluster.play(false);
      window.cluster.advance(until_us);
      const state = window.cluster.engine.state_text();
      return {id, wanted, state, text: window.cluster.text()};
    }));
    assert.ok(ends.length >= 10);
    for (const {id, wanted, state} of ends) {
      const seen = JSON.parse(state);
      for (const [name, value] of Object.entries(wanted)) assert.deepEqual(seen[name], value, `${id}: ${name}`);
    }
    assert.deepEqual(native(ends.map(each => each.text)), ends.map(each => each.state));
    await page.getByRole('link', {name: 'Play: A stopped holder, and the fence'}).click();
    await page.getByRole('heading', {name: 'Lesson 4: A stopped holder, and the fence'}).waitFor();
    await eventually('the lesson pauses at its end', async () => page.evaluate(() => !window.cluster.running));
    assert.match(await page.locator('#lesson').textContent(),
      /ends here: at most 2 holders at once; 1 write accepted, 1 refused, 0 with a lower token accepted/);
    // Stepping pauses at the end.
    await press(page, 'Play again');
    await page.evaluate(() => window.cluster.play(false));
    const stepped = await page.evaluate(() => {
      const {until} = window.cluster;
      for (let steps = 0; window.cluster.until === until && steps < 1000; ++steps) window.cluster.step();
      return [window.cluster.clock === until, window.cluster.state.at < until, document.getElementById('lesson').textContent.includes('ends here')];
    });
    assert.deepEqual(stepped, [true, true, true]);
    await press(page, 'Play again');
    // The same schedule without the fence.
    await page.getByLabel('fence: a new holder shows its token, and the worker refuses lower ones').uncheck();
    await page.getByRole('heading', {name: 'Lesson 4: A stopped holder, and the fence'}).waitFor();
    await eventually('it pauses at its end again', async () => page.evaluate(() => !window.cluster.running));
    assert.match(await page.locator('#lesson').textContent(), /1 write accepted, 0 refused, 1 with a lower token/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('plays every scenario of the locks to its end', async () => {
    const {page, complaints, close} = await open();
    const ends = await page.evaluate(() => playlist.map(({plan, text, left_out, lines, begins}) => {
      window.cluster.open(plan);
      const begin = JSON.parse(window.cluster.world.state_text());
      window.cluster.play(false);
      window.cluster.advance(window.cluster.until);
      window.cluster.draw();
      const end = window.cluster.state;
      return {plan, text, left_out, begin, end, lines: lines.length - begins,
        marked: document.querySelectorAll('#lesson .script .now').length};
    }));
    assert.ok(ends.length > 108, `${ends.length} lessons`);
    for (const {plan, text, left_out, begin, end, lines, marked} of ends) {
      assert.match(text, /^[^.]+\. [^.]+\.$/, plan);
      assert.equal(begin.steps, 0, plan);
      assert.equal(end.next, null, plan);
      assert.ok(end.steps > 0 && end.steps <= lines, plan);
      assert.equal(marked, 1, plan);
      if (left_out) assert.ok(end.holders.length > 1, plan);
    }
    await page.evaluate(() => window.cluster.open(''));
    await page.locator('#playlist summary', {hasText: 'lamport'}).click();
    await page.getByRole('link', {name: 'Play: Nobody enters before its turn', exact: true}).click();
    await page.getByRole('heading', {name: 'lamport: Nobody enters before its turn'}).waitFor();
    await page.getByText('The scenario ends here. Every expectation holds.').waitFor();
    const shown = await state_text(page);
    const again = await open(await text_of(page));
    assert.deepEqual(JSON.parse(await again.page.evaluate(() => window.cluster.world.state_text())).steps, JSON.parse(shown).steps);
    await again.close();
    await press(page, 'Step ▶');
    assert.equal((await state_of(page)).next, null);
    await press(page, '◀ Step back');
    assert.notEqual((await state_of(page)).next, null);
    const ignored = await page.evaluate(() => {
      window.cluster.open('scenario=ricart_agrawala_an_answer_does_not_outlive_its_question');
      window.cluster.go(Infinity);
      return window.cluster.story.arrows.filter(each => each.ignored).map(({from, to, what, round}) => [from, to, what, round]);
    });
    assert.deepEqual(ignored, [[2, 1, 'Reply', 1]]);
    await page.evaluate(() => window.cluster.open('scenario=lamport_nobody_enters_before_its_turn'));
    await press(page, 'Next lesson');
    await page.getByRole('heading', {name: 'lamport: Nobody enters before its turn: without the rule first'}).waitFor();
    await page.getByText('The scenario ends here: two masters hold the lock.').waitFor();
    assert.equal((await state_of(page)).holders.length, 2);
    await press(page, 'Back to the cluster');
    await page.locator('#settings').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  test('shows a trace of the simulator', async () => {
    const {page, complaints, close} = await open();
    const text = execFileSync('build/release/bin/fixkeep-sim', ['--seed', '7', '--trace']).toString();
    await page.setInputFiles('#trace', {name: 'seed-7.txt', mimeType: 'text/plain', buffer: Buffer.from(text)});
    await page.getByRole('heading', {name: 'multiphase: seed-7.txt'}).waitFor();
    const nodes = [...new Set([...text.matchAll(/^ *[\d.]+ ([mw]\d+) /gm)].map(each => each[1]))].toSorted();
    assert.deepEqual(await page.locator('#names b').allTextContents(), nodes);
    const taken = [...text.matchAll(/LockTaken (g\d+) /g)].map(each => each[1]);
    assert.ok(taken.length > 2);
    for (const key of new Set(taken)) {
      await page.getByLabel('Group').selectOption(key);
      await page.evaluate(() => window.cluster.go(Infinity));
      const {grants, most_holders, messages, next} = await state_of(page);
      assert.deepEqual([grants, most_holders, next], [taken.filter(each => each === key).length, 1, null]);
      assert.ok(messages > 20, `${messages} messages`);
    }
    await page.locator('#place').fill('139');
    assert.equal((await state_of(page)).steps, 139);
    await press(page, '◀ Step back');
    assert.equal((await state_of(page)).steps, 138);
    await page.locator('#zoom').fill('4');
    for (const width of [1400, 420]) {
      await page.setViewportSize({width, height: 1000});
      await page.screenshot({path: `${pictures}/trace-${width}.png`, fullPage: true});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    }
    await page.setInputFiles('#trace', {name: 'poem.txt', mimeType: 'text/plain', buffer: Buffer.from('a poem\n')});
    await page.getByText('poem.txt cannot be shown: this file has no line of fixkeep-sim --trace.').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  test('shows a run of real masters and workers', async () => {
    const {page, complaints, close} = await open();
    const file = `${pictures}/run.jsonl`;
    execFileSync('build/release/bin/fixkeep-client-sim', ['compare', '--locks', 'none,multiphase', '--players', '64', '--groups', '2',
      '--events', file], {stdio: 'ignore'});
    const events = readFileSync(file, 'utf8').trimEnd().split('\n').map(each => JSON.parse(each));
    await page.setInputFiles('#trace', file);
    await page.getByRole('heading', {name: 'none: run.jsonl'}).waitFor();
    const groups = page.getByLabel('Group');
    const keys = await groups.locator('option').evaluateAll(all => all.map(each => each.value));
    assert.equal(keys.length, 4);
    for (const key of keys) {
      await groups.selectOption(key);
      await page.evaluate(() => window.cluster.go(Infinity));
      const [run, group] = key.split(': ');
      const mine = events.filter(each => each.run === run && each.group === group);
      const count = what => mine.filter(each => each.event === what).length;
      const {grants, most_holders, next} = await state_of(page);
      assert.deepEqual([grants, next], [count('lock-granted'), null]);
      if (run.startsWith('multiphase')) assert.equal(most_holders, 1);
      const arrows = await page.evaluate(() => window.cluster.story.arrows.map(({what, lost, end, from, to}) => ({what, lost, end, from, to})));
      assert.equal(arrows.filter(each => each.what === 'Order').length, count('room-ordered'));
      assert.equal(arrows.filter(each => each.what === 'Fence').length, count('fence-asked'));
      assert.ok(arrows.every(each => each.end !== null && !each.lost && each.from > 0 && each.to > 0));
    }
    for (const width of [1400, 420]) {
      await page.setViewportSize({width, height: 1000});
      await page.screenshot({path: `${pictures}/run-${width}.png`, fullPage: true});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    }
    await page.setInputFiles('#trace', {name: 'poem.jsonl', mimeType: 'text/plain', buffer: Buffer.from('{"a":"poem"}\n')});
    await page.getByText('poem.jsonl cannot be shown: line 1 is no event with "node" and "at_us".').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  test('shows the history of a foreign lock, with both of its holders', async () => {
    const {page, complaints, close} = await open();
    const file = `${pictures}/wrong.jsonl`;
    spawnSync('build/release/bin/fixkeep-lab', ['lock', '--seconds', '4', '--rounds', '1', '--faults', 'kill', '--servers', 'redis', '--history', file, '--',
      'python3', 'lab/adapters/wrong.py'], {stdio: 'ignore'});
    await page.setInputFiles('#trace', file);
    await page.getByRole('heading', {name: 'own lock: wrong.jsonl'}).waitFor();
    await page.getByLabel('Key').selectOption('kill-1-1');
    await page.evaluate(() => window.cluster.go(Infinity));
    const events = readFileSync(file, 'utf8').trimEnd().split('\n').map(each => JSON.parse(each)).filter(each => each.fault === 'kill');
    const {grants, most_holders, messages} = await state_of(page);
    assert.equal(grants, events.filter(each => each.what === 'acquired').length);
    assert.equal(messages, 0);
    assert.ok(most_holders > 1);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('shows rooms that appear twice without a lock only', async () => {
    const {page, close} = await open();
    const titles = await page.locator('#boards h3').allTextContents();
    assert.match(titles[0], /^Without a lock: [3-9] rooms, 2 needed$/);
    assert.equal(titles[1], 'With the multiphase lock: 2 rooms, 2 needed');
    assert.equal(await page.locator('#boards .board').nth(1).locator('.taken').count(), 8);
    await close();
  });

  test('draws five masters within the time of a frame', async t => {
    const {page, close} = await open('masters=5');
    await page.evaluate(() => { window.cluster.speed = 0.6; });
    const {frames, ms} = await page.evaluate(() => new Promise(done => {
      const begins = performance.now();
      let count = 0;
      const next = () => {
        if (++count < 180) return requestAnimationFrame(next);
        const drawn = window.cluster.frames.toSorted((a, b) => a - b);
        done({frames: count * 1000 / (performance.now() - begins), ms: drawn[drawn.length >> 1]});
      };
      requestAnimationFrame(next);
    }));
    t.diagnostic(`${frames.toFixed(0)} frames a second, ${ms.toFixed(2)} ms for one (median)`);
    assert.ok(ms < 1000 / 60, `${ms} ms`);
    await close();
  });

  test('saves the lanes as an SVG that can be read', async () => {
    const {page, complaints, close} = await open('masters=3&seed=4&steps=170');
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Save as SVG')]);
    assert.equal(download.suggestedFilename(), 'lock-multiphase.svg');
    const text = readFileSync(await download.path(), 'utf8');
    const faults = await page.evaluate(each => new DOMParser().parseFromString(each, 'image/svg+xml')
      .querySelectorAll('parsererror').length, text);
    assert.equal(faults, 0);
    assert.match(text, /MyLock\(\d+\)/);
    assert.match(text, /<polygon/);
    assert.ok(text.length < 40_000, `${text.length} bytes`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('looks right in any light and on any screen', async () => {
    for (const width of [1400, 420]) {
      for (const colorScheme of ['light', 'dark']) {
        const {page, complaints, close} = await open('masters=5&seed=2&steps=170&do=120@900000.stop.4~140@980000.cut.1.3',
          {viewport: {width, height: 1000}, colorScheme});
        await page.screenshot({path: `${pictures}/cluster-${width}-${colorScheme}.png`, fullPage: true});
        const too_wide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth);
        assert.ok(!too_wide, `${width} px: the page scrolls sideways`);
        await page.evaluate(() => {
          window.cluster.open('scenario=one_reset_does_not_wake_a_lurker_while_another_asks&steps=12');
          document.querySelector('#playlist details').open = true;
        });
        await page.screenshot({path: `${pictures}/scenario-${width}-${colorScheme}.png`, fullPage: true});
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
        assert.deepEqual(complaints, []);
        await close();
      }
    }
  });
});

// The page of a report: what it draws of each kind of data, of a file that is dropped on it, and what
// it says of a file that it cannot draw.
//
// Usage: scripts/browser.sh [WORD | OPTION OF node --test …]
'use strict';

const assert = require('node:assert/strict');
const {execFileSync} = require('node:child_process');
const {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} = require('node:fs');
const {tmpdir} = require('node:os');
const {join, resolve} = require('node:path');
const {after, before, describe, test} = require('node:test');
const {chromium} = require('playwright-core');

const pictures = 'build/browser/pictures';
const programs = 'build/release/bin';
const place = mkdtempSync(join(tmpdir(), 'fixkeep-report-'));
const file = name => join(place, name);
const report = name => [`--json=${file(`${name}.json`)}`, `--report=${file(`${name}.html`)}`];

let browser;
before(async () => {
  mkdirSync(pictures, {recursive: true});
  browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium'});
  // A run that is blamed exits with 1, which is no matter here.
  const run = (program, ...args) => {
    try {
      execFileSync(`${programs}/${program}`, args, {stdio: 'pipe'});
    } catch (failure) {
      assert.equal(failure.status, 1, String(failure.stderr));
    }
  };
  run('fixkeep-client-sim', 'compare', '--locks=none,multiphase', '--groups=16', '--players=128', '--boot-ms=300',
    '--link-delay-ms=0,20', '--seeds=2', ...report('runs'));
  run('fixkeep-lab', 'locks', '--quick', '--locks=none,multiphase,maekawa', ...report('locks'));
  run('fixkeep-lab', 'lock', '--name=wrong', '--servers=redis', '--faults=stop,kill', '--seconds=4', '--outage-ms=1000',
    ...report('own'), '--', 'python3', 'lab/adapters/wrong.py');
  run('fixkeep-lab', 'theory', '--masters=3,9', '--grants=200', '--seeds=2', ...report('theory'));
  run('fixkeep-lab', 'pools', '--rules=configs/matching/duel.json', '--rate=40', '--duration-s=3', '--boot-ms=50',
    '--wait-ms=5000', ...report('pools'));
  run('fixkeep-lab', 'replay', 'configs/matching/duel.json', '--tickets=3000', '--against=configs/matching/skirmish.json',
    ...report('replay'));
});
after(async () => {
  await browser?.close();
  rmSync(place, {recursive: true});
});

async function open(name, options = {}) {
  const context = await browser.newContext({viewport: {width: 1400, height: 1000}, ...options});
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`file://${resolve(file(`${name}.html`))}`);
  await page.locator('h1').waitFor();
  return {page, complaints, close: () => context.close()};
}

const headings = page => page.locator('section h2').allTextContents();
// Whether anything is drawn on the canvas of the section.
const drawn = (page, id) => page.locator(`#${id} canvas`).first().evaluate(canvas =>
  canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte !== 0));

describe('a report', () => {
  for (const [name, parts] of [
    ['runs', ['Over the distance', 'Where the time of a match goes', 'Rooms made and needed', 'Rooms over time',
      'The first collision without a lock', 'Every room with multiphase', 'Time to match', 'Figures', 'How this was made']],
    ['locks', ['Promises', 'The holder is killed', 'Fairness on one key', 'Alone', 'Contended',
      'Messages per acquisition', 'The burst: time to match', 'Figures']],
    ['own', ['What went wrong', 'wrong', 'Time without a holder: the holder is killed', 'During faults', 'How this was made']],
    ['theory', ['What the papers say', 'Messages over masters', 'Response time over load', 'Waits at load 0.8', 'Figures']],
    ['pools', ['In short', 'Waiting', 'Who meets whom']],
    ['replay', ['In short', 'Against hindsight', 'Waiting', 'By hour', 'By rating', 'Figures']]]) {
    test(`of ${name} is one page with all its parts, wide, narrow and dark`, async () => {
      for (const [width, colorScheme] of [[1400, 'light'], [420, 'light'], [1400, 'dark']]) {
        const {page, complaints, close} = await open(name, {viewport: {width, height: 1000}, colorScheme});
        const shown = await headings(page);
        for (const part of parts) assert.ok(shown.includes(part), `${part} in ${shown}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        await page.screenshot({path: `${pictures}/report-${name}-${width}-${colorScheme}.png`, fullPage: true});
        assert.deepEqual(complaints, []);
        await close();
      }
    });
  }

  test('of runs says first how many rooms were made twice, and draws them', async () => {
    const {page, close} = await open('runs');
    const {runs} = JSON.parse(readFileSync(file('runs.json'), 'utf8'));
    const twice = runs.filter(run => run.lock === 'none').reduce((all, run) => all + run.duplicate_rooms, 0);
    assert.ok(twice > 1, String(twice));
    assert.equal(await page.locator('h1').textContent(), `${twice} duplicate rooms without a lock, 0 with multiphase`);
    assert.ok(await drawn(page, 'rooms-over-time-20-ms-one-way'));
    assert.ok(await drawn(page, 'over-distance-burst'));
    const made = page.locator('#rooms-made-20-ms-one-way .bar');
    const [none, multiphase] = await made.evaluateAll(bars => bars.map(bar => bar.getBoundingClientRect().width));
    assert.ok(none > multiphase, `${none} > ${multiphase}`);
    assert.ok(await page.locator('#first-collision-none-20-ms-one-way text.bad').count() > 0);
    for (const id of ['rooms-made-20-ms-one-way', 'over-distance-burst']) {
      await page.locator(`#${id}`).screenshot({path: `${pictures}/${id}.png`});
    }
    await close();
  });

  test('of a foreign lock says first that it was caught', async () => {
    const {page, close} = await open('own');
    assert.equal(await page.locator('h1').textContent(), 'Caught: wrong');
    await close();
  });

  test('of locks puts the lock without a holder for longest last, and none behind it', async () => {
    const {page, close} = await open('locks');
    const names = await page.locator('#promises td:first-child').allTextContents();
    assert.deepEqual(names, ['multiphase', 'maekawa', 'none']);
    assert.equal(await page.locator('#holder-killed .bar.never').count(), 2);
    const cells = await page.locator('#promises tr', {hasText: 'multiphase'}).locator('td').allTextContents();
    const [killed, vanished] = [cells[4], cells[6]].map(text => Number(text.replace(',', '')));
    assert.ok(vanished > 100 && killed < vanished, `${killed} ms without a holder whose sockets closed, ${vanished} ms otherwise`);
    const [cut, believers, leader] = cells.slice(7);
    assert.ok(Number(cut.replace(',', '')) > 100, `${cut} ms after a cut`);
    assert.match(believers, /^[01]\/1$/);
    assert.equal(leader, '–');
    await close();
  });

  test('opens a JSON file that is dropped on it, also an old one', async () => {
    const {page, complaints, close} = await open('locks');
    const {runs} = JSON.parse(readFileSync(file('runs.json'), 'utf8'));
    const added = ['curve', 'match_times_ms', 'fills', 'timeline', 'first_collision', 'one_way', 'needed_ms',
      'events_missing'];
    for (const run of runs) for (const key of added) delete run[key];
    const drop = text => page.evaluate(body => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([body], 'old.json'));
      document.dispatchEvent(new DragEvent('drop', {dataTransfer: transfer, bubbles: true}));
    }, text);
    await drop(JSON.stringify({runs}));
    await page.locator('h1', {hasText: 'duplicate room'}).waitFor();
    assert.ok((await headings(page)).includes('Over the distance'));

    const said = page.locator('#trouble');
    for (const [text, wanted] of [['{', /is no JSON/], ['{"a":1}', /is no report of FIX Keep/],
      ['{"schema":9,"runs":[{}]}', /has schema 9; this page reads up to 1/], ['{"runs":[{}]}', /cannot be drawn/]]) {
      await drop(text);
      await said.filter({hasText: wanted}).waitFor();
      assert.match(await page.locator('h1').textContent(), /^\d+ duplicate room/, 'what was shown stays');
    }
    assert.deepEqual(complaints, []);
    await close();
  });

  test('runs no script that a name brings', async () => {
    const {runs} = JSON.parse(readFileSync(file('runs.json'), 'utf8'));
    for (const run of runs) run.lock = '<img src=x onerror=document.title=1></script><script>document.title=2</script>';
    const text = readFileSync(file('runs.html'), 'utf8');
    const begin = text.indexOf('id="data">') + 'id="data">'.length;
    const data = JSON.stringify({runs}).replaceAll('<', '\\u003c');
    writeFileSync(file('strange.html'), text.slice(0, begin) + data + text.slice(text.indexOf('</script>', begin)));
    const {page, complaints, close} = await open('strange');
    assert.match(await page.title(), /^FIX Keep: .*onerror/);
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });
});

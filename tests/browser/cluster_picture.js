// Makes the pictures of docs/locks.md from build/web/cluster.html: three masters want the lock at nearly the same time.
//
// Usage: node tests/browser/cluster_picture.js FOLDER      with playwright-core in NODE_PATH, as scripts/browser.sh has it
'use strict';

const {writeFileSync} = require('node:fs');
const {join, resolve} = require('node:path');
const {chromium} = require('playwright-core');

const locks = ['multiphase', 'lamport', 'ricart-agrawala', 'carvalho-roucairol', 'suzuki-kasami', 'naimi-trehel', 'raymond', 'maekawa', 'tree-quorum', 'coordinator', 'two-phase'];
const hold_us = 50_000;
const seeds = {'two-phase': 41};  // a run with few refused proposals
const asks = [[0, 2], [8_000, 1], [60_000, 3]];  // after the first one, by master

// Every master holds the lock once. Its later holds then need no fence, and the picture shows the lock alone.
function draw({lock, seed, asks: wanted, hold_us: hold}) {
  const cluster = window.cluster;
  cluster.open(`lock=${lock}&players=hand&seed=${seed}`);
  const bars = id => cluster.story.bars.get(id) ?? [];
  const leave_in_time = until => {
    while (cluster.clock < until) {
      for (const id of cluster.state.holders) {
        if (bars(id).at(-1).from + hold <= cluster.clock) cluster.command(`leave.${id}`);
      }
      cluster.advance(cluster.clock + 1_000);
    }
  };
  leave_in_time(200_000);
  for (const id of [1, 2, 3]) {
    cluster.command(`ask.${id}`);
    leave_in_time(cluster.clock + 400_000);
  }
  const from = cluster.clock - 10_000;
  for (const [after, id] of wanted) {
    leave_in_time(from + 10_000 + after);
    cluster.command(`ask.${id}`);
  }
  let busy = true;
  while (busy && cluster.clock < from + 1_000_000) {
    leave_in_time(cluster.clock + 10_000);
    busy = [1, 2, 3].some(id => bars(id).some(({to}) => to === null));
  }
  leave_in_time(cluster.clock + 50_000);
  return svg_of_lanes(cluster.story, [1, 2, 3, 0], from, cluster.clock, `Three masters take turns with the ${lock} lock`);
}

(async () => {
  const [folder] = process.argv.slice(2);
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium'});
  const page = await browser.newPage();
  await page.goto(`file://${resolve('build/web/cluster.html')}#steps=0`);
  await page.locator('#names button').first().waitFor();
  for (const lock of locks) {
    writeFileSync(join(folder, `lock-${lock}.svg`), await page.evaluate(draw, {lock, seed: seeds[lock] ?? 1, asks, hold_us}));
  }
  await browser.close();
})();

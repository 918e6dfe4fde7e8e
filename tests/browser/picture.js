// Takes pictures of sections of a report, for documents. Those in docs/pictures are from a run with
// --locks none,multiphase --groups 32 --players 256 --boot-ms 500 --link-delay-ms 0,2,20,80 --seeds 5.
//
// Usage: node tests/browser/picture.js PAGE FOLDER SECTION…      with playwright-core in NODE_PATH, as scripts/browser.sh has it
'use strict';

const {join, resolve} = require('node:path');
const {chromium} = require('playwright-core');

(async () => {
  const [file, folder, ...sections] = process.argv.slice(2);
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium'});
  const page = await browser.newPage({viewport: {width: 1000, height: 800}, deviceScaleFactor: 2});
  await page.goto(`file://${resolve(file)}`);
  for (const section of sections) {
    await page.locator(`#${section}`).screenshot({path: join(folder, `${section}.png`)});
  }
  await browser.close();
})();

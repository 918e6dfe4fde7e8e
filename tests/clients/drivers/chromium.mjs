// Drives clients/js in a page of Debian's chromium for tests/clients/run.py, whose head says what
// FIXKEEP_CALL has. The page has an origin of its own, so every request to a master is one of a
// foreign page, which the browser asks leave for.
//
// Usage: chromium.mjs serve     a browser for all rows, until its input ends; prints where it listens
//        chromium.mjs           one call, in the browser at FIXKEEP_BROWSER

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const root = new URL("../../../", import.meta.url);
const { chromium } = createRequire(new URL("build/browser/", root))("playwright-core");
const scripts = ["/tests/clients/drivers/row.mjs", "/clients/js/index.js"];

async function serve() {
  const args = ["--no-sandbox"];
  const browser = await chromium.launchServer({ executablePath: "/usr/bin/chromium", args });
  console.log(browser.wsEndpoint());
  process.stdin.resume().on("end", () => browser.close().then(() => process.exit(0)));
}

function servePage() {
  const server = createServer((request, answer) => {
    if (scripts.includes(request.url)) {
      answer.writeHead(200, { "Content-Type": "text/javascript" });
      answer.end(readFileSync(new URL("." + request.url, root)));
    } else {
      answer.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>row</title>");
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));
}

async function playRow() {
  const call = JSON.parse(process.env.FIXKEEP_CALL);
  const port = await servePage();
  const browser = await chromium.connect(process.env.FIXKEEP_BROWSER);
  const page = await (await browser.newContext()).newPage();
  await page.exposeFunction("tell", (told) => console.log(JSON.stringify(told)));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.evaluate(() => void (window.cancel = new AbortController()));
  const done = page.evaluate(async (given) => {
    const { play } = await import("/tests/clients/drivers/row.mjs");
    await play(given, window.cancel.signal, window.tell);
  }, call);
  if (call.cancel_file) {
    while (!existsSync(call.cancel_file)) await sleep(20);
    await page.evaluate(() => window.cancel.abort());
  }
  await done;
  await sleep(call.linger_ms ?? 0);
  process.exit(0);
}

await (process.argv[2] === "serve" ? serve() : playRow());

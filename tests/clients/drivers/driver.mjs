// Drives clients/js in Node for tests/clients/run.py, whose head says what FIXKEEP_CALL has.

import { existsSync } from "node:fs";

import { play } from "./row.mjs";

const call = JSON.parse(process.env.FIXKEEP_CALL);
const cancel = new AbortController();
if (call.cancel_file) {
  setInterval(() => existsSync(call.cancel_file) && cancel.abort(), 20).unref();
}
await play(call, cancel.signal, (told) => console.log(JSON.stringify(told)));
setTimeout(() => process.exit(0), call.linger_ms ?? 0);

// Drives clients/js for tests/clients/run.py, whose head says what FIXKEEP_CALL has.

import { existsSync } from "node:fs";

import { MatchClient, MatchError } from "../../../clients/js/index.js";

const call = JSON.parse(process.env.FIXKEEP_CALL);
const cancel = new AbortController();
if (call.cancel_file) {
  setInterval(() => existsSync(call.cancel_file) && cancel.abort(), 20).unref();
}
const options = { limitMs: call.limit_ms, keepOrder: call.keep_order };
if (call.random !== undefined) options.random = () => call.random;
if (call.tokens) {
  options.token = async () => (call.tokens.length > 1 ? call.tokens.shift() : call.tokens[0]);
}

async function outcome() {
  try {
    const client = new MatchClient(call.masters, options);
    return { outcome: "seat", seat: await client.findSeat(call.wanted, { signal: cancel.signal }) };
  } catch (error) {
    if (error instanceof TypeError) return { outcome: "wrong-use", detail: error.message };
    if (!(error instanceof MatchError)) throw error;
    return { outcome: error.outcome, type: error.type, detail: error.detail, status: error.status };
  }
}

for (let i = 0; i < call.calls; ++i) {
  const began = performance.now();
  const told = await outcome();
  console.log(JSON.stringify({ ...told, took_ms: performance.now() - began }));
}
setTimeout(() => process.exit(0), call.linger_ms ?? 0);

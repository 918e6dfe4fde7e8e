// What a driver of clients/js does with one call of tests/clients/run.py, in Node and in a page: it
// tells what came of it by `tell`, once for each time the call is made.

import { MatchClient, MatchError } from "../../../clients/js/index.js";

export async function play(call, signal, tell) {
  const options = { limitMs: call.limit_ms, keepOrder: call.keep_order };
  if (call.random !== undefined) options.random = () => call.random;
  if (call.tokens) {
    options.token = async () => (call.tokens.length > 1 ? call.tokens.shift() : call.tokens[0]);
  }
  for (let i = 0; i < call.calls; ++i) {
    const began = performance.now();
    const told = await outcome(call, options, signal);
    await tell({ ...told, took_ms: performance.now() - began });
  }
}

async function outcome({ masters, wanted }, options, signal) {
  try {
    const client = new MatchClient(masters, options);
    return { outcome: "seat", seat: await client.findSeat(wanted, { signal }) };
  } catch (error) {
    if (error instanceof TypeError) return { outcome: "wrong-use", detail: error.message };
    if (!(error instanceof MatchError)) throw error;
    return { outcome: error.outcome, type: error.type, detail: error.detail, status: error.status };
  }
}

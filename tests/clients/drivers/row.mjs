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
    const told = []; // by the callback
    const ended = await outcome(call, options, { signal, onChange: (news) => told.push(news) });
    await tell({ ...ended, told, took_ms: performance.now() - began });
  }
}

function seatOf(client, { wanted, ticket, resume }, { signal, onChange }) {
  if (resume !== undefined) return client.resume(resume, { signal, onChange });
  if (ticket) return client.findSeatByTicket(wanted, { signal, onChange });
  return client.findSeat(wanted, { signal });
}

async function outcome(call, options, how) {
  try {
    const client = new MatchClient(call.masters, options);
    return { outcome: "seat", seat: await seatOf(client, call, how) };
  } catch (error) {
    if (error instanceof TypeError) return { outcome: "wrong-use", detail: error.message };
    if (!(error instanceof MatchError)) throw error;
    return { outcome: error.outcome, type: error.type, detail: error.detail, status: error.status };
  }
}

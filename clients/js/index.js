// SPDX-License-Identifier: MIT
// Requests a seat from the masters of FIX Keep. Runs in browsers and Node 18 or later with fetch.
//
// MatchClient.findSeat tries the masters in turn. It ends when a master returns a seat or refuses
// the request, when the time limit is over, or when the caller aborts. All clients of FIX Keep
// react to answers in the same way: see docs/clients.md and its tests, tests/clients/table.txt.
//
// Bounds: limitMs for one call with all pauses; 64 KiB per answer; wait_ms plus five seconds per
// answer. The runtime limits the time to connect, within these bounds. Errors: MatchError with an
// `outcome`; TypeError for wrong use; an error that `token` throws. List the origin of your page in
// http.allowed_origins of the masters, unless the page and the master have the same origin.

const ANSWER_MS = 35_000; // without wait_ms: the master's default of 30 s, plus GRACE_MS
const GRACE_MS = 5_000; // the extra time for an answer after wait_ms
const ANSWER_BYTES = 64 * 1024;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const PROBLEM = "urn:fixkeep:error:";
const ELSEWHERE = ["not-ready", "stopping", "too-many-connections"]; // errors of a single master

/** No seat. `outcome`: "refused", "too-late" or "cancelled". `type`: the master's error type. */
export class MatchError extends Error {
  constructor(outcome, { type = "", detail = outcome, status = 0 } = {}) {
    super(type ? `${type}: ${detail}` : detail);
    Object.assign(this, { name: "MatchError", outcome, type, detail, status });
  }
}

export class MatchClient {
  #masters;
  #options;

  constructor(masters, options = {}) {
    this.#masters = masters.map(endpointOf);
    if (this.#masters.length === 0) throw new TypeError("there is no master to ask");
    this.#options = { limitMs: 120_000, random: Math.random, keepOrder: false, ...options };
  }

  /** Returns the seat from POST /v1/match. `signal` aborts the call and closes its connection. */
  async findSeat(wanted, { signal } = {}) {
    const order = [...this.#masters];
    const { random, keepOrder } = this.#options;
    for (let i = order.length - 1; i > 0 && !keepOrder; --i) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return new Search(order, this.#options, wanted, signal).run();
  }
}

class Search {
  #ready; // the time from which each master may be asked again
  #tries = 0;
  #next = 0;
  #last = { detail: "no master was asked" };

  constructor(order, options, wanted, signal) {
    Object.assign(this, { order, options, signal });
    this.body = JSON.stringify(wanted);
    this.answerMs = wanted.wait_ms == null ? ANSWER_MS : wanted.wait_ms + GRACE_MS;
    this.end = now() + options.limitMs;
    this.#ready = order.map(() => 0);
  }

  async run() {
    const source = this.options.token;
    let token = source && checked(await source(false));
    let renewed = false;
    for (;;) {
      const at = await this.#awaitAMaster();
      let answer;
      try {
        answer = await this.#ask(this.order[at], token);
      } catch (error) {
        if (this.signal?.aborted) throw new MatchError("cancelled");
        const why = error.cause?.message || error.message || "no answer";
        this.#waitWith(at, true, { detail: `${this.order[at]}: ${why}` });
        renewed = false;
        continue;
      }
      if (answer.status === 200 && isSeat(answer.object)) return answer.object;
      if (answer.status === 401 && source && !renewed) {
        token = checked(await source(true));
        renewed = true;
        this.#next = at;
        continue;
      }
      renewed = false;
      this.#consider(at, answer);
    }
  }

  #consider(at, { status, after, object }) {
    if (typeof object.type !== "string" || !object.type.startsWith(PROBLEM)) {
      // Another program answered, such as a load balancer. Another master may be reachable.
      this.#waitWith(at, true, { detail: `${this.order[at]}: status ${status}` }, after);
      return;
    }
    const type = object.type.slice(PROBLEM.length);
    const problem = { type, detail: String(object.detail ?? ""), status };
    if (status !== 408 && status !== 429 && status < 500) throw new MatchError("refused", problem);
    this.#waitWith(at, ELSEWHERE.includes(type), problem, after);
  }

  async #awaitAMaster() {
    const count = this.order.length;
    const began = now();
    let at = this.#next;
    for (let i = 1; i < count; ++i) {
      const other = (this.#next + i) % count;
      if (this.#ready[other] < this.#ready[at] && this.#ready[at] > began) at = other;
    }
    if (Math.max(this.#ready[at], began) >= this.end) throw new MatchError("too-late", this.#last);
    await pause(this.#ready[at] - began, this.signal);
    this.#next = (at + 1) % count;
    return at;
  }

  #waitWith(at, elsewhere, problem, afterS) {
    const spread = 1 + this.options.random() / 2;
    const round = Math.min(Math.floor(this.#tries / this.order.length), 10);
    let ms = (Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** round) * spread) / 1.5;
    if (afterS !== undefined) ms = Math.max(afterS * 1000, FIRST_PAUSE_MS) * spread;
    const until = now() + ms;
    this.#ready = this.#ready.map((ready, i) =>
      elsewhere && i !== at ? ready : Math.max(ready, until),
    );
    this.#tries += 1;
    this.#last = problem;
  }

  /** Returns status, Retry-After and object of an answer. Throws if it is late or broken. */
  async #ask(url, token) {
    const headers = { "Content-Type": "application/json", Accept: "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    const ending = new AbortController();
    const hangUp = () => ending.abort(new Error("no answer in time"));
    const timer = setTimeout(hangUp, timerMs(Math.min(this.answerMs, this.end - now())));
    this.signal?.addEventListener("abort", hangUp);
    try {
      const { body, signal } = { body: this.body, signal: ending.signal };
      const init = { method: "POST", headers, body, signal, redirect: "manual", cache: "no-store" };
      const answer = await fetch(url, { ...init, credentials: "omit" });
      const after = answer.headers.get("Retry-After") ?? "";
      return {
        status: answer.status,
        after: /^[0-9]{1,9}$/.test(after) ? Number(after) : undefined,
        object: objectOf(await textOf(answer)),
      };
    } finally {
      clearTimeout(timer);
      this.signal?.removeEventListener("abort", hangUp);
      ending.abort(); // drops the unread rest of the answer
    }
  }
}

async function textOf(answer) {
  if (!answer.body) return "";
  const reader = answer.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > ANSWER_BYTES) throw new Error("the answer is too long");
    text += decoder.decode(value, { stream: true });
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new MatchError("cancelled"));
    if (ms <= 0) return resolve();
    const end = (act, what) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      act(what);
    };
    const abort = () => end(reject, new MatchError("cancelled"));
    const timer = setTimeout(() => end(resolve), timerMs(ms));
    signal?.addEventListener("abort", abort);
  });
}

function now() {
  return performance.now();
}

/** Limits a timer: one of more than 24 days would fire immediately. */
function timerMs(ms) {
  return Math.min(Math.max(ms, 0), LONGEST_TIMER_MS);
}

function endpointOf(address) {
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.search || url.username) {
    throw new TypeError(`a master is http://HOST:PORT or https://HOST:PORT, not ${address}`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/match`;
  return url.href;
}

/** Rejects a token with other characters: a line break would add a header to the request. */
function checked(token) {
  if (token && !/^[A-Za-z0-9\-._~+/=]+$/.test(token)) {
    throw new TypeError("a token has letters, digits and -._~+/= alone (RFC 6750)");
  }
  return token;
}

/** Returns the JSON object, or an empty object: a load balancer may answer with anything. */
function objectOf(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

function isSeat(answer) {
  const texts = ["room_id", "address", "seat_token"].every((of) => typeof answer[of] === "string");
  return texts && Number.isInteger(answer.port) && answer.port > 0 && answer.port < 65536;
}

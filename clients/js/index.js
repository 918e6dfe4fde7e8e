// Asks the masters of FIX Keep for a seat, from a browser or from Node 18 or later, by fetch alone.
//
// MatchClient.findSeat asks one master after the other until one gives a seat, one refuses, the
// time is over, or the caller aborts. What it does with each answer is the same in all clients of
// FIX Keep, and stands in docs/clients.md; tests/clients/table.txt holds it to that.
//
// Bounds: limitMs of one call, with all its waits; 64 KiB of an answer; wait_ms and five seconds
// for each. How long a connection may take to come up is the runtime's, within these. Errors:
// MatchError, whose outcome says which; TypeError for wrong use. What `token` throws goes through.
// A page of another origin has to be in http.allowed_origins of the masters.

const ANSWER_MS = 35_000; // where the request has no wait_ms: the 30 s of a master, and then some
const GRACE_MS = 5_000; // what an answer may take beyond wait_ms
const ANSWER_BYTES = 64 * 1024;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const PROBLEM = "urn:fixkeep:error:";
const ELSEWHERE = ["not-ready", "stopping", "too-many-connections"]; // troubles of one master alone

/** There is no seat. `outcome` is "refused", "too-late" or "cancelled"; `type` is the master's. */
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

  /** The answer of POST /v1/match. `signal` aborts, and hangs up. */
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
  #ready; // when each master may be asked again
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
      // Somebody else speaks for this master, such as a balancer: another one may be reached.
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

  /** Status, Retry-After and object of one answer; throws if none comes whole and in time. */
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
      ending.abort(); // lets go of what was not read
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

/** A timer of more than 24 days would fire at once. */
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

/** A token that would end its line would say more than a token. */
function checked(token) {
  if (token && !/^[A-Za-z0-9\-._~+/=]+$/.test(token)) {
    throw new TypeError("a token has letters, digits and -._~+/= alone (RFC 6750)");
  }
  return token;
}

/** The JSON object, or an empty one: answers of balancers are anything. */
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

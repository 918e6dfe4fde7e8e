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
const TICKET_MS = 10_000; // to make a ticket
const POLL_S = 25; // how long a master holds a poll
const POLL_PAUSE_MS = 1_000; // after a poll that ended without news before half of its time
const ANSWER_BYTES = 64 * 1024;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const PROBLEM = "urn:fixkeep:error:";
// Errors of a single master.
const ELSEWHERE = ["not-ready", "stopping", "too-many-connections", "already-waiting"];

const GO_ON = Symbol("no seat yet");

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
    return new MatchSearch(this.#order(), this.#options, wanted, signal).run();
  }

  /**
   * Returns the seat like findSeat. A ticket keeps the player's age if a connection breaks or a
   * master ends: use it for waits of more than a few seconds. onChange(news) receives each new
   * state (waiting, matched, ready) as the master's answer about the ticket. Store news.ticket, and
   * give it to resume after a restart. `signal` ends the ticket, which takes at most five seconds.
   * After "too-late" the ticket is still valid; without resume it ends by itself.
   */
  async findSeatByTicket(wanted, { signal, onChange } = {}) {
    const body = JSON.stringify(wanted);
    return new TicketSearch(this.#order(), this.#options, { body, onChange }, signal).run();
  }

  /** Continues the ticket of an earlier findSeatByTicket, in the same way. */
  async resume(ticket, { signal, onChange } = {}) {
    if (!isTicket(ticket)) throw new TypeError("this is no ticket: give the text of news.ticket");
    return new TicketSearch(this.#order(), this.#options, { ticket, onChange }, signal).run();
  }

  #order() {
    const order = [...this.#masters];
    const { random, keepOrder } = this.#options;
    for (let i = order.length - 1; i > 0 && !keepOrder; --i) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}

/** Asks one master after the other. A subclass has request(at): what is asked; and take(at, answer),
 *  which returns the seat, GO_ON, or undefined if the answer is not the wanted one. */
class Search {
  ready; // the time from which each master may be asked again
  tries = 0;
  next = 0;
  #last = { detail: "no master was asked" };
  #token;

  constructor(order, options, signal) {
    Object.assign(this, { order, options, signal, ready: order.map(() => 0) });
    this.end = now() + options.limitMs;
  }

  async run() {
    const source = this.options.token;
    this.#token = source && checked(await source(false));
    let renewed = false;
    for (;;) {
      const at = await this.#awaitAMaster();
      let answer;
      try {
        answer = await this.ask(at, this.request(at));
      } catch (error) {
        if (this.signal?.aborted) throw new MatchError("cancelled");
        const why = error.cause?.message || error.message || "no answer";
        this.#waitWith(at, true, { detail: `${this.order[at]}: ${why}` });
        renewed = false;
        continue;
      }
      if (answer.status === 401 && source && !renewed) {
        this.#token = checked(await source(true));
        renewed = true;
        this.next = at;
        continue;
      }
      renewed = false;
      const taken = this.take(at, answer);
      if (taken === undefined) this.#consider(at, answer);
      else if (taken !== GO_ON) return taken;
    }
  }

  #consider(at, { status, after, object, type }) {
    if (!type) {
      // Another program answered, such as a load balancer. Another master may be reachable.
      this.#waitWith(at, true, { detail: `${this.order[at]}: status ${status}` }, after);
      return;
    }
    const problem = { type, detail: String(object.detail ?? ""), status };
    const elsewhere = ELSEWHERE.includes(type);
    if (!elsewhere && status !== 408 && status !== 429 && status < 500) {
      throw new MatchError("refused", problem);
    }
    this.#waitWith(at, elsewhere, problem, after);
  }

  async #awaitAMaster() {
    const count = this.order.length;
    const began = now();
    let at = this.next;
    for (let i = 1; i < count; ++i) {
      const other = (this.next + i) % count;
      if (this.ready[other] < this.ready[at] && this.ready[at] > began) at = other;
    }
    if (Math.max(this.ready[at], began) >= this.end) throw new MatchError("too-late", this.#last);
    await pause(this.ready[at] - began, this.signal);
    this.next = (at + 1) % count;
    return at;
  }

  #waitWith(at, elsewhere, problem, afterS) {
    const round = Math.min(Math.floor(this.tries / this.order.length), 10);
    const usual = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** round) / 1.5;
    const until = now() + (afterS === undefined ? usual * this.spread() : this.pauseAfter(afterS));
    this.ready = this.ready.map((ready, i) =>
      elsewhere && i !== at ? ready : Math.max(ready, until),
    );
    this.tries += 1;
    this.#last = problem;
  }

  spread() {
    return 1 + this.options.random() / 2;
  }

  pauseAfter(afterS) {
    return Math.max(afterS * 1000, FIRST_PAUSE_MS) * this.spread();
  }

  /** Returns the answer of a master. Throws if it is late or broken. */
  async ask(at, { method, path, body, fields, answerMs }) {
    const headers = { Accept: "application/json", ...fields };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const ending = new AbortController();
    const hangUp = () => ending.abort(new Error("no answer in time"));
    const timer = setTimeout(hangUp, timerMs(Math.min(answerMs, this.end - now())));
    this.signal?.addEventListener("abort", hangUp);
    try {
      const init = { method, headers, body, signal: ending.signal, redirect: "manual" };
      const rest = { cache: "no-store", credentials: "omit" };
      const answer = await fetch(this.order[at] + path, { ...init, ...rest });
      const after = answer.headers.get("Retry-After") ?? "";
      const object = objectOf(await textOf(answer));
      return {
        status: answer.status,
        after: /^[0-9]{1,9}$/.test(after) ? Number(after) : undefined,
        tag: answer.headers.get("ETag") ?? "",
        object,
        type: typeOf(object),
      };
    } finally {
      clearTimeout(timer);
      this.signal?.removeEventListener("abort", hangUp);
      ending.abort(); // drops the unread rest of the answer
    }
  }
}

class MatchSearch extends Search {
  constructor(order, options, wanted, signal) {
    super(order, options, signal);
    const answerMs = wanted.wait_ms == null ? ANSWER_MS : wanted.wait_ms + GRACE_MS;
    const body = JSON.stringify(wanted);
    this.asked = { method: "POST", path: "/v1/match", body, answerMs };
  }

  request() {
    return this.asked;
  }

  take(at, { status, object }) {
    return status === 200 && isSeat(object) ? object : undefined;
  }
}

/** Makes a ticket if it has none, and polls it, at one master as long as that master answers. */
class TicketSearch extends Search {
  #state = ""; // the last one that a master told
  #tag = "";
  #holder = 0;
  #askedAt = 0;

  constructor(order, options, { body, ticket, onChange }, signal) {
    super(order, options, signal);
    Object.assign(this, { body, ticket, onChange });
  }

  async run() {
    try {
      return await super.run();
    } catch (error) {
      if (error.outcome === "cancelled") await this.#delete();
      throw error;
    }
  }

  request(at) {
    this.#holder = at;
    this.#askedAt = now();
    if (this.ticket === undefined) {
      return { method: "POST", path: "/v1/tickets", body: this.body, answerMs: TICKET_MS };
    }
    // The master answers the first poll of a resumed ticket immediately, with the state.
    const fields = this.#state ? { Prefer: `wait=${POLL_S}` } : {};
    if (this.#tag) fields["If-None-Match"] = this.#tag;
    return { method: "GET", path: this.#path(), fields, answerMs: POLL_S * 1000 + GRACE_MS };
  }

  #path() {
    return `/v1/tickets/${this.ticket}`;
  }

  take(at, answer) {
    if (this.ticket === undefined) return this.#takeTicket(at, answer);
    if (answer.status === 304 && this.#tag) return this.#goOn(at, answer, this.#state);
    if (answer.type === "ticket-expired") {
      const detail = String(answer.object.detail ?? "");
      throw new MatchError("too-late", { type: answer.type, detail, status: answer.status });
    }
    return answer.status === 200 ? this.#takeState(at, answer) : undefined;
  }

  #takeTicket(at, answer) {
    const { ticket } = answer.object;
    if (!isTicket(ticket)) return undefined;
    if (answer.status === 201) {
      this.ticket = ticket;
      return this.#takeState(at, answer);
    }
    if (answer.type !== "already-waiting") return undefined;
    this.ticket = ticket; // the answer to an earlier POST was lost
    this.next = at;
    return GO_ON;
  }

  #takeState(at, answer) {
    const { state, seat } = answer.object;
    if (state === "cancelled") {
      this.ticket = undefined;
      throw new MatchError("cancelled");
    }
    if (state === "expired" || state === "failed") {
      throw new MatchError(state === "expired" ? "too-late" : "refused", problemOf(answer.object));
    }
    const ready = state === "ready" && seat && isSeat(seat);
    if (!ready && state !== "waiting" && state !== "matched") return undefined;
    if (state !== this.#state) this.onChange?.({ ...answer.object, ticket: this.ticket });
    if (ready) return seat;
    this.#tag = answer.tag;
    return this.#goOn(at, answer, state);
  }

  /** Polls this master again: immediately, unless it named a time or held no poll. */
  #goOn(at, { after }, state) {
    const early = now() < this.#askedAt + POLL_S * 500;
    let until = state === this.#state && early ? now() + POLL_PAUSE_MS : 0;
    if (after !== undefined) until = now() + this.pauseAfter(after);
    this.ready = this.ready.map((ready) => Math.max(ready, until));
    Object.assign(this, { next: at, tries: 0 });
    this.#state = state;
    return GO_ON;
  }

  /** Ends the ticket where it was polled last. If this fails, the ticket ends by itself. */
  async #delete() {
    if (this.ticket === undefined) return;
    Object.assign(this, { signal: undefined, end: Infinity });
    const request = { method: "DELETE", path: this.#path(), answerMs: GRACE_MS };
    await this.ask(this.#holder, request).catch(() => {});
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
  return url.origin + url.pathname.replace(/\/+$/, "");
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

/** Returns the type of a master's problem; "" if the object is none. */
function typeOf(object) {
  const ours = typeof object.type === "string" && object.type.startsWith(PROBLEM);
  return ours ? object.type.slice(PROBLEM.length) : "";
}

/** Returns the problem of a ticket that has ended. */
function problemOf({ state, problem }) {
  const { detail, status, ...rest } = problem ?? {};
  const why = String(detail || `the ticket is ${state}`);
  return { type: typeOf(rest), detail: why, status: Number.isInteger(status) ? status : 0 };
}

/** Returns whether the text can stand in a path as it is. */
function isTicket(text) {
  return typeof text === "string" && /^[A-Za-z0-9\-._~]{1,4000}$/.test(text);
}

function isSeat(answer) {
  const texts = ["room_id", "address", "seat_token"].every((of) => typeof answer[of] === "string");
  return texts && Number.isInteger(answer.port) && answer.port > 0 && answer.port < 65536;
}

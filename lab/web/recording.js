// A finished run that one can step through: a scenario of a lock, or a trace. It has the calls of Engine that
// show a world, but takes no commands.
/* exported Recording */
'use strict';

class Recording {
  // `steps`: [{line, at, nodes: [{state, token, up}]}]; the first is before all records.
  // `records`: as in Engine, but only a record `sent` has the whole message.
  constructor({masters, steps, records, names = null}) {
    Object.assign(this, {masters, steps, all: records, names, now: 0});
    const sent = new Map();
    for (const each of records) {
      if (!each.message) continue;
      if (each.what === 'sent') {
        each.message.sent = each.at;
        each.message.arrives = null;
        sent.set(each.message.id, each.message);
      } else {
        each.message = sent.get(each.message.id);
        each.message.arrives = each.at;
      }
    }
    for (const message of sent.values()) {
      message.stuck = message.arrives === null;
      message.arrives ??= message.sent + 60_000;
    }
  }

  // The median time of a message.
  message_us() {
    const times = this.all.filter(each => each.what === 'arrived').map(each => each.at - each.message.sent).toSorted((a, b) => a - b);
    return Math.max(1, times[times.length >> 1] ?? 1_000_000);
  }

  get end_us() { return this.steps.at(-1).at; }
  get line() { return this.steps[this.now].line; }

  step() {
    if (this.now + 1 === this.steps.length) return false;
    ++this.now;
    return true;
  }

  run(until_us) {
    while (this.steps[this.now + 1]?.at <= until_us) ++this.now;
  }

  go(step) { this.now = Math.min(step, this.steps.length - 1); }
  command() { return false; }
  commands() { return ''; }
  records(from) { return this.all.slice(from, this.count()); }

  // Records up to the present step.
  count() {
    const after = this.all.findIndex(each => each.step > this.now);
    return after < 0 ? this.all.length : after;
  }

  state_text() {
    const {at, nodes} = this.steps[this.now];
    const count = this.count();
    const seen = {killed: new Set(), stopped: new Set(), waits: new Set(), holds: new Set(), way: new Map(), grants: 0, messages: 0,
      most: 0, two_us: 0, two_since: null};
    for (const each of this.all.slice(0, count)) this.fold(seen, each);
    const shown = nodes.map((node, index) => {
      const id = index + 1;
      const phase = seen.holds.has(id) ? 'working' : seen.waits.has(id) ? 'waiting' : 'idle';
      return {id, life: seen.killed.has(id) ? 'killed' : seen.stopped.has(id) ? 'stopped' : 'running', joined: true,
        since: 0, unread: 0, phase, state: phase === 'working' ? 'holds' : phase === 'waiting' ? 'waits' : '', ...node};
    });
    const way = [...seen.way.values()];
    const links = shown.flatMap(({id, up}) => shown.filter(each => each.id !== id).map(each => ({from: id, to: each.id,
      up: up.includes(each.id), cut: false, slower_ms: 0,
      held: way.some(({from, to, stuck}) => stuck && from === id && to === each.id)})));
    return JSON.stringify({at, steps: this.now, next: this.steps[this.now + 1]?.at ?? null, holders: [...seen.holds],
      queue: [...seen.waits], most_holders: seen.most, grants: seen.grants, messages: seen.messages, records: count,
      two_us: seen.two_us + (seen.two_since === null ? 0 : at - seen.two_since), accepted: 0, refused: 0, stale: 0,
      seen: '', worker: false, nodes: shown, links, way, line: this.line});
  }

  fold(seen, {what, node, at, message}) {
    switch (what) {
      case 'asks': seen.waits.add(node); break;
      case 'granted':
        seen.waits.delete(node);
        seen.holds.add(node);
        ++seen.grants;
        break;
      case 'killed': seen.killed.add(node); // falls through: it neither waits nor holds
      case 'gave-up': case 'released': case 'lease-over': case 'waited-too-long': case 'lost-it':
        for (const each of [seen.waits, seen.holds, seen.stopped]) each.delete(node);
        break;
      case 'started': seen.killed.delete(node); break;
      case 'stopped': seen.stopped.add(node); break;
      case 'continued': seen.stopped.delete(node); break;
      case 'sent':
        seen.way.set(message.id, message);
        ++seen.messages;
        break;
      case 'arrived': case 'dropped': seen.way.delete(message.id); break;
      default: break;
    }
    const two = seen.holds.size > 1;
    if (two && seen.two_since === null) seen.two_since = at;
    if (!two && seen.two_since !== null) {
      seen.two_us += at - seen.two_since;
      seen.two_since = null;
    }
    seen.most = Math.max(seen.most, seen.holds.size);
  }
}

// Reads the output of `fixkeep-sim --trace` for Recording: masters and workers are lanes, messages are arrows.
//
// A trace does not say when a hold ends. This reader takes the first of: the holder's next
// message about the key with the holder's token, the next grant, the holder's crash.
/* global RecordingMaker, lanes_of */
/* exported read_trace */
'use strict';

const read_trace = (() => {
  const lines_most = 300_000;
  const row = /^ *(\d+\.\d+) ([mw]\d+) {2}(.*)$/;

  // The rows of the text: [{at, who, what}].
  function rows_of(text) {
    const lines = text.split('\n');
    if (lines.length > lines_most) throw new Error(`the trace has more than ${lines_most} lines`);
    const rows = lines.map(line => line.match(row)).filter(Boolean)
      .map(([, at, who, what]) => ({at: Math.round(Number(at) * 1e6), who, what: what.trim()}));
    if (rows.length === 0) throw new Error('this file has no line of fixkeep-sim --trace');
    return rows;
  }

  const word = (what, name) => what.match(new RegExp(`\\b${name}=(\\S+)`))?.[1] ?? '';

  // When the hold of this grant ends: the index of a row after `at`.
  function end_of(rows, at, key, token) {
    const {who} = rows[at];
    for (let i = at + 1; i < rows.length; ++i) {
      const {who: other, what} = rows[i];
      if (what.startsWith(`LockTaken ${key} `)) return i;
      if (other !== who) continue;
      if (what === 'CRASHED' || (what.includes(` LockMessage ${key} `) && what.startsWith('->') && word(what, 'token') === token)) return i;
    }
    return -1;
  }

  const lives = {STARTED: 'started', CRASHED: 'killed', KILLED: 'killed', PAUSED: 'stopped', WOKE: 'continued'};

  class Reader extends RecordingMaker {
    constructor(rows, names, key) {
      super(names, Math.max(0, rows[0].at - 1000));
      Object.assign(this, {rows, key, releases: new Map()});
      rows.forEach((each, index) => this.take(each, index));
    }

    take({at, who, what}, index) {
      const node = this.names.indexOf(who) + 1;
      const link = what.match(/^(?:Peer|Master|Worker)(Connected|Disconnected) (\S+)/);
      const sent = what.match(/^-> (\S+) (.*)$/);
      const came = what.match(/^(\S+) said (.*)$/);
      if (this.releases.has(index)) this.record(at, 'released', this.releases.get(index));
      if (what in lives) this.record(at, lives[what], node);
      else if (link) this.link(at, node, this.names.indexOf(link[2]) + 1, link[1] === 'Connected');
      else if (sent) this.send(at, node, this.names.indexOf(sent[1]) + 1, sent[2]);
      else if (came) this.arrived(at, this.names.indexOf(came[1]) + 1, node, came[2]);
      else if (what.startsWith(`LockTaken ${this.key} `)) this.grant(at, node, what.split(' ')[2], index);
      else if (what.startsWith('MatchRequested') && what.split(' ')[2] === this.key) this.record(at, 'asks', node);
      this.end_step(at, index + 1);
    }

    // Messages about other groups are left out.
    send(at, from, to, text) {
      const words = text.split(' ');
      const lock = words[0] === 'LockMessage';
      const group = words.find(each => /^g\d+$/.test(each)) ?? this.key;
      if (to === 0 || group !== this.key) return;
      this.sent(at, from, to, {key: text, what: lock ? `Lock ${word(text, 'kind')}` : words[0], round: Number(word(text, 'round'))});
    }

    grant(at, node, token, index) {
      this.record(at, 'granted', node, {token});
      this.change(node, () => ({token}));
      const end = end_of(this.rows, index, this.key, token);
      if (end >= 0) this.releases.set(end, node);
    }
  }

  // Throws an Error with the mistake. `key`: a group of the trace; by default the first one whose lock is taken.
  return (text, key = '') => {
    const rows = rows_of(text);
    const names = lanes_of(rows.map(each => each.who));
    const keys = [...new Set(rows.filter(each => each.what.startsWith('LockTaken ')).map(each => each.what.split(' ')[1]))].toSorted();
    const chosen = keys.includes(key) ? key : keys[0] ?? '';
    const reader = new Reader(rows, names, chosen);
    return {...reader.made(), keys, key: chosen, note: 'A trace does not say when a hold ends: it ends here with the holder\'s next message that has its token.',
      head: text.slice(0, text.indexOf('\n')), lock: text.match(/strategy ([a-z-]+)/)?.[1] ?? 'multiphase'};
  };
})();

// Turns the records of a world into bars, arrows and sentences.
'use strict';

const lanes = {names: null};  // a trace's names
const name_of = node => node === 0 ? 'the worker' : lanes.names?.[node - 1] ?? `m${node}`;

// A sentence for each kind of record. Records without a sentence are not in the list of events.
const sentences = {
  'started': each => `${name_of(each.node)} starts`,
  'killed': each => `${name_of(each.node)} is killed`,
  'stopped': each => `${name_of(each.node)} is stopped`,
  'continued': each => `${name_of(each.node)} continues`,
  'asks': each => `a player of ${name_of(each.node)} wants the lock`,
  'gave-up': each => `the player of ${name_of(each.node)} gives up`,
  'granted': each => `${name_of(each.node)} gets the lock with token ${each.token}`,
  'released': each => `${name_of(each.node)} releases the lock`,
  'lease-over': each => `the lease of ${name_of(each.node)} is over; it writes nothing`,
  'waited-too-long': each => `${name_of(each.node)} has waited too long`,
  'silence': each => `${name_of(each.node)} has heard nothing from ${name_of(each.peer)} for 400 ms`,
  'linked': each => `${name_of(each.node)} and ${name_of(each.peer)} are linked`,
  'unlinked': each => `${name_of(each.node)} closes its link to ${name_of(each.peer)}`,
  'cut': each => `the link from ${name_of(each.node)} to ${name_of(each.peer)} is cut`,
  'held': each => `messages from ${name_of(each.node)} to ${name_of(each.peer)} wait`,
  'slowed': each => `the link from ${name_of(each.node)} to ${name_of(each.peer)} is slow`,
  'healed': each => `the link from ${name_of(each.node)} to ${name_of(each.peer)} is healed`,
  'written': each => `the worker accepts the write with token ${each.token}`,
  'refused': each => `the worker refuses the lower token ${each.token}`,
  'stale-write': each => `the worker accepts the lower token ${each.token}`,
  'two-holders': () => 'two masters hold the lock',
  'arrived': each => `${name_of(each.node)} receives ${title_of(each.message)}`,
  'ignored': each => `${name_of(each.node)} ignores ${title_of(each.message)}: it changes nothing`,
  'read': each => `${name_of(each.node)} reads ${title_of(each.message)}`,
  'lost-it': each => `${name_of(each.node)} learns that it has lost the lock`,
  'room': each => `${name_of(each.node)}: ${each.text}`,
  'dropped': each => `${title_of(each.message)} is lost`,
};
const bad_news = new Set(['two-holders', 'stale-write', 'dropped', 'cut']);

const title_of = message => {
  const round = message.round > 0 ? `(${message.round})` : '';
  return `${message.what}${round} of ${name_of(message.from)}`;
};

class Story {
  constructor() {
    this.records = [];
    this.forget();
  }

  forget() {
    this.bars = new Map();      // by node: [{kind, from, to}], `to` is null while it lasts
    this.arrows = [];           // in the order of sending
    this.by_id = new Map();     // the same, by id of the message
    this.two = [];              // spans with two holders
    this.holding = new Set();
  }

  add(records) {
    for (const each of records) {
      this.records.push(each);
      this.take(each);
    }
  }

  // Keeps the first `count` records.
  cut(count) {
    const kept = this.records.slice(0, count);
    this.records = [];
    this.forget();
    this.add(kept);
  }

  bars_of(node) {
    if (!this.bars.has(node)) this.bars.set(node, []);
    return this.bars.get(node);
  }

  begin(node, kind, at) {
    this.bars_of(node).push({kind, from: at, to: null});
  }

  end(node, kinds, at) {
    const all = this.bars_of(node);
    for (let i = all.length - 1; i >= 0 && i >= all.length - 6; --i) {
      if (all[i].to === null && kinds.includes(all[i].kind)) all[i].to = at;
    }
  }

  hold(node, holds, at) {
    const before = this.holding.size;
    if (holds) this.holding.add(node);
    else this.holding.delete(node);
    const now = this.holding.size;
    if (before < 2 && now >= 2) this.two.push({from: at, to: null});
    if (before >= 2 && now < 2) this.two.at(-1).to = at;
  }

  take({what, node, at, message}) {
    switch (what) {
      case 'asks': this.begin(node, 'waits', at); break;
      case 'granted':
        this.end(node, ['waits'], at);
        this.begin(node, 'holds', at);
        this.hold(node, true, at);
        break;
      case 'gave-up': case 'waited-too-long': case 'released': case 'lease-over': case 'lost-it':
        this.end(node, ['waits', 'holds'], at);
        this.hold(node, false, at);
        break;
      case 'killed':
        this.end(node, ['waits', 'holds', 'stopped'], at);
        this.hold(node, false, at);
        this.begin(node, 'killed', at);
        break;
      case 'started': this.end(node, ['killed'], at); break;
      case 'stopped': this.begin(node, 'stopped', at); break;
      case 'continued': this.end(node, ['stopped'], at); break;
      case 'sent':
        this.arrows.push({...message, end: null, lost: false});
        this.by_id.set(message.id, this.arrows.at(-1));
        break;
      case 'arrived': case 'kept': this.by_id.get(message.id).end = at; break;
      case 'ignored': this.by_id.get(message.id).ignored = true; break;
      case 'dropped': Object.assign(this.by_id.get(message.id), {end: at, lost: true}); break;
      default: break;
    }
  }

  // The last `count` events that have a sentence, the newest first.
  last(count) {
    const found = [];
    for (let i = this.records.length - 1; i >= 0 && found.length < count; --i) {
      const each = this.records[i];
      if (!(each.what in sentences)) continue;
      found.push({at: each.at, text: sentences[each.what](each), bad: bad_news.has(each.what)});
    }
    return found;
  }
}

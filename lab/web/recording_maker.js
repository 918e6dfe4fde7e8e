// Collects the records and steps of a Recording.
/* exported RecordingMaker, lanes_of */
'use strict';

const lanes_most = 16;

// The names of the lanes: masters before workers, each in the order of their numbers.
const lanes_of = all => {
  const names = [...new Set(all)].toSorted((a, b) => a[0] === b[0] ? Number(a.slice(1)) - Number(b.slice(1)) : a < b ? -1 : 1);
  if (names.length > lanes_most) throw new Error(`it has ${names.length} nodes; the page shows at most ${lanes_most}`);
  return names;
};

class RecordingMaker {
  constructor(names, at) {
    Object.assign(this, {names, records: [], steps: [], way: new Map(), ids: 0, before: 0});
    this.nodes = names.map(() => ({token: '', up: []}));
    this.steps.push({line: 0, at, nodes: this.nodes});
  }

  record(at, what, node, more = {}) {
    this.records.push({step: this.steps.length, at, what, node, ...more});
  }

  change(node, change) {
    this.nodes = this.nodes.map((each, index) => index === node - 1 ? {...each, ...change(each)} : each);
  }

  link(at, node, peer, up) {
    if (peer === 0) return;
    this.record(at, up ? 'linked' : 'unlinked', node, {peer});
    if (!up) this.dropped(at, node, peer);
    this.change(node, each => ({up: [...each.up.filter(other => other !== peer), ...up ? [peer] : []]}));
  }

  link_all() {
    this.nodes = this.nodes.map((each, index) => ({...each, up: this.names.map((_, peer) => peer + 1).filter(peer => peer !== index + 1)}));
    this.steps[0].nodes = this.nodes;
  }

  // `key` identifies the message on its way.
  sent(at, from, to, {key, what, round = 0}) {
    const message = {id: ++this.ids, from, to, key, what, round};
    const way = `${from}-${to}`;
    this.way.set(way, [...this.way.get(way) ?? [], message]);
    this.record(at, 'sent', from, {message});
  }

  // The end of a message's way.
  arrived(at, from, to, key, end = 'arrived') {
    const way = this.way.get(`${from}-${to}`) ?? [];
    const index = way.findIndex(each => each.key === key);
    if (index < 0) return;
    this.record(at, end, to, {peer: from, message: {id: way[index].id}});
    way.splice(index, 1);
  }

  dropped(at, a, b) {
    for (const way of [`${a}-${b}`, `${b}-${a}`]) {
      for (const message of this.way.get(way) ?? []) this.record(at, 'dropped', message.from, {message: {id: message.id}});
      this.way.delete(way);
    }
  }

  // Ends a step if something was recorded in it.
  end_step(at, line) {
    if (this.records.length > this.before) this.steps.push({line, at, nodes: this.nodes});
    this.before = this.records.length;
  }

  made() { return {masters: this.names.length, names: this.names, steps: this.steps, records: this.records}; }
}

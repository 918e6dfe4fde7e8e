// The locks of groups over the last minute, as this master waited for them and held them.
//
// A hold lasts some milliseconds, so it is remembered as a span of time and not looked at. A hold
// of another master is no event here. It is known by the rooms that were ordered in it: each names
// the token and the master in its creation id, so its arrival is a mark and not a span.

export const lane_ms = 60_000;
const groups_most = 500;
const spans_most = 200;  // of a group

export class Lanes {
  constructor() {
    this.lanes = new Map();  // by group, the one that changed last at the end
  }

  take(event) {
    const at = event.at_us / 1000;
    switch (event.event) {
      case 'lock-wanted': return this.#begin(event.group, {kind: 'waits', from: at, to: null});
      case 'lock-granted': {
        this.#end(event.group, at);
        const token = `${event.counter}.m${event.master}`;
        return this.#begin(event.group, {kind: 'holds', from: at, to: null, token});
      }
      case 'lock-left': return this.#end(event.group, at);
      default: return undefined;
    }
  }

  // A room that is new, or was given to a group, when the master `self` heard of it.
  see(room, at_ms, self) {
    if (room.group === null) return;
    const [counter, master] = room.creation_id.split('.');
    const known = this.lanes.get(room.group)?.token.split('.')[0] ?? '';
    if (master === self || Number(counter) <= Number(known)) return;
    this.#begin(room.group,
        {kind: 'other', from: at_ms, to: at_ms, token: `${counter}.${master}`});
  }

  // The lanes that changed last, in the order of their groups; spans that are over and too old are
  // forgotten.
  latest(now_ms, count) {
    for (const [group, lane] of this.lanes) {
      lane.spans = lane.spans.filter(span => span.to === null || span.to > now_ms - lane_ms);
      if (lane.spans.length === 0) this.lanes.delete(group);
    }
    return [...this.lanes.values()].slice(-count).sort((a, b) => a.group < b.group ? -1 : 1);
  }

  #begin(group, span) {
    const lane = this.lanes.get(group) ?? {group, spans: [], token: ''};
    this.lanes.delete(group);
    this.lanes.set(group, lane);
    lane.spans.push(span);
    lane.spans.splice(0, lane.spans.length - spans_most);
    if (span.token) lane.token = span.token;
    if (this.lanes.size > groups_most) this.lanes.delete(this.lanes.keys().next().value);
  }

  #end(group, at) {
    const last = this.lanes.get(group)?.spans.at(-1);
    if (last && last.to === null) last.to = at;
  }
}

// The locks of groups over the last minute: the times in which this master waited for a lock or
// held it.
//
// This master holds a lock only for some milliseconds. Each hold is therefore stored as a span of
// time. The feed has no events about the holds of other masters. The page infers them from rooms:
// the creation id of a room names the token and the master. Such a hold is a mark without a length.

export const lane_ms = 60_000;
const groups_most = 500;
const spans_most = 200;  // the limit per group

export class Lanes {
  constructor() {
    this.lanes = new Map();  // lanes by group; the last changed lane is at the end
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

  // Reports a new room, or a warm room that now belongs to a group. `at_ms` is the time at which
  // the master `self` received the report.
  see(room, at_ms, self) {
    if (room.group === null) return;
    const [counter, master] = room.creation_id.split('.');
    const known = this.lanes.get(room.group)?.token.split('.')[0] ?? '';
    if (master === self || Number(counter) <= Number(known)) return;
    this.#begin(room.group,
        {kind: 'other', from: at_ms, to: at_ms, token: `${counter}.${master}`});
  }

  // Returns the `count` lanes that changed last, sorted by group. Removes spans that ended more
  // than `lane_ms` ago.
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

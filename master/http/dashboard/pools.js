// Finds the claims of a pool that could play together. It compares the numbers of the rules and
// the waiting times, as master/rules/plan does. The master also checks regions, teams and avoided
// players; this file ignores them. The results here are therefore upper bounds.
import {duration} from './words.js';

export const pairs_most = 400;  // the limit per picture

// Returns the limit at this age. null in the feed means "no limit".
export function limit_at(steps, age_ms) {
  let limit = 0;
  for (const {after_ms, most} of steps) {
    if (after_ms > age_ms) break;
    limit = most ?? Infinity;
  }
  return limit;
}

// Returns the next step after this age, or undefined after the last step.
export const next_step = (steps, age_ms) => steps.find(step => step.after_ms > age_ms);

// Returns true if two claims are within their limits now. The older claim must be the first.
export function fits(rules, older, younger, now_ms) {
  if (older.players + younger.players > rules.players_most) return false;
  return rules.distances.every(({number, widening, steps}) => {
    const apart = Math.abs(older.numbers[number] - younger.numbers[number]);
    const limit = limit_at(steps, now_ms - older.since_ms);
    return apart <= (widening === 'both' ?
      Math.min(limit, limit_at(steps, now_ms - younger.since_ms)) : limit);
  });
}

// Returns {count, partners, nearest}. `count` is the number of pairs that fit. `partners` has the
// number of partners of each claim. `nearest` has the indexes of the nearest pairs by the first
// distance, at most pairs_most.
export function pairs_of(rules, claims, now_ms) {
  const partners = claims.map(() => 0);
  const found = [];
  const number = rules.distances[0]?.number;
  for (let i = 0; i < claims.length; ++i) {
    for (let j = i + 1; j < claims.length; ++j) {
      if (!fits(rules, claims[i], claims[j], now_ms)) continue;
      ++partners[i];
      ++partners[j];
      const apart = number === undefined ? 0 :
        Math.abs(claims[i].numbers[number] - claims[j].numbers[number]);
      found.push([apart, i, j]);
    }
  }
  const nearest = found.sort((a, b) => a[0] - b[0]).slice(0, pairs_most);
  return {count: found.length, partners, nearest: nearest.map(([, i, j]) => [i, j])};
}

// Returns about `many` ticks between `from` and `to`. Their step is 1, 2 or 5 times a power of ten.
export function ticks_of(from, to, many) {
  const rough = (to - from) / many;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= rough);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    ticks.push(Math.round(at / step) * step);
  }
  return ticks;
}

const some = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

function by_words(refusal) {
  return refusal.rule === 'distance' ? refusal.number : `its ${refusal.rule}`;
}

function refused_words({rule, number, requests, rooms}) {
  const what = [requests && some(requests, 'request'), rooms && some(rooms, 'room')];
  return `${by_words({rule, number})} keeps it from ${what.filter(Boolean).join(' and ')}`;
}

function nearest_words(nearest, left) {
  const beyond = nearest.beyond > 0 ?
    `${nearest.beyond.toLocaleString('en')} beyond the limit of ${by_words(nearest)}` :
    `refused by ${by_words(nearest)}`;
  const when = nearest.in_ms === null ? 'and no step lets it in' :
    left(nearest.in_ms) > 0 ? `and is let in in ${duration(left(nearest.in_ms))}` :
      'and may be let in now';
  return `the nearest ${nearest.room ? 'room' : 'request'} is ${beyond}, ${when}`;
}

// Returns one or two sentences: the reason why the oldest claim of a pool still waits.
export function why_words(why, now_ms) {
  if (why === null) return 'No decision has said yet why the oldest one waits.';
  const ago = Math.max(0, now_ms - why.at_ms);
  const left = ms => Math.max(0, ms - ago);
  const said = [`It saw ${some(why.requests, 'other request')} of all masters and ` +
    some(why.rooms, 'room')];
  said.push(...why.refused.map(refused_words));
  if (why.nearest) said.push(nearest_words(why.nearest, left));
  if (why.acceptable > 0) said.push(`no rule refuses ${some(why.acceptable, 'request')}`);
  if (why.players_missing > 0) {
    said.push(`${some(why.players_missing, 'player')} ${why.players_missing === 1 ? 'is' : 'are'} ` +
      'wanting');
  }
  if (why.enough_in_ms !== null) {
    const in_ms = left(why.enough_in_ms);
    said.push(`those who are there may start ${in_ms > 0 ? `in ${duration(in_ms)}` : 'now'}`);
  }
  const roles = why.roles_missing.map(each => `${each.players} ${each.role}`);
  if (roles.length > 0) said.push(`wanted: ${roles.join(', ')}`);
  return `The oldest one was left waiting by a decision ${duration(ago)} ago. ${said.join('; ')}.`;
}

// Pools as pictures. Each waiting claim is a point: x is its number, y is its waiting time.
//
// Updates keep the picture in place. A claim that the user has selected by pointer or by keys stays
// selected.
/* global drawing */
import {limit_at, next_step, pairs_of, ticks_of, why_words} from './pools.js';
import {duration} from './words.js';

const height = 250;
const margin = {left: 46, right: 14, top: 10, bottom: 34};
const least_span_ms = 5000;  // the least length of the time axis
const least_span = 100;      // the least length of the number axis
const many_claims = 60;      // above this count the lines of the limits would overlap
const reach = 24;            // the largest distance of the pointer from a claim, in pixels

const number = value => Math.round(value).toLocaleString('en');

const {element, svg} = drawing;

// Converts numbers and times to coordinates. Without a rule for numbers, claims stand side by side.
class Paper {
  constructor(width, rules, claims, now_ms) {
    Object.assign(this, {width, rules, claims, now_ms});
    this.rule = rules.distances[0];
    const at = claims.map((_, i) => this.number_of(i));
    const middle = (Math.min(...at) + Math.max(...at)) / 2;
    const span = Math.max(least_span, (Math.max(...at) - Math.min(...at)) * 1.25);
    this.low = middle - span / 2;
    this.high = middle + span / 2;
    this.oldest_ms = Math.max(least_span_ms, 1.1 * (now_ms - claims[0].since_ms));
  }
  number_of(i) {
    return this.rule ? this.claims[i].numbers[this.rule.number] :
      (i + 0.5) * least_span / this.claims.length;
  }
  age_of(i) { return Math.max(0, this.now_ms - this.claims[i].since_ms); }
  limit_of(i) { return limit_at(this.rule.steps, this.age_of(i)); }
  x(value) {
    const inside = this.width - margin.left - margin.right;
    const at = margin.left + inside * (value - this.low) / (this.high - this.low);
    return Math.min(Math.max(at, margin.left), this.width - margin.right);
  }
  y(age_ms) {
    const inside = height - margin.top - margin.bottom;
    return height - margin.bottom - inside * Math.min(1, age_ms / this.oldest_ms);
  }
}

function axes(paper) {
  const parts = [];
  const seconds = ticks_of(0, paper.oldest_ms / 1000, 4);
  for (const at of seconds) {
    const y = paper.y(at * 1000);
    parts.push(svg('line', {class: 'grid', x1: margin.left, x2: paper.width - margin.right, y1: y,
      y2: y}), svg('text', {x: margin.left - 6, y: y + 4, 'text-anchor': 'end'}, `${at} s`));
  }
  const label = paper.rule ? paper.rules.numbers[paper.rule.number] :
    'side by side, since no rule compares numbers';
  parts.push(svg('text', {x: paper.width - margin.right, y: height - 4, 'text-anchor': 'end'},
      label));
  if (!paper.rule) return parts;
  const many = Math.max(2, Math.floor(paper.width / 110));
  for (const at of ticks_of(paper.low, paper.high, many)) {
    parts.push(svg('text', {x: paper.x(at), y: height - margin.bottom + 15,
      'text-anchor': 'middle'}, number(at)));
  }
  return parts;
}

// Draws the reach of a claim's limit at each age. Ages that the claim has reached are more opaque
// than later ages.
function limits_by_age(paper, chosen) {
  const {steps} = paper.rule;
  const middle = paper.number_of(chosen);
  const ends = steps.map(step => step.after_ms).filter(ms => ms < paper.oldest_ms);
  return ends.map((from, i) => {
    const to = ends[i + 1] ?? paper.oldest_ms;
    const limit = limit_at(steps, from);
    const x = paper.x(middle - limit);
    return svg('rect', {class: from <= paper.age_of(chosen) ? 'reach' : 'reach later', x,
      width: Math.max(1, paper.x(middle + limit) - x), y: paper.y(to),
      height: paper.y(from) - paper.y(to)});
  });
}

function claims_drawn(paper, pairs, chosen) {
  const parts = [];
  const place = i => [paper.x(paper.number_of(i)), paper.y(paper.age_of(i))];
  for (const [i, j] of pairs.nearest) {
    const [x1, y1] = place(i), [x2, y2] = place(j);
    const own = i === chosen || j === chosen;
    parts.push(svg('line', {class: own ? 'pair own' : 'pair', x1, y1, x2, y2}));
  }
  paper.claims.forEach((claim, i) => {
    const [cx, cy] = place(i);
    if (paper.rule) {
      const limit = paper.limit_of(i);
      parts.push(svg('line', {class: 'limit', x1: paper.x(paper.number_of(i) - limit), y1: cy,
        x2: paper.x(paper.number_of(i) + limit), y2: cy}));
    }
    parts.push(svg('circle', {class: i === chosen ? 'claim chosen' : 'claim', cx, cy,
      r: 3 + Math.min(4, claim.players - 1)}));
  });
  return parts;
}

export function claim_words(rules, claim, partners, others, now_ms) {
  const age = Math.max(0, now_ms - claim.since_ms);
  const numbers = rules.numbers.map((name, i) => `${name} ${number(claim.numbers[i])}`);
  const who = claim.players === 1 ? 'A player' : `A party of ${claim.players}`;
  const said = [`${who}${numbers.length > 0 ? ` of ${numbers.join(', ')}` : ''} has waited for ` +
    `${duration(age)}, and could play with ${number(partners)} of ${number(others)} drawn`];
  const steps = rules.distances[0]?.steps ?? [];
  if (steps.length > 0) {
    const words = limit => limit === Infinity || limit === null ? 'any distance' : number(limit);
    const next = next_step(steps, age);
    said.push(`its limit is ${words(limit_at(steps, age))}` +
      (next ? `, and ${words(next.most)} in ${duration(next.after_ms - age)}` : ' for good'));
  }
  return `${said.join('; ')}.`;
}

// Returns a key for each claim that is the same at every update. Equal claims are numbered.
function keys_of(claims) {
  const seen = new Map();
  return claims.map(claim => {
    const key = JSON.stringify(claim);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return `${key} ${seen.get(key)}`;
  });
}

// The figure of one pool, with picture and text.
class PoolFigure {
  constructor(title) {
    this.figure = element('figure', undefined, 'pool');
    this.title = element('h3', title);
    this.counts = element('p', '', 'counts');
    this.picture = svg('svg', {tabindex: 0, role: 'application',
      'aria-label': `Requests of ${title}; arrow keys go from one to the next`});
    this.drawn_note = element('p', '', 'soft small');
    this.words = element('p', '', 'details');
    this.why = element('p', '', 'why');
    this.figure.append(this.title, this.counts, this.picture, this.drawn_note, this.words, this.why);
    this.chosen = null;  // the key of the selected claim
    this.picture.addEventListener('pointermove', event => this.#point(event));
    this.picture.addEventListener('pointerleave', () => this.#choose(null));
    this.picture.addEventListener('keydown', event => this.#key(event));
  }

  show(mode, pool, rules, now_ms) {
    const waiting = pool.requests - pool.decided;
    this.counts.replaceChildren(element('b', number(waiting)), waiting === 1 ? ' waits' : ' wait',
        pool.claims.length > 0 ? `, the oldest for ${duration(now_ms - pool.claims[0].since_ms)}` : '',
        pool.decided > 0 ? `; ${number(pool.decided)} more have or await a seat` : '',
        `. ${waits_words(mode.statistics.waited)}`);
    const none = pool.claims.length === 0;
    for (const part of [this.picture, this.drawn_note, this.words, this.why]) {
      part.toggleAttribute('hidden', none);
    }
    if (none) return;
    this.rules = rules;
    this.keys = keys_of(pool.claims);
    this.pairs = pairs_of(rules, pool.claims, now_ms);
    this.paper = new Paper(Math.max(240, this.figure.clientWidth - 2), rules, pool.claims, now_ms);
    this.#draw();
    const left = waiting - pool.claims.length;
    this.drawn_note.textContent = [
      left > 0 && `The oldest ${number(pool.claims.length)} are drawn, ${number(left)} are not.`,
      this.pairs.count > this.pairs.nearest.length &&
        `Of ${number(this.pairs.count)} pairs that could play together the nearest ` +
        `${number(this.pairs.nearest.length)} are drawn.`].filter(Boolean).join(' ');
    this.why.textContent = why_words(pool.why, now_ms);
  }

  #draw() {
    const {paper, pairs} = this;
    const chosen = Math.max(0, this.keys.indexOf(this.chosen));
    this.picture.classList.toggle('many', paper.claims.length > many_claims);
    this.picture.setAttribute('viewBox', `0 0 ${paper.width} ${height}`);
    this.picture.replaceChildren(...(paper.rule ? limits_by_age(paper, chosen) : []),
        ...axes(paper), ...claims_drawn(paper, pairs, chosen));
    this.words.textContent = claim_words(this.rules, paper.claims[chosen], pairs.partners[chosen],
        paper.claims.length - 1, paper.now_ms);
  }

  #choose(key) {
    if (key === this.chosen || !this.paper) return;
    this.chosen = key;
    this.#draw();
  }

  #point(event) {
    if (!this.paper) return;
    const frame = this.picture.getBoundingClientRect();
    const scale = this.paper.width / frame.width;
    const x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
    let best = reach ** 2, found = null;
    this.paper.claims.forEach((_, i) => {
      const apart = (this.paper.x(this.paper.number_of(i)) - x) ** 2 +
        (this.paper.y(this.paper.age_of(i)) - y) ** 2;
      if (apart < best) [best, found] = [apart, this.keys[i]];
    });
    this.#choose(found);
  }

  #key(event) {
    const keys = this.keys ?? [];
    const steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity,
      End: Infinity};
    const step = steps[event.key];
    if (step === undefined || keys.length === 0) return;
    event.preventDefault();
    const now = Math.max(0, keys.indexOf(this.chosen));
    this.#choose(keys[Math.min(Math.max(now + step, 0), keys.length - 1)]);
  }
}

function waits_words({p50_ms, p90_ms}) {
  if (p50_ms === null) return 'Nobody of this mode got a seat here in the last ten minutes.';
  return `Half of those seated here in the last ten minutes had waited for up to ` +
    `${duration(p50_ms)}, nine of ten for up to ${p90_ms === null ? '–' : duration(p90_ms)}.`;
}

export class PoolsView {
  constructor(place) {
    this.place = place;
    this.figures = new Map();  // figures by mode and pool
  }

  // `modes` and `pools` have the form of the feed's snapshot.
  show(modes, pools, now_ms) {
    const rules_of = new Map(modes.map(each => [each.mode, each.rules]));
    const shown = new Map();
    for (const mode of pools) {
      const rules = rules_of.get(mode.mode);
      if (!rules) continue;
      const nobody = {pool: mode.mode, requests: 0, decided: 0, claims: [], why: null};
      for (const pool of mode.pools.length > 0 ? mode.pools : [nobody]) {
        const key = `${mode.mode}\n${pool.pool}`;
        const figure = this.figures.get(key) ?? new PoolFigure(pool.pool);
        shown.set(key, figure);
        if (!figure.figure.isConnected) this.place.append(figure.figure);
        figure.show(mode, pool, rules, now_ms);
      }
    }
    for (const [key, figure] of this.figures) if (!shown.has(key)) figure.figure.remove();
    this.figures = shown;
  }
}

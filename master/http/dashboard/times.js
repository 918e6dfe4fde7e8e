// How long things took in the last minute, of histograms that count since the start of a master
// (docs/api.md, "Live"): bucket i has what took less than 2^i microseconds, and no less than half
// of that. So a percentile is right to a factor of two at worst, and a mean is exact.

const window_ms = 60_000;

const none = {sum_us: 0, counts: []};
const total = ({counts}) => counts.reduce((sum, count) => sum + count, 0);

// In milliseconds, as if times were spread evenly within a bucket; null if there is none.
export function percentile_ms(counts, share) {
  const rank = share * total({counts});
  if (rank === 0) return null;
  let before = 0;
  for (let i = 0; i < counts.length; ++i) {
    if (before + counts[i] >= rank) {
      const from = i === 0 ? 0 : 2 ** (i - 1);
      return (from + (2 ** i - from) * (rank - before) / counts[i]) / 1000;
    }
    before += counts[i];
  }
  return null;
}

function since(earlier, later) {
  const counts = later.counts.map((count, i) => count - (earlier.counts[i] ?? 0));
  const count = total({counts});
  return {count, p50_ms: percentile_ms(counts, 0.5), p99_ms: percentile_ms(counts, 0.99),
    mean_ms: count === 0 ? null : (later.sum_us - earlier.sum_us) / count / 1000};
}

export class LastMinute {
  constructor() { this.forget(); }

  // What is there before anything is taken.
  begin(histogram = none) {
    this.forget();
    this.first = histogram;
  }

  // What took so long within the last minute, or since the feed is there if that is less.
  take(now_ms, histogram = none) {
    if (this.first) this.seen.push({now_ms, histogram: this.first});
    this.first = null;
    const last = this.seen.at(-1);
    // A master that was started again counts from zero.
    if (last && total(histogram) < total(last.histogram)) this.forget();
    this.seen.push({now_ms, histogram});
    while (this.seen[0].now_ms < now_ms - window_ms) this.seen.shift();
    return since(this.seen[0].histogram, histogram);
  }

  // The feed is away.
  forget() {
    this.seen = [];  // {now_ms, histogram}, the oldest first
    this.first = null;
  }
}

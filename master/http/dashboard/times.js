// Durations within the last minute. The feed sends histograms that count since the start of the
// master (docs/api-operators.md, "Live"). Bucket i counts durations from 2^(i-1) to below 2^i microseconds.
// The error of a percentile is therefore at most a factor of two. A mean is exact.

const window_ms = 60_000;

const none = {sum_us: 0, counts: []};
const total = ({counts}) => counts.reduce((sum, count) => sum + count, 0);

// Returns a percentile in milliseconds, or null if nothing was counted. Assumes that durations are
// spread evenly within a bucket.
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

  // Starts with the histogram of a snapshot: only later durations count.
  begin(histogram = none) {
    this.forget();
    this.first = histogram;
  }

  // Returns count, percentiles and mean of the last minute. Shortly after the connection to the
  // feed, they cover the time since the connection.
  take(now_ms, histogram = none) {
    if (this.first) this.seen.push({now_ms, histogram: this.first});
    this.first = null;
    const last = this.seen.at(-1);
    // A restarted master counts from zero.
    if (last && total(histogram) < total(last.histogram)) this.forget();
    this.seen.push({now_ms, histogram});
    while (this.seen[0].now_ms < now_ms - window_ms) this.seen.shift();
    return since(this.seen[0].histogram, histogram);
  }

  // Drops everything, because the connection to the feed is lost.
  forget() {
    this.seen = [];  // {now_ms, histogram}, oldest first
    this.first = null;
  }
}

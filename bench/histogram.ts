/** A histogram of durations from 10 µs to 100 s: 1,620 buckets that grow by 1 %, exact to half a bucket. */
const GROWTH = 1.01;
const SMALLEST_MS = 0.01;
const BUCKETS = 1_620;
const SCALE = 1 / Math.log(GROWTH);

export interface Percentiles {
  count: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export interface Histogram {
  add(milliseconds: number): void;
  spread(): Percentiles;
}

export function createHistogram(): Histogram {
  const buckets = new Uint32Array(BUCKETS);
  let count = 0;
  let max = 0;

  const percentile = (share: number): number => {
    const rank = Math.ceil(count * share);
    let seen = 0;
    for (let index = 0; index < BUCKETS; index++) {
      seen += buckets[index]!;
      if (seen >= rank && seen > 0) return Math.min(max, SMALLEST_MS * GROWTH ** (index + 0.5));
    }
    return max;
  };

  return {
    add(milliseconds) {
      const index = milliseconds <= SMALLEST_MS ? 0 : Math.log(milliseconds / SMALLEST_MS) * SCALE;
      buckets[Math.min(BUCKETS - 1, Math.trunc(index))]! += 1;
      count += 1;
      if (milliseconds > max) max = milliseconds;
    },
    spread: () => ({ count, p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99), max }),
  };
}

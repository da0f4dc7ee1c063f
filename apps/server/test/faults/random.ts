/** Repeatable random numbers: tests print the seed, and TEST_SEED sets it. */
export interface SeededRandom {
  seed: number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
}

export function createRandom(seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)): SeededRandom {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return { seed, between, pick: (values) => values[between(0, values.length - 1)]! };
}

/** Caps work at a share of CPU time. */
export type TimeBudget = ReturnType<typeof createTimeBudget>;

interface TimeBudgetOptions {
  /** Milliseconds that accumulate each second. */
  readonly msPerSecond: number;
  /** The most that accumulates. */
  readonly maxMs: number;
  /** Milliseconds, monotonic. */
  readonly stopwatch: () => number;
}

export function createTimeBudget({ msPerSecond, maxMs, stopwatch }: TimeBudgetOptions) {
  let leftMs = maxMs;
  let refilledAt = stopwatch();
  return {
    /** Runs the work. Returns null without running it when the budget is used up. */
    run: <Result>(work: () => Result): Result | null => {
      const startedAt = stopwatch();
      leftMs = Math.min(maxMs, leftMs + ((startedAt - refilledAt) * msPerSecond) / 1_000);
      refilledAt = startedAt;
      if (leftMs <= 0) return null;
      const result = work();
      leftMs -= stopwatch() - startedAt;
      return result;
    },
  };
}

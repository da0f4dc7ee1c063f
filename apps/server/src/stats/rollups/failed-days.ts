/** The days whose rollup cannot be built now: when each is tried again, and how many there are. Kept in memory. */
import { SERVER_LIMITS } from "../../core/limits.ts";

interface FailedDay {
  readonly failures: number;
  /** The next build is not before this time. */
  readonly retryAt: number;
}

type DayOfSource = { readonly sourceId: string; readonly day: string };

export interface FailedDays {
  /** Whether the day failed and is not to be tried yet. */
  isWaiting(day: DayOfSource, now: number): boolean;
  /** @returns whether it is the first failure of the day since its last success */
  failed(day: DayOfSource, now: number): boolean;
  succeeded(day: DayOfSource): void;
  count(): number;
}

const keyOf = ({ sourceId, day }: DayOfSource) => `${sourceId} ${day}`;

export function createFailedDays(): FailedDays {
  const { rollupRetryMs, maxRollupRetryMs, maxFailedRollupDays } = SERVER_LIMITS;
  const days = new Map<string, FailedDay>();
  return {
    isWaiting: (day, now) => (days.get(keyOf(day))?.retryAt ?? 0) > now,
    failed: (day, now) => {
      const failures = (days.get(keyOf(day))?.failures ?? 0) + 1;
      const waitMs = Math.min(rollupRetryMs * 2 ** (failures - 1), maxRollupRetryMs);
      // the day that failed longest ago is forgotten first, and tried again
      days.delete(keyOf(day));
      const [oldest] = days.keys();
      if (days.size >= maxFailedRollupDays && oldest !== undefined) days.delete(oldest);
      days.set(keyOf(day), { failures, retryAt: now + waitMs });
      return failures === 1;
    },
    succeeded: (day) => void days.delete(keyOf(day)),
    count: () => days.size,
  };
}

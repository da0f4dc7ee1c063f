/** The days whose rollup cannot be built now: when each is tried again, and how many there are. Kept in memory. */

/** Wait after the first failed build of a day's rollup; each further failure doubles it, up to the longer time. */
const ROLLUP_RETRY_MS = 60_000;
const MAX_ROLLUP_RETRY_MS = 3_600_000;
/** Days with a failed build that are remembered. */
const MAX_FAILED_ROLLUP_DAYS = 1_000;

interface FailedDay {
  readonly failures: number;
  /** The next build is not before this time. */
  readonly retryAt: number;
}

type DayOfSource = { readonly sourceId: string; readonly day: string };

const keyOf = ({ sourceId, day }: DayOfSource) => `${sourceId} ${day}`;

export class FailedDays {
  readonly #days = new Map<string, FailedDay>();

  /** Whether the day failed and is not to be tried yet. */
  isWaiting(day: DayOfSource, now: number): boolean {
    return (this.#days.get(keyOf(day))?.retryAt ?? 0) > now;
  }
  /** @returns whether it is the first failure of the day since its last success */
  failed(day: DayOfSource, now: number): boolean {
    const failures = (this.#days.get(keyOf(day))?.failures ?? 0) + 1;
    const waitMs = Math.min(ROLLUP_RETRY_MS * 2 ** (failures - 1), MAX_ROLLUP_RETRY_MS);
    // the day that failed longest ago is forgotten first, and tried again
    this.succeeded(day);
    const [oldest] = this.#days.keys();
    if (this.#days.size >= MAX_FAILED_ROLLUP_DAYS && oldest !== undefined) this.#days.delete(oldest);
    this.#days.set(keyOf(day), { failures, retryAt: now + waitMs });
    return failures === 1;
  }
  succeeded(day: DayOfSource): void {
    this.#days.delete(keyOf(day));
  }
  count(): number {
    return this.#days.size;
  }
}

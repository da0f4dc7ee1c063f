/**
 * Overload, seen where it begins: all requests that have arrived wait for the same turn of the event loop. When one
 * turn has taken longer than a client should wait, what is left of it is refused, which takes a hundredth of the time.
 */
import { LIMITS } from "@headwater/contract/limits";

export interface Turn {
  /** May one more request of this source be taken in this turn? Counts it when it may. */
  take(sourceId: string): boolean;
}

/** @param stopwatch milliseconds, monotonic */
export function watchTurns(stopwatch: () => number): Turn {
  let startedAt: number | null = null;
  let taken = 0;
  const bySource = new Map<string, number>();

  const end = () => {
    startedAt = null;
    taken = 0;
    bySource.clear();
  };
  const begin = () => {
    startedAt = stopwatch();
    setImmediate(end);
  };
  /** A source that has most of the turn, while others want some of it. */
  const crowds = (ofSource: number) =>
    bySource.size > 1 && ofSource > LIMITS.crowdedTurnRequests && ofSource > taken / 2;

  return {
    take(sourceId) {
      if (startedAt === null) begin();
      const elapsedMs = stopwatch() - startedAt!;
      const ofSource = bySource.get(sourceId) ?? 0;
      const isFull = taken >= LIMITS.turnRequests && elapsedMs > LIMITS.turnMs;
      if (isFull || (elapsedMs > LIMITS.crowdedTurnMs && crowds(ofSource))) return false;
      bySource.set(sourceId, ofSource + 1);
      taken += 1;
      return true;
    },
  };
}

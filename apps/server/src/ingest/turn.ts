/**
 * Overload, seen where it begins: all requests that have arrived wait for the same turn of the event loop. A turn has
 * so much time for work; what is left of it is refused, which takes a fraction of the time. A single long turn is a
 * burst and gets more time; those that follow on it without a pause are an overload and get less, so that a refusal
 * comes soon. A source with far less than its share of the last second is let in all the same, as long as such are few.
 */
import { LIMITS } from "@headwater/contract/limits";

export interface Turn {
  /** May one more request of this source be taken in this turn? Counts it when it may. */
  take(sourceId: string): boolean;
}

const SECOND_MS = 1_000;
/** Half of the average. */
const FAR_BELOW = 2;

/** What each source had of the last second or two. */
function createShares() {
  let startedAt = Number.NEGATIVE_INFINITY;
  let bySource = new Map<string, number>();
  let total = 0;
  return {
    begin(now: number) {
      if (now - startedAt < SECOND_MS) return;
      startedAt = now;
      bySource = new Map();
      total = 0;
    },
    count(sourceId: string) {
      bySource.set(sourceId, (bySource.get(sourceId) ?? 0) + 1);
      total += 1;
    },
    isFarBelow: (sourceId: string) =>
      bySource.size > 1 && (bySource.get(sourceId) ?? 0) * bySource.size * FAR_BELOW <= total,
  };
}

/** @param stopwatch milliseconds, monotonic */
export function watchTurns(stopwatch: () => number): Turn {
  const shares = createShares();
  let startedAt: number | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  let exempt = 0;
  let wasFull = false;
  let isOverload = false;

  const end = () => {
    startedAt = null;
    endedAt = stopwatch();
  };
  const begin = () => {
    startedAt = stopwatch();
    isOverload = wasFull && startedAt - endedAt < LIMITS.turnPauseMs;
    wasFull = false;
    taken = 0;
    exempt = 0;
    shares.begin(startedAt);
    setImmediate(end);
  };
  const isOver = () => {
    const elapsedMs = stopwatch() - startedAt!;
    if (isOverload) return elapsedMs > LIMITS.overloadTurnMs;
    return elapsedMs > LIMITS.burstTurnMs && taken >= LIMITS.burstTurnRequests;
  };
  const isExempt = (sourceId: string) => exempt < LIMITS.turnExemptRequests && shares.isFarBelow(sourceId);

  return {
    take(sourceId) {
      if (startedAt === null) begin();
      if (isOver()) {
        wasFull = true;
        if (!isExempt(sourceId)) return false;
        exempt += 1;
      }
      shares.count(sourceId);
      taken += 1;
      return true;
    },
  };
}

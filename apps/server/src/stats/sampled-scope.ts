/** Reads a query over events: with the accuracy that its caller chose, and an exact answer about many events in slices. */
import { SERVER_LIMITS } from "../core/limits.ts";
import { maxEventsAtOnce, readAccurately, type Sampled } from "./accuracy.ts";
import type { Period } from "./calendar.ts";
import { countEvents } from "./rollups/freshness.ts";
import type { RunQuery } from "./run-query.ts";
import { inPeriod, type QueryScope } from "./scope.ts";
import { divideSessionsOf, type SessionRange } from "./session-ranges.ts";
import type { Bind } from "./sql.ts";

/**
 * @param read reads the visitors of the scope; its figures are sums over visitors, and it scales them by `sample`. `events` is the
 *   number of events of the range
 */
export async function readEvents<Value>(
  run: RunQuery,
  scope: QueryScope,
  read: (scope: QueryScope, events: number) => Promise<Value>,
): Promise<Sampled<Value>> {
  const events = await countEvents(run, scope.sourceId, scope.range);
  return readAccurately(scope.accuracy, { from: "events", events, canEstimate: true }, async (sample) =>
    read({ ...scope, sample }, events),
  );
}

/** Grouping events by session takes so many times the memory of counting visitors. */
const SESSION_MEMORY = 4;

/**
 * How many slices suit an exact answer that groups the events of a period by session.
 * @param events how many the period has
 */
export function sessionSlicesFor(run: RunQuery, events: number): number {
  const wanted = Math.ceil((events * SESSION_MEMORY) / maxEventsAtOnce(run));
  return Math.min(Math.max(wanted, 1), SERVER_LIMITS.maxStatsSlices);
}

/** @returns ranges of the sessions of a period, to read one after the other; a single one when there are few events */
export async function readSessionRanges(
  run: RunQuery,
  { sourceId }: QueryScope,
  period: Period,
  slices: number,
): Promise<SessionRange[]> {
  const ofPeriod = (bind: Bind) => `sourceId = ${bind("String", sourceId)} AND ${inPeriod(bind, period)}`;
  return divideSessionsOf(run, ofPeriod, slices);
}

/**
 * Ranges of session ids. Events are sorted by day and session, so a range is read through the primary key, and each session is in
 * one range as a whole.
 */
import type { RunStatement } from "./run-on.ts";
import { type Bind, statement } from "./statement.ts";

/** From `first` to the last id before `next`; empty: no bound. */
export interface SessionRange {
  readonly first: string;
  readonly next: string;
}

/** Events that are read to find out where to divide the session ids. */
const SAMPLED_EVENTS = 10_000;

/**
 * Divides all session ids into ranges with about the same number of events each.
 * @param eventsSql the condition of the events that count
 * @param ranges the largest number of ranges; one needs no statement
 */
export async function divideSessions(
  run: RunStatement,
  eventsSql: (bind: Bind) => string,
  ranges: number,
): Promise<SessionRange[]> {
  if (ranges < 2) return [{ first: "", next: "" }];
  const [row] = await run<[sessions: string[]]>(
    statement(
      (bind) =>
        `SELECT arraySort(groupArraySample(${SAMPLED_EVENTS})(sessionId)) FROM events WHERE ${eventsSql(bind)}`,
    ),
  );
  const sorted = row?.[0] ?? [];
  const bounds = Array.from(
    { length: ranges - 1 },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / ranges)] ?? "",
  );
  const firsts = [...new Set(["", ...bounds])];
  return firsts.map((first, index) => ({ first, next: firsts[index + 1] ?? "" }));
}

/**
 * Ranges of session ids. Events are sorted by day and session, so a range is read through the primary key, and each session is in
 * one range as a whole.
 */
import type { RunStatement } from "../run-query.ts";
import { type Bind, statement } from "./statement.ts";

/** From `first` to the last id before `next`; empty: no bound. */
export interface SessionRange {
  readonly first: string;
  readonly next: string;
}

/** The session ids of so many events show where to divide them. */
const SAMPLED_EVENTS = 10_000;

/**
 * Divides all session ids into ranges with about as many of some events each.
 * @param eventsSql writes a condition on `events`
 * @param ranges how many at most; one: no statement is needed
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

/**
 * Ranges of session ids. Events are sorted by day and session, so a range is read through the primary key, and each session is in
 * one range as a whole.
 */
import type { RunStatement } from "./run-query.ts";
import { type Bind, statement } from "./sql.ts";

/** From `first` to the last id before `next`; empty: no bound. */
export interface SessionRange {
  readonly first: string;
  readonly next: string;
}

/** The session ids of so many events show where to divide them. */
const SAMPLED_EVENTS = 10_000;

/** Divides all ids into ranges with about as many events each. @param sample the sessions of some events, in ascending order */
function divideSessions(sample: readonly string[], ranges: number): SessionRange[] {
  const at = (range: number) => sample[Math.floor((range * sample.length) / ranges)] ?? "";
  const bounds = Array.from({ length: ranges - 1 }, (_, index) => at(index + 1));
  const firsts = [...new Set(["", ...bounds])];
  return firsts.map((first, index) => ({ first, next: firsts[index + 1] ?? "" }));
}

/**
 * Divides all session ids into ranges with about as many of some events each.
 * @param eventsSql writes a condition on `events`
 * @param ranges how many; one: no statement is needed
 */
export async function divideSessionsOf(
  run: RunStatement,
  eventsSql: (bind: Bind) => string,
  ranges: number,
): Promise<SessionRange[]> {
  if (ranges < 2) return divideSessions([], 1);
  const sample = statement(
    (bind) =>
      `SELECT arraySort(groupArraySample(${SAMPLED_EVENTS})(sessionId)) FROM events WHERE ${eventsSql(bind)}`,
  );
  const [row] = await run<[sessions: string[]]>(sample);
  return divideSessions(row?.[0] ?? [], ranges);
}

/** A condition on `sessionId` that selects the sessions of a range. */
export const inSessionRange = (bind: Bind, { first, next }: SessionRange): string =>
  [
    `sessionId >= ${bind("String", first)}`,
    ...(next === "" ? [] : [`sessionId < ${bind("String", next)}`]),
  ].join(" AND ");

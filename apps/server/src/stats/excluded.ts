/** Counts the events that the figures of an answer leave out: those of bots. */
import { writeFilter } from "./filter.ts";
import { type GoalRule, withGoal } from "./goals.ts";
import type { RunQuery } from "./run-query.ts";
import { inPeriod, ofSource, type QueryScope, readScope, type ScopeBody, sessionEventsSql } from "./scope.ts";
import { allOf, type Statement, statement } from "./sql.ts";

/**
 * The filters see the sessions with their bots: otherwise those of bots alone would have no entry page. Only sessions with an
 * event that may count are derived.
 */
const botsStatement = (scope: QueryScope): Statement =>
  statement((bind) => {
    const all = { ...scope, includesBots: true };
    const bots = `device.isBot AND ${ofSource(bind, all)} AND ${inPeriod(bind, scope.range)}`;
    const sessionEvents = `${sessionEventsSql(bind, all, scope.range)} AND session IN (SELECT session FROM events WHERE ${bots})`;
    const context = { sessionEvents, currency: scope.currency };
    const filters = allOf(scope.filters.map((filter) => writeFilter(bind, filter, context)));
    return `SELECT count() FROM events WHERE ${bots} AND (${filters})`;
  });

/**
 * Counts the events that the answer to a query leaves out. It reads all events of the range, because no rollup has those of bots.
 * @param goal the goal of the query; null: it has none
 * @returns null when the query does not ask for it
 * @throws Refusal `invalid_payload`
 */
export async function readExcluded(
  run: RunQuery,
  body: ScopeBody,
  now: number,
  goal: GoalRule | null,
): Promise<{ bots: number } | null> {
  if (body.include?.excluded === false) return null;
  const scope = withGoal(readScope(body, now), goal);
  if (scope.includesBots) return { bots: 0 };
  const [row] = await run<[bots: number]>(botsStatement(scope));
  return { bots: row?.[0] ?? 0 };
}

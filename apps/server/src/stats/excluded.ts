/** Counts the events that the figures of an answer leave out: those of bots. */
import { ofVisitors, type Question, readWithin } from "./execute.ts";
import { readScope, type ScopeBody } from "./scope.ts";
import { filtersSql, inPeriod, ofSource, type QueryScope, sessionEventsSql } from "./sql/conditions.ts";
import { type GoalRule, withGoal } from "./sql/goals.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { statement } from "./sql/statement.ts";

/**
 * No rollup has the events of bots. The filters see the sessions with their bots: otherwise those of bots alone would have no entry
 * page. Only sessions with an event that may count are derived. They need memory, so they are counted in parts when it does not suffice.
 */
const excludedQuestion = (scope: QueryScope): Question<[bots: number], number> => ({
  ...ofVisitors({ ...scope, accuracy: "exact" }),
  canEstimate: false,
  addsUpSessions: true,
  addition: { keyOf: () => "", add: ([one], [other]) => [one + other] },
  statement: (part) =>
    statement((bind) => {
      const all = { ...scope, includesBots: true, part };
      const bots = `device.isBot AND ${ofSource(bind, all)} AND ${inPeriod(bind, scope.range)}`;
      const sessionEvents = `${sessionEventsSql(bind, all, scope.range)} AND session IN (SELECT session FROM events WHERE ${bots})`;
      const filters = filtersSql(bind, all, scope.range, sessionEvents);
      return `SELECT count() FROM events WHERE ${bots} AND (${filters})`;
    }),
  merge: ([row]) => row?.[0] ?? 0,
});

/**
 * Counts the events that the answer to a query leaves out. It reads all events of the range.
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
  // their number is not known beforehand
  return { bots: (await readWithin(run, excludedQuestion(scope), 0)).value };
}

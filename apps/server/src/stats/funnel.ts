/** POST /api/stats/funnel: counts the visitors who took the given steps in order within a time window. */
import type { StatsFunnelAnswer, StatsFunnelBody } from "@headwater/contract";
import { DAY_MS, SECOND_MS } from "../core/time.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import type { RunQuery } from "./run-query.ts";
import { type Computed, type QueryScope, readScope } from "./scope.ts";
import { eventConditions } from "./sql/conditions.ts";
import { type GoalRule, goalSql } from "./sql/goals.ts";
import { statement } from "./sql/statement.ts";

const DEFAULT_WINDOW_SECONDS = DAY_MS / SECOND_MS;

/**
 * Counts visitors by the longest run of steps in order, with the last step within the window after the first. An event
 * that matches two consecutive steps completes both.
 */
const funnelQuestion = (
  scope: QueryScope,
  steps: readonly GoalRule[],
  windowSeconds: number,
): Question<[reached: number, visitors: number], number[]> => ({
  ...ofVisitors(scope),
  statement: (part) =>
    statement((bind) => {
      const { events } = eventConditions(bind, { ...scope, part }, scope.range);
      const conditions = steps.map((step) => goalSql(bind, step)).join(", ");
      // ClickHouse binds no value here; the schema admits integers only
      const windowMs = Math.trunc(windowSeconds) * SECOND_MS;
      return `SELECT reached, count() FROM (
        SELECT windowFunnel(${windowMs})(toUInt64(toUnixTimestamp64Milli(occurredAt)), ${conditions}) AS reached
        FROM events WHERE ${events} GROUP BY visitor
      ) GROUP BY reached`;
    }),
  merge: (rows, scale) =>
    steps.map((_, index) =>
      rows.reduce((sum, [reached, visitors]) => (reached > index ? sum + visitors * scale : sum), 0),
    ),
});

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);

export async function answerFunnel(
  run: RunQuery,
  body: StatsFunnelBody,
  steps: readonly GoalRule[],
  now: number,
): Promise<Computed<StatsFunnelAnswer>> {
  const { windowSeconds = DEFAULT_WINDOW_SECONDS } = body;
  const scope = readScope(body, now);
  const found = await execute(run, funnelQuestion(scope, steps, windowSeconds));
  const counts = found.value;
  const [first = 0] = counts;
  return {
    ...answerHead(scope, found),
    windowSeconds,
    steps: counts.map((visitors, index) => ({
      visitors,
      shareOfFirst: share(visitors, first),
      shareOfPrevious: share(visitors, counts[index - 1] ?? visitors),
    })),
  };
}

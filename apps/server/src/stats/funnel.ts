/** POST /api/stats/funnel: counts the visitors who took the given steps in order within a time window. */
import type { StatsFunnelAnswer, StatsFunnelBody } from "@headwater/contract";
import { DAY_MS, SECOND_MS } from "../core/time.ts";
import { accuracyOf } from "./accuracy.ts";
import { type GoalRule, goalSql } from "./goals.ts";
import type { RunQuery } from "./run-query.ts";
import { readEvents } from "./sampled-scope.ts";
import { answerHead, type Computed, eventConditions, type QueryScope, readScope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const DEFAULT_WINDOW_SECONDS = DAY_MS / SECOND_MS;

/**
 * Counts visitors by the longest run of steps in order, with the last step within the window after the first. An event
 * that matches two consecutive steps completes both.
 */
const funnelStatement = (scope: QueryScope, steps: readonly GoalRule[], windowSeconds: number): Statement =>
  statement((bind) => {
    const { events } = eventConditions(bind, scope, scope.range);
    const conditions = steps.map((step) => goalSql(bind, step)).join(", ");
    // ClickHouse binds no value here; the schema admits integers only
    const windowMs = Math.trunc(windowSeconds) * SECOND_MS;
    return `SELECT reached, count() FROM (
      SELECT windowFunnel(${windowMs})(toUInt64(toUnixTimestamp64Milli(occurredAt)), ${conditions}) AS reached
      FROM events WHERE ${events} GROUP BY visitor
    ) GROUP BY reached`;
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
  const { value: counts, sample } = await readEvents(run, scope, async (sampled) => {
    const rows = await run<[reached: number, visitors: number]>(
      funnelStatement(sampled, steps, windowSeconds),
    );
    return steps.map(
      (_, index) =>
        sampled.sample *
        rows.reduce((sum, [reached, visitors]) => (reached > index ? sum + visitors : sum), 0),
    );
  });
  const [first = 0] = counts;
  return {
    ...answerHead(scope),
    accuracy: accuracyOf({ sample }),
    windowSeconds,
    steps: counts.map((visitors, index) => ({
      visitors,
      shareOfFirst: share(visitors, first),
      shareOfPrevious: share(visitors, counts[index - 1] ?? visitors),
    })),
  };
}

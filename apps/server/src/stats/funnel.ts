/** POST /api/stats/funnel: how many visitors took step after step within a time. */
import type { StatsFunnelAnswer, StatsFunnelBody } from "@headwater/contract";
import type { Ask } from "./run-query.ts";
import { answered, conditionsOf, readScope, type Scope, writeGoal } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const DAY_SECONDS = 86_400;

/**
 * ClickHouse's windowFunnel: the longest run of steps in order, the last within the window from the first. An event
 * that fits two steps is both of them.
 */
export const writeFunnel = (
  scope: Scope,
  steps: StatsFunnelBody["steps"],
  windowSeconds: number,
): Statement =>
  statement((bind) => {
    const { events } = conditionsOf(bind, scope, scope.range);
    const conditions = steps.map((step) => writeGoal(bind, step)).join(", ");
    // the window is a parameter of the function, which no value can be bound to: a number by the schema
    const window = Math.trunc(windowSeconds) * 1_000;
    return `SELECT reached, count() FROM (
      SELECT windowFunnel(${window})(toUInt64(toUnixTimestamp64Milli(occurredAt)), ${conditions}) AS reached
      FROM events WHERE ${events} GROUP BY visitor
    ) GROUP BY reached`;
  });

const share = (of: number, over: number) => (over === 0 ? null : of / over);

export async function answerFunnel(ask: Ask, body: StatsFunnelBody, now: number): Promise<StatsFunnelAnswer> {
  const { steps, windowSeconds = DAY_SECONDS } = body;
  const scope = readScope(body, now);
  const rows = (await ask(writeFunnel(scope, steps, windowSeconds))) as [number, number][];
  const reached = steps.map((_, at) =>
    rows.reduce((sum, [level, visitors]) => (level > at ? sum + visitors : sum), 0),
  );
  return {
    ...answered(scope),
    windowSeconds,
    steps: reached.map((visitors, at) => ({
      visitors,
      shareOfFirst: share(visitors, reached[0]!),
      shareOfPrevious: share(visitors, reached[at - 1] ?? visitors),
    })),
  };
}

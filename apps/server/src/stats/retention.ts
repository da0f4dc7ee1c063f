/** POST /api/stats/retention: how many visitors of each period were there again in those after it. */
import type { StatsRetentionAnswer, StatsRetentionBody } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { toIsoTime } from "../core/time.ts";
import { bucketsOf } from "./calendar.ts";
import type { Ask } from "./run-query.ts";
import { answered, conditionsOf, readScope, type Scope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

/** Visitors by the period in which they were first seen in the range, and each in which they were. */
export const writeRetention = (scope: Scope, starts: readonly number[]): Statement =>
  statement((bind) => {
    const { events } = conditionsOf(bind, scope, scope.range);
    const start = `roundDown(toUnixTimestamp64Milli(occurredAt), ${bind("Array(Int64)", starts)})`;
    return `SELECT arrayMin(seen) AS first, start, count() FROM (
      SELECT groupUniqArray(${start}) AS seen FROM events WHERE ${events} GROUP BY visitor
    ) ARRAY JOIN seen AS start GROUP BY first, start`;
  });

export async function answerRetention(
  ask: Ask,
  body: StatsRetentionBody,
  now: number,
): Promise<StatsRetentionAnswer> {
  const scope = readScope(body, now);
  const starts = bucketsOf(scope.zone, body.period, scope.range, SERVER_LIMITS.statsCohorts);
  if (starts.length > SERVER_LIMITS.statsCohorts) {
    const message = `the range has more than ${SERVER_LIMITS.statsCohorts} of these: ask for a longer period or a shorter range`;
    readScope(body, now, [{ path: ["period"], code: "too_many", message }]);
  }
  const rows = (await ask(writeRetention(scope, starts))) as [number, number, number][];
  const counted = new Map(rows.map(([first, start, visitors]) => [`${first} ${start}`, visitors]));
  return {
    ...answered(scope),
    cohorts: starts.map((first, at) => {
      const returned = starts.slice(at).map((start) => counted.get(`${first} ${start}`) ?? 0);
      return { start: toIsoTime(first), visitors: returned[0] ?? 0, returned };
    }),
  };
}

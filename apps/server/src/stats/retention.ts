/** POST /api/stats/retention: how many visitors of each period came back in the periods after it. */

import type { StatsRetentionAnswer, StatsRetentionBody } from "@headwater/contract";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { bucketStarts } from "./calendar.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import type { RunQuery } from "./run-query.ts";
import { type Computed, type QueryScope, readScope } from "./scope.ts";
import { eventConditions } from "./sql/conditions.ts";
import { statement } from "./sql/statement.ts";

/** Periods of a retention query. Its answer grows with their square. */
const MAX_STATS_COHORTS = 120;

type RetentionRow = [first: number, start: number, visitors: number];

/** A row for each pair of periods: how many visitors had their first event of the range in `first`, and some event in `start`. */
const retentionQuestion = (
  scope: QueryScope,
  starts: readonly number[],
): Question<RetentionRow, Map<string, number>> => ({
  ...ofVisitors(scope),
  statement: (part) =>
    statement((bind) => {
      const { events } = eventConditions(bind, { ...scope, part }, scope.range);
      const start = `roundDown(toUnixTimestamp64Milli(occurredAt), ${bind("Array(Int64)", starts)})`;
      return `SELECT arrayMin(seen) AS first, start, count() FROM (
        SELECT groupUniqArray(${start}) AS seen FROM events WHERE ${events} GROUP BY visitor
      ) ARRAY JOIN seen AS start GROUP BY first, start`;
    }),
  merge: (rows, scale) =>
    new Map(rows.map(([first, start, visitors]) => [`${first} ${start}`, visitors * scale])),
});

export async function answerRetention(
  run: RunQuery,
  body: StatsRetentionBody,
  now: number,
): Promise<Computed<StatsRetentionAnswer>> {
  const scope = readScope(body, now);
  const starts = bucketStarts(scope.zone, body.period, scope.range, MAX_STATS_COHORTS);
  if (starts.length > MAX_STATS_COHORTS) {
    const message = `the range has more than ${MAX_STATS_COHORTS} periods; use a longer period or a shorter range`;
    requireNoIssues([issueAt(["period"], message, "too_many")]);
  }
  const found = await execute(run, retentionQuestion(scope, starts));
  return {
    ...answerHead(scope, found),
    cohorts: starts.map((first, index) => {
      const returned = starts.slice(index).map((start) => found.value.get(`${first} ${start}`) ?? 0);
      return { start: toIsoTime(first), visitors: returned[0] ?? 0, returned };
    }),
  };
}

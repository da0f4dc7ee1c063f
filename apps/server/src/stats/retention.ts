/** POST /api/stats/retention: how many visitors of each period came back in the periods after it. */
import type { StatsRetentionAnswer, StatsRetentionBody } from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";
import { accuracyOf } from "./accuracy.ts";
import { bucketStarts } from "./calendar.ts";
import type { RunQuery } from "./run-query.ts";
import { readEvents } from "./sampled-scope.ts";
import {
  answerHead,
  type Computed,
  eventConditions,
  type QueryScope,
  readScope,
  refuseIssues,
} from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

/** Periods of a retention query. Its answer grows with their square. */
const MAX_STATS_COHORTS = 120;

/**
 * One row for each pair of periods: how many visitors had their first event of the range in `first`, and some event in `start`.
 */
const retentionStatement = (scope: QueryScope, starts: readonly number[]): Statement =>
  statement((bind) => {
    const { events } = eventConditions(bind, scope, scope.range);
    const start = `roundDown(toUnixTimestamp64Milli(occurredAt), ${bind("Array(Int64)", starts)})`;
    return `SELECT arrayMin(seen) AS first, start, count() FROM (
      SELECT groupUniqArray(${start}) AS seen FROM events WHERE ${events} GROUP BY visitor
    ) ARRAY JOIN seen AS start GROUP BY first, start`;
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
    refuseIssues([{ path: ["period"], code: "too_many", message }]);
  }
  const { value: counts, sample } = await readEvents(run, scope, async (sampled) => {
    const rows = await run<[first: number, start: number, visitors: number]>(
      retentionStatement(sampled, starts),
    );
    return new Map(rows.map(([first, start, visitors]) => [`${first} ${start}`, visitors * sampled.sample]));
  });
  return {
    ...answerHead(scope),
    accuracy: accuracyOf({ sample }),
    cohorts: starts.map((first, index) => {
      const returned = starts.slice(index).map((start) => counts.get(`${first} ${start}`) ?? 0);
      return { start: toIsoTime(first), visitors: returned[0] ?? 0, returned };
    }),
  };
}

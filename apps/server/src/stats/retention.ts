/** POST /api/stats/retention: how many visitors of each period came back in the periods after it. */

import type { StatsRetentionAnswer, StatsRetentionBody } from "@headwater/contract";
import { OPENS_SESSION } from "../clickhouse/schema/event-types.ts";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { MIN_QUERY_TIME, toIsoTime } from "../core/time.ts";
import { bucketStarts } from "./calendar.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import { type Computed, type OfSources, readScope } from "./scope.ts";
import { eventConditions, inPeriod, isWithin, ofSource, type QueryScope } from "./sql/conditions.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { statement } from "./sql/statement.ts";

/** Periods of a retention query. Its answer grows with their square. */
const MAX_STATS_COHORTS = 120;

type RetentionRow = [first: number, start: number, visitors: number];

/** The `start` of a row with all visitors of a cohort, whichever periods they came in. */
const WHOLE_RANGE = -1;

/**
 * A row for each cohort `first` and each period `start`: how many visitors of the cohort had an event in the period. The cohort of a
 * visitor is the period of the first event that is not passive, also before the range, or of the first event in the range.
 */
const retentionQuestion = (
  scope: QueryScope,
  starts: readonly number[],
  isOfRange: boolean,
): Question<RetentionRow, Map<string, number>> => ({
  ...ofVisitors(scope, isOfRange ? scope.range : { ...scope.range, from: MIN_QUERY_TIME }),
  statement: (part) =>
    statement((bind) => {
      const ofPart = { ...scope, part };
      const { range } = scope;
      const { events, filters } = eventConditions(bind, ofPart, range);
      const startOf = (time: string) =>
        `roundDown(toUnixTimestamp64Milli(${time}), ${bind("Array(Int64)", starts)})`;
      const all = `${ofSource(bind, ofPart)} AND ${inPeriod(bind, { ...range, from: MIN_QUERY_TIME })}`;
      const seen = `groupUniqArrayIf(${startOf("occurredAt")}, ${isWithin(bind, "occurredAt", range)} AND (${filters}))`;
      const firstVisit = `minIf(occurredAt, ${OPENS_SESSION})`;
      const cohorts = isOfRange
        ? `SELECT groupUniqArray(${startOf("occurredAt")}) AS seen, arrayMin(seen) AS first
          FROM events WHERE ${events} GROUP BY visitor`
        : `SELECT ${seen} AS seen, ${startOf(firstVisit)} AS first FROM events WHERE ${all}
          GROUP BY visitor HAVING notEmpty(seen) AND ${isWithin(bind, firstVisit, range)}`;
      return `SELECT first, start, count() FROM (${cohorts})
        ARRAY JOIN arrayPushBack(seen, ${WHOLE_RANGE}) AS start GROUP BY first, start`;
    }),
  merge: (rows, scale) =>
    new Map(rows.map(([first, start, visitors]) => [`${first} ${start}`, visitors * scale])),
});

export async function answerRetention(
  run: RunQuery,
  body: OfSources<StatsRetentionBody>,
  now: number,
): Promise<Computed<StatsRetentionAnswer>> {
  const scope = readScope(body, now);
  const starts = bucketStarts(scope.zone, body.period, scope.range, MAX_STATS_COHORTS);
  if (starts.length > MAX_STATS_COHORTS) {
    const message = `the range has more than ${MAX_STATS_COHORTS} periods; use a longer period or a shorter range`;
    requireNoIssues([issueAt(["period"], message, "too_many")]);
  }
  const found = await execute(run, retentionQuestion(scope, starts, body.cohort === "firstInRange"));
  return {
    ...answerHead(scope, found),
    cohorts: starts.map((first, index) => {
      const visitorsIn = (start: number) => found.value.get(`${first} ${start}`) ?? 0;
      const returned = starts.slice(index).map(visitorsIn);
      return { start: toIsoTime(first), visitors: visitorsIn(WHOLE_RANGE), returned };
    }),
  };
}

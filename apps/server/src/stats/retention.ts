/** POST /api/stats/retention: how many visitors of each period came back in the periods after it. */

import type { StatsRetentionAnswer, StatsRetentionBody } from "@headwater/contract";
import { OPENS_SESSION } from "../clickhouse/schema/event-types.ts";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { MIN_QUERY_TIME, toIsoTime } from "../core/time.ts";
import { bucketStarts } from "./calendar.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import { type Computed, type OfSources, readScope } from "./scope.ts";
import { eventConditions, inPeriod, isWithin, ofSource, type QueryScope } from "./sql/conditions.ts";
import { type GoalRule, goalSql } from "./sql/goals.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { statement } from "./sql/statement.ts";

/** Periods of a retention query. Its answer grows with their square. */
const MAX_STATS_COHORTS = 120;

type RetentionRow = [first: number, start: number, visitors: number];

interface RetentionOptions {
  /** Whether the first event in the range decides the cohort, and not the first ever. */
  readonly isOfRange: boolean;
  /** What the first event of a cohort is; null: any. */
  readonly cohortGoal: GoalRule | null;
  /** What counts as coming back; null: any event. */
  readonly returnGoal: GoalRule | null;
}

/** The `start` of a row with all visitors of a cohort, whichever periods they came in. */
const WHOLE_RANGE = -1;

/**
 * A row for each cohort `first` and each period `start`: how many visitors of the cohort had an event in the period. The cohort of a
 * visitor is the period of the first event that is not passive, also before the range, or of the first event in the range. With
 * goals, only events that reach the one begin a cohort, and only those that reach the other count as coming back.
 */
const retentionQuestion = (
  scope: QueryScope,
  starts: readonly number[],
  { isOfRange, cohortGoal, returnGoal }: RetentionOptions,
): Question<RetentionRow, Map<string, number>> => ({
  ...ofVisitors(scope, isOfRange ? scope.range : { ...scope.range, from: MIN_QUERY_TIME }),
  statement: (part) =>
    statement((bind) => {
      const ofPart = { ...scope, part };
      const { range } = scope;
      const { events, filters } = eventConditions(bind, ofPart, range);
      const startOf = (time: string) =>
        `roundDown(toUnixTimestamp64Milli(${time}), ${bind("Array(Int64)", starts)})`;
      const begins = cohortGoal ? goalSql(bind, cohortGoal) : OPENS_SESSION;
      const returns = returnGoal ? goalSql(bind, returnGoal) : "1";
      const isSelected = `${isWithin(bind, "occurredAt", range)} AND (${filters})`;
      const all = `${ofSource(bind, ofPart)} AND ${inPeriod(bind, { ...range, from: MIN_QUERY_TIME })}`;
      const first = `minIf(occurredAt, ${begins})`;
      const cohorts = isOfRange
        ? `SELECT groupUniqArrayIf(${startOf("occurredAt")}, ${returns}) AS seen,
            ${startOf(cohortGoal ? first : "min(occurredAt)")} AS first
          FROM events WHERE ${events} GROUP BY visitor ${cohortGoal ? `HAVING countIf(${begins}) > 0` : ""}`
        : `SELECT groupUniqArrayIf(${startOf("occurredAt")}, ${isSelected} AND (${returns})) AS seen, ${startOf(first)} AS first
          FROM events WHERE ${all} GROUP BY visitor HAVING countIf(${isSelected}) > 0 AND ${isWithin(bind, first, range)}`;
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
  goals: Pick<RetentionOptions, "cohortGoal" | "returnGoal"> = { cohortGoal: null, returnGoal: null },
): Promise<Computed<StatsRetentionAnswer>> {
  const scope = readScope(body, now);
  const starts = bucketStarts(scope.zone, body.period, scope.range, MAX_STATS_COHORTS);
  if (starts.length > MAX_STATS_COHORTS) {
    const message = `the range has more than ${MAX_STATS_COHORTS} periods; use a longer period or a shorter range`;
    requireNoIssues([issueAt(["period"], message, "too_many")]);
  }
  const options = { ...goals, isOfRange: body.cohort === "firstInRange" };
  const found = await execute(run, retentionQuestion(scope, starts, options));
  return {
    ...answerHead(scope, found),
    cohorts: starts.map((first, index) => {
      const visitorsIn = (start: number) => found.value.get(`${first} ${start}`) ?? 0;
      const returned = starts.slice(index).map(visitorsIn);
      return { start: toIsoTime(first), visitors: visitorsIn(WHOLE_RANGE), returned };
    }),
  };
}

/** The answer to a query whose dimension is `goal`: a row for each goal of the source (docs/stats.md). */

import {
  type Goal,
  type Issue,
  STATS_GOAL_DIMENSION,
  STATS_GOAL_METRICS,
  type StatsAnswer,
  type StatsDimension,
  type StatsMetric,
  type StatsQueryBody,
} from "@headwater/contract";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Period } from "./calendar.ts";
import { readComparison } from "./comparison.ts";
import { currencyIssues, readsCurrency } from "./currency.ts";
import { answerHead, execute, type Found, foundExactly, ofVisitors, type Question } from "./execute.ts";
import { sortGroups } from "./metrics-question.ts";
import { orderIssues, readOrder } from "./query.ts";
import type { RunQuery } from "./run-query.ts";
import { type Computed, type QueryScope, readScope } from "./scope.ts";
import { eventConditions, inPeriod, ofSource } from "./sql/conditions.ts";
import { asText } from "./sql/dimensions.ts";
import { conversionRevenueSql, goalSql, NO_AMOUNT, withGoal } from "./sql/goals.ts";
import { canEstimate } from "./sql/metrics.ts";
import type { QueryPart } from "./sql/part.ts";
import { allOf, anyOf, list, type Statement, statement } from "./sql/statement.ts";

type GoalMetric = (typeof STATS_GOAL_METRICS)[number];
const isGoalMetric = (metric: StatsMetric): metric is GoalMetric =>
  STATS_GOAL_METRICS.some((one) => one === metric);

export const isByGoal = ({ dimensions }: StatsQueryBody): boolean =>
  dimensions?.includes(STATS_GOAL_DIMENSION) === true;

const CURRENCY = "currency" satisfies StatsDimension;

interface GoalReport {
  readonly scope: QueryScope;
  readonly goals: readonly Goal[];
  readonly metrics: readonly GoalMetric[];
  readonly isByCurrency: boolean;
}

type Figures = readonly (number | null)[];
interface GoalFigures {
  readonly ofCurrency: ReadonlyMap<string | null, Figures>;
  /** The figures of a currency in which the goal has no conversion. */
  readonly none: Figures;
}

function goalReportIssues(body: StatsQueryBody): Issue[] {
  const { metrics, dimensions = [], goal, attribution } = body;
  const issues = [...orderIssues(body), ...currencyIssues(body)];
  if (dimensions.some((one) => one !== STATS_GOAL_DIMENSION && one !== CURRENCY))
    issues.push(issueAt(["dimensions"], "the only other dimension of a query by goal is currency"));
  if (attribution?.model === "firstTouch") {
    const message = "a query by goal has no attribution; name one goal and add the dimension source";
    issues.push(issueAt(["attribution"], message));
  }
  if (goal)
    issues.push(issueAt(["goal"], "a query with the dimension goal is about all goals; leave goal out"));
  const names = STATS_GOAL_METRICS.join(", ");
  for (const [index, metric] of metrics.entries())
    if (!isGoalMetric(metric))
      issues.push(issueAt(["metrics", index], `the metrics of a query by goal are ${names}`));
  return issues;
}

const NO_TEXT = asText("NULL");
/** Stands for all goals without filters of their own. */
const ALL_GOALS = -1;

/**
 * Selects the conversions, visitors and revenue of each goal, by its index, and the visitors that the conversion rate divides by.
 * The currency of a conversion can be that of its goal, so filters on the currency are written for each goal. Grouping by visitor
 * can use the disk, unlike a set of them.
 */
const goalsStatement = (report: GoalReport, period: Period, part: QueryPart): Statement =>
  statement((bind) => {
    const { goals, metrics, isByCurrency } = report;
    const scope = { ...report.scope, part };
    const hasRate = metrics.includes("conversionRate");
    const needsOwnFilters = scope.filters.some(readsCurrency);
    const shared = eventConditions(bind, scope, period).filters;
    const [filters, reached] = [new Set([shared]), new Set<string>()];
    const entry = (condition: string, values: readonly string[]) =>
      `if(${condition}, [(${list(values)})], [])`;
    const ofAll = (index: number) => [`toInt16(${index})`, "false", NO_TEXT, NO_AMOUNT];
    const entries = goals.flatMap((goal, index) => {
      const ofGoal = withGoal(scope, goal);
      const hasOwn = needsOwnFilters && goal.value !== null;
      const own = hasOwn ? eventConditions(bind, { ...ofGoal, part }, period).filters : shared;
      const isReached = allOf([own, goalSql(bind, goal)]);
      filters.add(own);
      reached.add(isReached);
      const currency = isByCurrency ? ofGoal.currency(bind) : NO_TEXT;
      return [
        ...(hasRate && hasOwn ? [entry(own, ofAll(index))] : []),
        entry(isReached, [`toInt16(${index})`, "true", currency, conversionRevenueSql(bind, goal)]),
      ];
    });
    const all = hasRate ? [entry(shared, ofAll(ALL_GOALS))] : [];
    const events = allOf([
      ofSource(bind, scope),
      inPeriod(bind, period),
      anyOf([...(hasRate ? filters : reached)]),
    ]);
    return `SELECT goal, isReached, currency, sum(reached), count(), toFloat64(sum(amount)) FROM (
      SELECT one.1 AS goal, one.2 AS isReached, one.3 AS currency, visitor, count() AS reached, sum(one.4) AS amount FROM (
        SELECT visitor, arrayJoin(arrayConcat(${list([...all, ...entries])})) AS one FROM events WHERE ${events}
      ) GROUP BY goal, isReached, currency, visitor
    ) GROUP BY goal, isReached, currency`;
  });

type SelectedRow = [
  goal: number,
  isReached: boolean,
  currency: string | null,
  conversions: number,
  visitors: number,
  revenue: number,
];

/** The figures of each goal, in the order of the goals, from the rows of the statement. Revenue is never estimated. */
function toFigures(report: GoalReport, rows: readonly SelectedRow[], scale: number): GoalFigures[] {
  const { scope, goals, metrics } = report;
  const hasOwnFilters = scope.filters.some(readsCurrency);
  return goals.map((goal, index): GoalFigures => {
    const wholeOf = hasOwnFilters && goal.value !== null ? index : ALL_GOALS;
    const whole = rows.find(([of, isReached]) => !isReached && of === wholeOf)?.[4] ?? 0;
    const figuresOf = (conversions: number, visitors: number, revenue: number): Figures => {
      const conversionRate = whole === 0 ? null : visitors / whole;
      const values = {
        conversions: conversions * scale,
        visitors: visitors * scale,
        revenue,
        conversionRate,
      };
      return metrics.map((metric) => values[metric]);
    };
    const reached = rows.filter(([of, isReached]) => isReached && of === index);
    const ofCurrency = new Map(
      reached.map(([, , currency, ...counts]) => [currency, figuresOf(...counts)] as const),
    );
    return { ofCurrency, none: figuresOf(0, 0, 0) };
  });
}

/** @returns the figures of each goal, in the order of the goals */
async function readFigures(run: RunQuery, report: GoalReport, period: Period): Promise<Found<GoalFigures[]>> {
  if (report.goals.length === 0) return foundExactly([]);
  const question: Question<SelectedRow, GoalFigures[]> = {
    ...ofVisitors(report.scope, period),
    addsUpVisitors: canEstimate(report.metrics),
    statement: (part) => goalsStatement(report, period, part),
    merge: (rows, scale) => toFigures(report, rows, scale),
  };
  return execute(run, question);
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema, and what `run` throws */
export async function answerGoalReport(
  run: RunQuery,
  body: StatsQueryBody,
  goals: readonly Goal[],
  now: number,
): Promise<Computed<StatsAnswer>> {
  const scope = readScope(body, now, goalReportIssues(body));
  const issues: Issue[] = [];
  const compared = readComparison(body.include?.comparison, scope, now, issues);
  requireNoIssues(issues);
  const { dimensions = [] } = body;
  const metrics = body.metrics.filter(isGoalMetric);
  const report: GoalReport = { scope, goals, metrics, isByCurrency: dimensions.includes(CURRENCY) };
  const found = await readFigures(run, report, scope.range);
  const before = compared && (await readFigures(run, report, compared));
  // a goal has a row for each currency of its conversions, and one when it has none
  const rows = found.value.flatMap(({ ofCurrency, none }, index) => {
    const currencies = ofCurrency.size > 0 ? [...ofCurrency.keys()] : [null];
    const ofBefore = before?.value[index];
    return currencies.map((currency) => ({
      keys: dimensions.map((one) => (one === CURRENCY ? currency : (goals[index]?.name ?? ""))),
      metrics: ofCurrency.get(currency) ?? none,
      comparison: ofBefore ? [...(ofBefore.ofCurrency.get(currency) ?? ofBefore.none)] : null,
    }));
  });
  const { limit = rows.length, offset = 0 } = body.pagination ?? {};
  const page = sortGroups({ order: readOrder(body), dimensions }, rows).slice(offset, offset + limit);
  return {
    ...answerHead(scope, found, ...(before ? [before] : [])),
    metrics: body.metrics,
    dimensions,
    comparison: compared && { from: toIsoTime(compared.from), to: toIsoTime(compared.to) },
    results: page.map(({ keys, metrics: figures, comparison }) => ({
      dimensions: keys,
      metrics: [...figures],
      comparison,
      complete: null,
    })),
    nextOffset: rows.length > offset + limit ? offset + limit : null,
  };
}

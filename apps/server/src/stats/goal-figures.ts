/** Reads the conversions, visitors and revenue of each goal of a source in one pass over its events. */
import type { Goal, STATS_GOAL_METRICS } from "@headwater/contract";
import { readAccurately, type Sampled } from "./accuracy.ts";
import type { Period } from "./calendar.ts";
import { readsCurrency } from "./currency.ts";
import { asText } from "./dimensions.ts";
import { conversionRevenueSql, goalSql, NO_AMOUNT, withGoal } from "./goals.ts";
import { canEstimate } from "./metrics.ts";
import { countEvents } from "./rollups/freshness.ts";
import type { RunQuery } from "./run-query.ts";
import { eventConditions, inPeriod, ofSource, type QueryScope } from "./scope.ts";
import { allOf, anyOf, list, type Statement, statement } from "./sql.ts";

export type GoalMetric = (typeof STATS_GOAL_METRICS)[number];

export interface GoalReport {
  readonly scope: QueryScope;
  readonly goals: readonly Goal[];
  readonly metrics: readonly GoalMetric[];
  readonly isByCurrency: boolean;
}

export type Figures = Readonly<Record<GoalMetric, number | null>>;

export interface GoalFigures {
  readonly ofCurrency: ReadonlyMap<string | null, Figures>;
  /** The figures of a currency in which the goal has no conversion. */
  readonly none: Figures;
}

const NO_TEXT = asText("NULL");
/** Stands for all goals without filters of their own. */
const ALL_GOALS = -1;

/**
 * Selects the conversions, visitors and revenue of each goal, by its index, and the visitors that the conversion rate divides by.
 * The currency of a conversion can be that of its goal, so filters on the currency are written for each goal. Grouping by visitor
 * can use the disk, unlike a set of them.
 */
const goalsStatement = (report: GoalReport, period: Period): Statement =>
  statement((bind) => {
    const { scope, goals, metrics, isByCurrency } = report;
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
      const own = hasOwn ? eventConditions(bind, ofGoal, period).filters : shared;
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
    const totals = ["sum(reached)", "count()", "toFloat64(sum(amount))"].map(
      (sum) => `${sum} * ${scope.sample}`,
    );
    return `SELECT ${list(["goal", "isReached", "currency", ...totals])} FROM (
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

/** The figures of each goal, in the order of the goals, from the rows of the statement. */
function toFigures({ scope, goals }: GoalReport, rows: readonly SelectedRow[]): GoalFigures[] {
  const hasOwnFilters = scope.filters.some(readsCurrency);
  return goals.map((goal, index): GoalFigures => {
    const wholeOf = hasOwnFilters && goal.value !== null ? index : ALL_GOALS;
    const whole = rows.find(([of, isReached]) => !isReached && of === wholeOf)?.[4] ?? 0;
    const figuresOf = (conversions: number, visitors: number, revenue: number): Figures => ({
      conversions,
      visitors,
      revenue,
      conversionRate: whole === 0 ? null : visitors / whole,
    });
    const reached = rows.filter(([of, isReached]) => isReached && of === index);
    return {
      ofCurrency: new Map(
        reached.map(([, , currency, conversions, visitors, revenue]) => [
          currency,
          figuresOf(conversions, visitors, revenue),
        ]),
      ),
      none: figuresOf(0, 0, 0),
    };
  });
}

/** @returns the figures of each goal, in the order of the goals */
export async function readGoalFigures(
  run: RunQuery,
  report: GoalReport,
  period: Period,
): Promise<Sampled<GoalFigures[]>> {
  const { scope, goals, metrics } = report;
  if (goals.length === 0) return { value: [], sample: 1 };
  const events = scope.accuracy === "exact" ? 0 : await countEvents(run, scope.sourceId, period);
  const size = { from: "events" as const, events, canEstimate: canEstimate(metrics) };
  return readAccurately(scope.accuracy, size, async (sample) => {
    const sampled = { ...report, scope: { ...scope, sample } };
    return toFigures(sampled, await run<SelectedRow>(goalsStatement(sampled, period)));
  });
}

/** Reads the conversions, visitors and revenue of each goal of a source in one pass over its events. */
import type { Goal, STATS_GOAL_METRICS } from "@headwater/contract";
import { type Accurate, partSql, readAccurately } from "./accuracy.ts";
import type { Period } from "./calendar.ts";
import { readsCurrency } from "./currency.ts";
import { asText } from "./dimensions.ts";
import { type Estimate, type Figure, type PartTotals, relativeVariance } from "./error-bound.ts";
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
    const part = scope.sample === 1 ? "0" : partSql(scope.sample);
    return `SELECT goal, isReached, currency, toUInt8(${part}) AS part, sum(reached), count(), toFloat64(sum(amount)) FROM (
      SELECT one.1 AS goal, one.2 AS isReached, one.3 AS currency, visitor, count() AS reached, sum(one.4) AS amount FROM (
        SELECT visitor, arrayJoin(arrayConcat(${list([...all, ...entries])})) AS one FROM events WHERE ${events}
      ) GROUP BY goal, isReached, currency, visitor
    ) GROUP BY goal, isReached, currency, part`;
  });

type SelectedRow = [
  goal: number,
  isReached: boolean,
  currency: string | null,
  part: number,
  conversions: number,
  visitors: number,
  revenue: number,
];

/** The totals of a goal and currency: conversions, its visitors, revenue, and the visitors that the rate divides by. */
type GoalTotals = PartTotals;
const goalTotal = (at: number): Figure => ({ value: (totals) => totals[at] ?? 0, divisor: null });
const FIGURES: Readonly<Record<GoalMetric, Figure>> = {
  conversions: goalTotal(0),
  visitors: goalTotal(1),
  revenue: goalTotal(2),
  conversionRate: {
    value: ([, visitors = 0, , whole = 0]) => (whole === 0 ? null : visitors / whole),
    divisor: ([, , , whole = 0]) => whole,
  },
};

const sumOf = (parts: readonly GoalTotals[], sample: number): GoalTotals =>
  [0, 1, 2, 3].map((at) => sample * parts.reduce((sum, part) => sum + (part[at] ?? 0), 0));

const figuresOf = (totals: GoalTotals): Figures => ({
  conversions: FIGURES.conversions.value(totals),
  visitors: FIGURES.visitors.value(totals),
  revenue: FIGURES.revenue.value(totals),
  conversionRate: FIGURES.conversionRate.value(totals),
});

/** The figures of each goal, in the order of the goals, from the rows of the statement. */
function toFigures(report: GoalReport, rows: readonly SelectedRow[]): Estimate<GoalFigures[]> {
  const { scope, goals, metrics } = report;
  const { sample } = scope;
  const isOwn = scope.filters.some(readsCurrency);
  const variances: number[] = [];
  const value = goals.map((goal, index): GoalFigures => {
    const wholeOf = isOwn && goal.value !== null ? index : ALL_GOALS;
    const whole = new Map(
      rows.flatMap(([of, isReached, , part, , visitors]) =>
        !isReached && of === wholeOf ? [[part, visitors]] : [],
      ),
    );
    const partsOf = (reached: readonly SelectedRow[]) => {
      const byPart = new Map(reached.map((row) => [row[3], row]));
      return [...new Set([...whole.keys(), ...byPart.keys()])].map((part): GoalTotals => {
        const [, , , , conversions = 0, visitors = 0, revenue = 0] = byPart.get(part) ?? [];
        return [conversions, visitors, revenue, whole.get(part) ?? 0];
      });
    };
    const ofCurrency = Map.groupBy(
      rows.filter(([of, isReached]) => isReached && of === index),
      ([, , currency]) => currency,
    );
    const figures = [...ofCurrency].map(([currency, reached]) => {
      const parts = partsOf(reached);
      if (sample > 1)
        variances.push(...metrics.map((metric) => relativeVariance(sample, parts, FIGURES[metric])));
      return [currency, figuresOf(sumOf(parts, sample))] as const;
    });
    return { ofCurrency: new Map(figures), none: figuresOf(sumOf(partsOf([]), sample)) };
  });
  return { value, variances };
}

/** @returns the figures of each goal, in the order of the goals */
export async function readGoalFigures(
  run: RunQuery,
  report: GoalReport,
  period: Period,
): Promise<Accurate<GoalFigures[]>> {
  const { scope, goals, metrics } = report;
  if (goals.length === 0) return { value: [], sample: 1, variances: [] };
  const events = scope.accuracy === "exact" ? 0 : await countEvents(run, scope.sourceId, period);
  const size = { from: "events" as const, events, canEstimate: canEstimate(metrics) };
  return readAccurately(scope.accuracy, size, async (sample) => {
    const sampled = { ...report, scope: { ...scope, sample } };
    return toFigures(sampled, await run<SelectedRow>(goalsStatement(sampled, period)));
  });
}

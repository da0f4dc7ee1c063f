/** The answer to a query whose dimension is `goal`: a row for each goal of the source (docs/contract.md section 9). */
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
import { toIsoTime } from "../core/time.ts";
import type { Period } from "./calendar.ts";
import { readComparison } from "./comparison.ts";
import { currencyIssues, readsCurrency } from "./currency.ts";
import { asText } from "./dimensions.ts";
import { conversionRevenueSql, goalSql, NO_AMOUNT, withGoal } from "./goals.ts";
import type { RunQuery } from "./run-query.ts";
import {
  answerHead,
  type Computed,
  eventConditions,
  inPeriod,
  ofSource,
  type QueryScope,
  readScope,
  refuseIssues,
} from "./scope.ts";
import { allOf, anyOf, list, type Statement, statement } from "./sql.ts";

export const isByGoal = ({ dimensions }: StatsQueryBody): boolean =>
  dimensions?.includes(STATS_GOAL_DIMENSION) === true;

type GoalMetric = (typeof STATS_GOAL_METRICS)[number];
const isGoalMetric = (metric: StatsMetric): metric is GoalMetric =>
  STATS_GOAL_METRICS.some((one) => one === metric);

const CURRENCY = "currency" satisfies StatsDimension;

function goalReportIssues(body: StatsQueryBody): Issue[] {
  const { metrics, dimensions = [], goal, orderBy = [] } = body;
  const invalid = (path: (string | number)[], message: string): Issue => ({
    path,
    code: "invalid_value",
    message,
  });
  const names = STATS_GOAL_METRICS.join(", ");
  const fields: string[] = [...metrics, ...dimensions];
  return [
    ...(dimensions.every((one) => one === STATS_GOAL_DIMENSION || one === CURRENCY)
      ? []
      : [invalid(["dimensions"], "the only other dimension of a query by goal is currency")]),
    ...(body.attribution?.model === "firstTouch"
      ? [
          invalid(
            ["attribution"],
            "a query by goal has no attribution; name one goal and add the dimension source",
          ),
        ]
      : []),
    ...(goal
      ? [invalid(["goal"], "a query with the dimension goal is about all goals; leave goal out")]
      : []),
    ...orderBy.flatMap(({ field }, index) =>
      fields.includes(field)
        ? []
        : [invalid(["orderBy", index, "field"], "must be one of the query's metrics or dimensions")],
    ),
    ...metrics.flatMap((metric, index) =>
      isGoalMetric(metric)
        ? []
        : [invalid(["metrics", index], `the metrics of a query by goal are ${names}`)],
    ),
    ...currencyIssues(body),
  ];
}

const NO_TEXT = asText("NULL");
/** Stands for all goals without filters of their own. */
const ALL_GOALS = -1;

interface GoalReport {
  readonly scope: QueryScope;
  readonly goals: readonly Goal[];
  readonly isByCurrency: boolean;
}

/**
 * Selects the events, visitors and revenue of each goal, by its index, and the events and visitors that the conversion rate
 * divides by. The currency of a conversion can be that of its goal, so filters on the currency are written for each goal.
 */
const goalsStatement = ({ scope, goals, isByCurrency }: GoalReport, period: Period): Statement =>
  statement((bind) => {
    const needsOwnFilters = scope.filters.some(readsCurrency);
    const shared = eventConditions(bind, scope, period).filters;
    const filters = new Set([shared]);
    const entry = (condition: string, values: readonly string[]) =>
      `if(${condition}, [(${list(values)})], [])`;
    const entries = goals.flatMap((goal, index) => {
      const ofGoal = withGoal(scope, goal);
      const hasOwn = needsOwnFilters && goal.value !== null;
      const own = hasOwn ? eventConditions(bind, ofGoal, period).filters : shared;
      filters.add(own);
      const isReached = allOf([own, goalSql(bind, goal)]);
      const currency = isByCurrency ? ofGoal.currency(bind) : NO_TEXT;
      return [
        ...(hasOwn ? [entry(own, [`toInt16(${index})`, "false", NO_TEXT, NO_AMOUNT])] : []),
        entry(isReached, [`toInt16(${index})`, "true", currency, conversionRevenueSql(bind, goal)]),
      ];
    });
    const all = entry(shared, [`toInt16(${ALL_GOALS})`, "false", NO_TEXT, NO_AMOUNT]);
    const events = allOf([ofSource(bind, scope), inPeriod(bind, period), anyOf([...filters])]);
    return `SELECT one.1, one.2, one.3, count(), uniqExact(visitor), toFloat64(sum(one.4)) FROM (
      SELECT visitor, arrayJoin(arrayConcat(${list([all, ...entries])})) AS one FROM events WHERE ${events}
    ) GROUP BY one.1, one.2, one.3`;
  });

type Figures = Readonly<Record<GoalMetric, number | null>>;
type SelectedRow = [
  goal: number,
  isReached: boolean,
  currency: string | null,
  events: number,
  visitors: number,
  revenue: number,
];

interface GoalFigures {
  readonly ofCurrency: ReadonlyMap<string | null, Figures>;
  /** The figures of a currency in which the goal has no conversion. */
  readonly none: Figures;
}

/** The figures of each goal, in the order of the goals. */
async function readFigures(run: RunQuery, report: GoalReport, period: Period): Promise<GoalFigures[]> {
  const rows = await run<SelectedRow>(goalsStatement(report, period));
  const all = new Map(
    rows.flatMap(([goal, isReached, , , visitors]) => (isReached ? [] : [[goal, visitors]])),
  );
  const isOwn = report.scope.filters.some(readsCurrency);
  return report.goals.map(({ value }, index) => {
    const whole = all.get(isOwn && value !== null ? index : ALL_GOALS) ?? 0;
    const figuresOf = (conversions: number, visitors: number, revenue: number): Figures => ({
      conversions,
      visitors,
      conversionRate: whole === 0 ? null : visitors / whole,
      revenue,
    });
    const reached = rows.filter(([goal, isReached]) => isReached && goal === index);
    return {
      ofCurrency: new Map(reached.map(([, , currency, ...figures]) => [currency, figuresOf(...figures)])),
      none: figuresOf(0, 0, 0),
    };
  });
}

interface GoalRow {
  readonly name: string;
  readonly currency: string | null;
  readonly figures: Figures;
  readonly before: Figures | null;
}

/** The rows of a goal: one for each currency of its conversions. A goal without conversions has one, too. */
function rowsOfGoal(name: string, { ofCurrency, none }: GoalFigures, before: GoalFigures | null): GoalRow[] {
  const currencies = ofCurrency.size > 0 ? [...ofCurrency.keys()] : [null];
  return currencies.map((currency) => ({
    name,
    currency,
    figures: ofCurrency.get(currency) ?? none,
    before: before && (before.ofCurrency.get(currency) ?? before.none),
  }));
}

/** Default: by the first metric, largest first. Rows that are equal are sorted by their dimensions. */
function sortRows(rows: GoalRow[], { metrics, dimensions = [], orderBy }: StatsQueryBody): GoalRow[] {
  const [first = "conversions"] = metrics;
  const order = orderBy?.length ? orderBy : [{ field: first, direction: "desc" as const }];
  const byDimensions = dimensions.map((field) => ({ field, direction: "asc" as const }));
  const fieldOf = ({ name, currency, figures }: GoalRow, field: string) => {
    const metric = STATS_GOAL_METRICS.find((one) => one === field);
    if (metric !== undefined) return figures[metric];
    return field === CURRENCY ? currency : name;
  };
  return rows.toSorted((one, other) => {
    for (const { field, direction } of [...order, ...byDimensions]) {
      const [a, b] = [fieldOf(one, field), fieldOf(other, field)];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b === (direction === "asc") ? -1 : 1;
    }
    return 0;
  });
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
  refuseIssues(issues);
  const dimensions = body.dimensions ?? [];
  const report: GoalReport = { scope, goals, isByCurrency: dimensions.includes(CURRENCY) };
  const figures = await readFigures(run, report, scope.range);
  const before = compared && (await readFigures(run, report, compared));
  const rows = goals.flatMap(({ name }, index) => {
    const own = figures[index];
    return own ? rowsOfGoal(name, own, before?.[index] ?? null) : [];
  });
  const { limit = rows.length, offset = 0 } = body.pagination ?? {};
  const metrics = body.metrics.filter(isGoalMetric);
  const page = sortRows(rows, body).slice(offset, offset + limit);
  return {
    ...answerHead(scope),
    metrics: body.metrics,
    dimensions,
    comparison: compared && { from: toIsoTime(compared.from), to: toIsoTime(compared.to) },
    results: page.map((row) => ({
      dimensions: dimensions.map((one) => (one === CURRENCY ? row.currency : row.name)),
      metrics: metrics.map((metric) => row.figures[metric]),
      comparison: row.before && metrics.map((metric) => row.before?.[metric] ?? null),
      complete: null,
    })),
    nextOffset: rows.length > offset + limit ? offset + limit : null,
  };
}

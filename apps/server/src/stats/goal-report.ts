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
import { toIsoTime } from "../core/time.ts";
import { accuracyOf } from "./accuracy.ts";
import { readComparison } from "./comparison.ts";
import { currencyIssues } from "./currency.ts";
import {
  type Figures,
  type GoalFigures,
  type GoalMetric,
  type GoalReport,
  readGoalFigures,
} from "./goal-figures.ts";
import type { RunQuery } from "./run-query.ts";
import { answerHead, type Computed, readScope, refuseIssues } from "./scope.ts";

export const isByGoal = ({ dimensions }: StatsQueryBody): boolean =>
  dimensions?.includes(STATS_GOAL_DIMENSION) === true;

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
  const metrics = body.metrics.filter(isGoalMetric);
  const report: GoalReport = { scope, goals, metrics, isByCurrency: dimensions.includes(CURRENCY) };
  const found = await readGoalFigures(run, report, scope.range);
  const before = compared && (await readGoalFigures(run, report, compared));
  const rows = goals.flatMap(({ name }, index) => {
    const own = found.value[index];
    return own ? rowsOfGoal(name, own, before?.value[index] ?? null) : [];
  });
  const { limit = rows.length, offset = 0 } = body.pagination ?? {};
  const page = sortRows(rows, body).slice(offset, offset + limit);
  return {
    ...answerHead(scope),
    accuracy: accuracyOf(found, ...(before ? [before] : [])),
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

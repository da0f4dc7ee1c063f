/**
 * The metrics of queries: each is one entry of METRICS, computed from totals. A total is one entry of TOTALS: a number that
 * is counted over events or over sessions.
 */
import type { STATS_METRICS, StatsGoal, StatsMetric } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import { propertySql } from "./dimensions.ts";
import { goalSql } from "./scope.ts";
import type { Bind } from "./sql.ts";

/** A total over events: their number, the number of distinct values, or the sum of a value. */
interface EventTotal {
  readonly over: "events";
  readonly aggregate: "count" | "distinct" | "sum";
  /** SQL over a row of `events`: what is counted or added up. */
  readonly value: string;
  readonly countedEvents: "all" | "pageViews" | "conversions";
}
/** A total over the sessions that begin in the period: the sum of a value. */
interface SessionTotal {
  readonly over: "sessions";
  /** SQL over the columns `startedAt`, `endedAt`, `pageViews` and `actions` of a session. */
  readonly value: string;
}
interface RollupSql {
  /** The SQL of the same total over each rollup table. A table that cannot give it is left out. */
  readonly rollups: { readonly sessionRollups?: string; readonly eventRollups?: string };
}
export type Total = (EventTotal | SessionTotal) & RollupSql;

const count = (countedEvents: EventTotal["countedEvents"], column: string): Total => ({
  over: "events",
  aggregate: "count",
  value: "1",
  countedEvents,
  rollups: { sessionRollups: `sum(${column})`, eventRollups: `sum(${column})` },
});
const distinct = (
  value: string,
  countedEvents: EventTotal["countedEvents"],
  rollups: RollupSql["rollups"],
): Total => ({
  over: "events",
  aggregate: "distinct",
  value,
  countedEvents,
  rollups,
});
const sumOverSessions = (value: string, column: string): Total => ({
  over: "sessions",
  value,
  rollups: { sessionRollups: `sum(${column})` },
});

/** Visitors and users are counted by 64-bit hashes of their ids. */
const VISITORS = "uniqExact(visitor)";
const TOTALS = {
  visitors: distinct("visitor", "all", { sessionRollups: VISITORS, eventRollups: VISITORS }),
  users: distinct("sipHash64(userId)", "all", { sessionRollups: "uniqExactIf(user, user != 0)" }),
  converted: distinct("visitor", "conversions", {}),
  pageviews: count("pageViews", "pageviews"),
  events: count("all", "events"),
  sessions: sumOverSessions("1", "sessions"),
  bounces: sumOverSessions("pageViews = 1 AND actions = 0", "bounces"),
  durationMs: sumOverSessions("dateDiff('millisecond', startedAt, endedAt)", "durationMs"),
};
type NamedTotal = keyof typeof TOTALS;

interface Metric {
  readonly totals: readonly NamedTotal[];
  /** The metric as SQL over columns with the names of the totals. */
  readonly sql: string;
  /** The value of a group without events. */
  readonly whenEmpty: 0 | null;
}
const total = (name: NamedTotal): Metric => ({ totals: [name], sql: name, whenEmpty: 0 });
/** NULL when the divisor is 0. */
const ratio = (part: NamedTotal, whole: NamedTotal, unit = ""): Metric => ({
  totals: [part, whole],
  sql: `if(${whole} = 0, NULL, ${part} / ${whole})${unit}`,
  whenEmpty: null,
});

type NamedMetric = (typeof STATS_METRICS)[number];
const METRICS: Readonly<Record<NamedMetric, Metric>> = {
  visitors: total("visitors"),
  users: total("users"),
  sessions: total("sessions"),
  pageviews: total("pageviews"),
  events: total("events"),
  viewsPerSession: ratio("pageviews", "sessions"),
  bounceRate: ratio("bounces", "sessions"),
  sessionDuration: ratio("durationMs", "sessions", " / 1000"),
  conversionRate: ratio("converted", "visitors"),
};

const SUM = "sum:";
const isNamed = (metric: StatsMetric): metric is NamedMetric => Object.hasOwn(METRICS, metric);
/** The property of a metric `sum:<property>`; null for other metrics. */
export const summedProperty = (metric: StatsMetric): string | null =>
  isNamed(metric) ? null : metric.slice(SUM.length);

/** The name of the total of a metric `sum:<property>`; the index tells several of them apart. */
const sumName = (index: number) => `sum${index}`;
/** @param index the place of the metric in its query */
export const metricAt = (metric: StatsMetric, index: number): Metric =>
  isNamed(metric) ? METRICS[metric] : { totals: [], sql: sumName(index), whenEmpty: 0 };

/** The totals, by name, that the metrics of a query are computed from. */
export function totalsOf(bind: Bind, metrics: readonly StatsMetric[]): Map<string, Total> {
  const totals = new Map<string, Total>();
  for (const [index, metric] of metrics.entries()) {
    for (const name of metricAt(metric, index).totals) totals.set(name, TOTALS[name]);
    const property = summedProperty(metric);
    if (property === null) continue;
    const value = `ifNull(${propertySql(bind, property).number}, 0)`;
    totals.set(sumName(index), {
      over: "events",
      aggregate: "sum",
      value,
      countedEvents: "all",
      rollups: {},
    });
  }
  return totals;
}

/** A condition on a row of `events`: whether a total counts the event. */
export function isCountedSql(bind: Bind, { countedEvents }: EventTotal, goal: StatsGoal | null): string {
  if (countedEvents === "pageViews") return IS_PAGE_VIEW;
  // a query without a goal has no metric of conversions
  return countedEvents === "conversions" && goal !== null ? goalSql(bind, goal) : "1";
}

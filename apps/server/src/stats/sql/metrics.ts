/**
 * The metrics of queries: each is one entry of METRICS, computed from totals. A total is one entry of TOTALS: a number that
 * is counted over events or over sessions.
 */
import type { STATS_METRICS, StatsMetric } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { conversionRevenueSql, type GoalRule, goalSql } from "./goals.ts";
import { propertySql } from "./properties.ts";
import type { Bind } from "./statement.ts";

type CountCondition = (bind: Bind, goal: GoalRule | null) => string;

/** A total over events. */
export interface EventTotal {
  readonly over: "events";
  /**
   * `sumOfMaxima`: the value is a map, and the greatest values of its keys are added up. No key of it is in two sessions, and no
   * value of `distinctOfSession`.
   */
  readonly aggregate: "count" | "distinct" | "distinctOfSession" | "sum" | "sumOfMaxima" | "p75";
  /** SQL over a row of `events`: what is counted, added up or ranked. */
  readonly value: string;
  /** SQL over a row of `events`: whether the total counts the event. null: it counts all events. */
  readonly condition: CountCondition | null;
}
/** A total over the sessions that begin in the period: the sum of a value. */
interface SessionTotal {
  readonly over: "sessions";
  /** SQL over the columns of a session that `sessionColumns` (`from-events.ts`) has. */
  readonly value: string;
}
interface RollupSql {
  /** The SQL of the same total over each rollup table. A table that cannot give it is left out. */
  readonly rollups: { readonly sessionRollups?: string; readonly eventRollups?: string };
}
export type Total = (EventTotal | SessionTotal) & RollupSql;
/** By name. */
export type Totals = ReadonlyMap<string, Total>;

const ofEvents = (
  aggregate: EventTotal["aggregate"],
  value: string,
  condition: CountCondition | null = null,
  rollups: RollupSql["rollups"] = {},
): Total => ({ over: "events", aggregate, value, condition, rollups });
const count = (condition: CountCondition | null, column: string): Total =>
  ofEvents("count", "1", condition, {
    sessionRollups: `sum(${column})`,
    eventRollups: `sum(${column})`,
  });
const sumOverSessions = (value: string, column: string): Total => ({
  over: "sessions",
  value,
  rollups: { sessionRollups: `sum(${column})` },
});

/** Google Analytics has the same threshold. */
export const ENGAGED_SECONDS = 10;
/** Visitors and users are counted by 64-bit hashes of their ids. */
const VISITORS = "uniqExact(visitor)";
/** The views of a page in a session have one scroll depth. Visitors are counted in parts, so the key has the visitor. */
const viewKey = (path: string) => `sipHash64(session, visitor, ifNull(${path}, ''))`;
const depthByView = (path: string) => `map(${viewKey(path)}, assumeNotNull(scrollDepth))`;
const HAS_DEPTH = "scrollDepth IS NOT NULL";

/** The Core Web Vitals, as the optional part `web-vitals` of the browser client reports them. */
const writeLiteral: Bind = (_type, value) => `'${value}'`;
const p75 = (vital: string) =>
  ofEvents("p75", propertySql(writeLiteral, vital).number, () => "name = 'web_vitals'");

/** A query without a goal has no metric of conversions. */
const reachesGoal: CountCondition = (bind, goal) => (goal === null ? "1" : goalSql(bind, goal));

const IS_ENGAGED = `pageViews > 1 OR sessionSeconds >= ${ENGAGED_SECONDS}`;
const TOTALS = {
  visitors: ofEvents("distinct", "visitor", null, { sessionRollups: VISITORS, eventRollups: VISITORS }),
  users: ofEvents("distinct", "sipHash64(userId)", null, { sessionRollups: "uniqExactIf(user, user != 0)" }),
  converted: ofEvents("distinct", "visitor", reachesGoal),
  conversions: ofEvents("count", "1", reachesGoal),
  pageviews: count(() => IS_PAGE_VIEW, "pageviews"),
  events: count(null, "events"),
  planViolations: ofEvents("count", "1", () => "planViolation"),
  engagedSeconds: ofEvents("sum", "toFloat64(engagedSeconds)", null, {
    eventRollups: "sum(engagedSeconds)",
  }),
  depths: ofEvents("sumOfMaxima", depthByView("page.path"), () => HAS_DEPTH, {
    eventRollups: `arraySum(mapValues(maxMapIf(${depthByView("page")}, ${HAS_DEPTH})))`,
  }),
  viewsWithDepth: ofEvents("distinctOfSession", viewKey("page.path"), () => HAS_DEPTH, {
    eventRollups: `uniqExactIf(${viewKey("page")}, ${HAS_DEPTH})`,
  }),
  revenue: ofEvents("sum", "ifNull(revenue, toDecimal64(0, 4))"),
  p75lcp: p75("lcp"),
  p75inp: p75("inp"),
  p75cls: p75("cls"),
  p75fcp: p75("fcp"),
  p75ttfb: p75("ttfb"),
  sessions: sumOverSessions("1", "sessions"),
  bounces: sumOverSessions("pageViews = 1 AND actions = 0", "bounces"),
  durationMs: sumOverSessions("dateDiff('millisecond', startedAt, endedAt)", "durationMs"),
  engagedSessions: sumOverSessions(IS_ENGAGED, "engagedSessions"),
};
/** Rollups do not know the goal of a query. */
const ENGAGED_OR_CONVERTED: Total = {
  over: "sessions",
  value: `${IS_ENGAGED} OR reachedGoal`,
  rollups: {},
};
type NamedTotal = keyof typeof TOTALS;

/** A metric is a total, or a total divided by another one. */
interface Metric {
  /** Named totals; null: the total that `sumName` names. */
  readonly part: NamedTotal | null;
  readonly whole: NamedTotal | null;
  /** The ratio is divided by it, to change the unit. */
  readonly unit: number;
  /** A part of 0 means that nobody reported anything: NULL. */
  readonly needsPart: boolean;
  /** The value of a group without events. */
  readonly whenEmpty: 0 | null;
}
const NO_RATIO = { whole: null, unit: 1, needsPart: false } as const;
const total = (part: NamedTotal): Metric => ({ ...NO_RATIO, part, whenEmpty: 0 });
const percentile = (part: NamedTotal): Metric => ({ ...NO_RATIO, part, whenEmpty: null });
/** NULL when the divisor is 0. */
const ratio = (part: NamedTotal, whole: NamedTotal, more: Partial<Metric> = {}): Metric => ({
  ...NO_RATIO,
  part,
  whole,
  whenEmpty: null,
  ...more,
});

type NamedMetric = (typeof STATS_METRICS)[number];
const METRICS: Readonly<Record<NamedMetric, Metric>> = {
  visitors: total("visitors"),
  users: total("users"),
  sessions: total("sessions"),
  pageviews: total("pageviews"),
  events: total("events"),
  planViolations: total("planViolations"),
  viewsPerSession: ratio("pageviews", "sessions"),
  bounceRate: ratio("bounces", "sessions"),
  sessionDuration: ratio("durationMs", "sessions", { unit: 1_000 }),
  conversions: total("conversions"),
  conversionRate: ratio("converted", "visitors"),
  engagedSessions: total("engagedSessions"),
  // without any report, nobody knows the time
  timeOnPage: ratio("engagedSeconds", "pageviews", { needsPart: true }),
  scrollDepth: ratio("depths", "viewsWithDepth"),
  revenue: total("revenue"),
  "p75:lcp": percentile("p75lcp"),
  "p75:inp": percentile("p75inp"),
  "p75:cls": percentile("p75cls"),
  "p75:fcp": percentile("p75fcp"),
  "p75:ttfb": percentile("p75ttfb"),
};

const SUM = "sum:";
const isNamed = (metric: StatsMetric): metric is NamedMetric => Object.hasOwn(METRICS, metric);
/** The property of a metric `sum:<property>`; null for other metrics. */
const summedProperty = (metric: StatsMetric): string | null =>
  isNamed(metric) ? null : metric.slice(SUM.length);

/** A user may have several visitors, so some of the visitors do not give a share of the users. Money is not estimated. */
const ALWAYS_EXACT: ReadonlySet<StatsMetric> = new Set<NamedMetric>([
  "users",
  "revenue",
  "p75:lcp",
  "p75:inp",
  "p75:cls",
  "p75:fcp",
  "p75:ttfb",
]);
/** Whether all metrics of a query are made from sums over visitors. */
export const canEstimate = (metrics: readonly StatsMetric[]): boolean =>
  metrics.every((metric) => isNamed(metric) && !ALWAYS_EXACT.has(metric));

/** Whether the totals of parts of the sessions add up to that of all of them. A visitor may be in several parts. */
export const isSumOverSessions = (total: Total): boolean =>
  total.over === "sessions" || !["distinct", "p75"].includes(total.aggregate);

/** The name of the total of a metric `sum:<property>`; the index tells several of them apart. */
const sumName = (index: number) => `sum${index}`;
/** @param index the place of the metric in its query */
const metricAt = (metric: StatsMetric, index: number) => {
  const found: Metric = isNamed(metric) ? METRICS[metric] : { ...NO_RATIO, part: null, whenEmpty: 0 };
  return { ...found, partName: found.part ?? sumName(index) };
};

/** The value of a metric in a group without events. */
export const whenEmpty = (metric: StatsMetric, index: number): 0 | null => metricAt(metric, index).whenEmpty;

/** A metric as SQL over columns with the names of the totals. */
export function metricSql(metric: StatsMetric, index: number): string {
  const { partName, whole, unit, needsPart } = metricAt(metric, index);
  if (whole === null) return partName;
  const value = `${partName} / ${whole}${unit === 1 ? "" : ` / ${unit}`}`;
  return `if(${whole} = 0${needsPart ? ` OR ${partName} = 0` : ""}, NULL, ${value})`;
}

/** The same, computed from totals. */
export function metricValue(
  metric: StatsMetric,
  index: number,
  totalOf: (name: string) => number | null,
): number | null {
  const { partName, whole, unit, needsPart } = metricAt(metric, index);
  const part = totalOf(partName);
  if (whole === null || part === null) return part;
  const divisor = totalOf(whole) ?? 0;
  return divisor === 0 || (needsPart && part === 0) ? null : part / divisor / unit;
}

/** Digits after the point of the column `revenue`. */
const REVENUE_DIGITS = 4;
/** Adds the totals of two parts up. Money stays exact: floating point would make 27.4995 of some sums 27.499499999999998. */
export const addTotals = (name: string, one: number, other: number): number =>
  name === "revenue" ? Number((one + other).toFixed(REVENUE_DIGITS)) : one + other;

/** The totals, by name, that the metrics of a query are computed from. */
export function totalsOf(bind: Bind, metrics: readonly StatsMetric[], goal: GoalRule | null): Totals {
  const totals = new Map<string, Total>();
  for (const [index, metric] of metrics.entries()) {
    const { part, whole } = metricAt(metric, index);
    for (const name of [part, whole]) if (name !== null) totals.set(name, TOTALS[name]);
    if (metric === "engagedSessions" && goal !== null) totals.set(metric, ENGAGED_OR_CONVERTED);
    if (metric === "revenue" && goal !== null)
      totals.set(metric, ofEvents("sum", conversionRevenueSql(bind, goal), reachesGoal));
    const property = summedProperty(metric);
    if (property === null) continue;
    totals.set(sumName(index), ofEvents("sum", `ifNull(${propertySql(bind, property).number}, 0)`));
  }
  return totals;
}

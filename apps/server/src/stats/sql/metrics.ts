/**
 * The metrics of queries: each is one entry of METRICS, computed from totals. A total is one entry of TOTALS: a number that
 * is counted over events or over sessions.
 */
import { STATS_METRICS, STATS_PROPERTY_METRICS, STATS_VITALS, type StatsMetric } from "@headwater/contract";
import { IS_PAGE_VIEW, OPENS_SESSION, SESSION_ENDED_AT } from "../../clickhouse/schema/event-types.ts";
import { REACHED_GOAL } from "./dimensions.ts";
import { conversionRevenueSql, goalSql, hasAmountSql, isEachGoal, type QueryGoal } from "./goals.ts";
import type { MetricsQuery } from "./metrics-query.ts";
import { propertySql } from "./properties.ts";
import { allOf, type Bind } from "./statement.ts";

type CountCondition = (bind: Bind, goal: QueryGoal | null) => string;

/** A total over events. */
export interface EventTotal {
  readonly over: "events";
  /**
   * `sumOfMaxima`: the value is a map, and the greatest values of its keys are added up. No key of it is in two sessions, and no
   * value of `distinctOfSession`.
   */
  readonly aggregate: "count" | "distinct" | "distinctOfSession" | "sum" | "sumOfMaxima" | "percentile";
  /** The level of a percentile, from 0 to 1; 0 for all others. */
  readonly level: number;
  /** SQL over a row of `events`: what is counted, added up or ranked. */
  readonly value: string;
  /** SQL over a row of `events`: whether the total counts the event. null: it counts all events. */
  readonly condition: CountCondition | null;
  /** Only events of sessions of this `visitorType` count. null: those of all sessions. */
  readonly visitorType: "new" | "returning" | null;
}
/** A total over the sessions that begin in the period: the sum of a value. */
interface SessionTotal {
  readonly over: "sessions";
  /** SQL over the columns of a session that `sessionColumns` (`from-events.ts`) has, and over `groupPage`, the page of the group. */
  readonly value: string;
  /** The total counts the sessions of which this is the page of the group. null: all. */
  readonly page: SessionPage | null;
}
/** A page of a session, which a rollup has. */
export type SessionPage = "entryPage" | "exitPage";
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
): EventTotal & RollupSql => ({
  over: "events",
  aggregate,
  level: 0,
  value,
  condition,
  visitorType: null,
  rollups,
});
const visitorsOfType = (visitorType: EventTotal["visitorType"]): Total => ({
  ...ofEvents("distinct", "visitor"),
  visitorType,
});
const percentileOf = (value: string, level: number, condition: CountCondition | null): Total => ({
  over: "events",
  aggregate: "percentile",
  level,
  value,
  condition,
  visitorType: null,
  rollups: {},
});
const count = (condition: CountCondition, column: string): Total =>
  ofEvents("count", "1", condition, {
    sessionRollups: `sum(${column})`,
    eventRollups: `sum(${column})`,
  });
const sumOverSessions = (value: string, column?: string): Total => ({
  over: "sessions",
  value,
  page: null,
  rollups: column === undefined ? {} : { sessionRollups: `sum(${column})` },
});

/** Google Analytics has the same threshold. */
export const ENGAGED_SECONDS = 10;
/** Visitors and users are counted by 64-bit hashes of their ids. */
export const VISITORS = "uniqExact(visitor)";
/** The views of a page in a session have one scroll depth. Visitors are counted in parts, so the key has the visitor. */
const viewKey = (path: string) => `sipHash64(session, visitor, ifNull(${path}, ''))`;
const depthByView = (path: string) => `map(${viewKey(path)}, assumeNotNull(scrollDepth))`;
const HAS_DEPTH = "scrollDepth IS NOT NULL";

/** A query without a goal has no metric of conversions. */
const reachesGoal: CountCondition = (bind, goal) => (goal === null ? "1" : goalSql(bind, goal));

const isGroupPage = (path: string) => `ifNull(${path} = groupPage, isNull(${path}) AND isNull(groupPage))`;

const sessionsOfPage = (path: string, page: SessionPage): Total => ({
  over: "sessions",
  value: isGroupPage(path),
  page,
  rollups: {},
});

const DISTINCT_VISITORS = ofEvents("distinct", "visitor", null, {
  sessionRollups: VISITORS,
  eventRollups: VISITORS,
});
/** Totals that count so many days until the end of a bucket, instead of the bucket (`rolling.ts`). */
export const ROLLING_DAYS: Readonly<Record<string, number>> = { visitors7Days: 7, visitors28Days: 28 };

const IS_ENGAGED = `pageViews > 1 OR sessionSeconds >= ${ENGAGED_SECONDS}`;
const TOTALS = {
  visitors: DISTINCT_VISITORS,
  visitors7Days: DISTINCT_VISITORS,
  visitors28Days: DISTINCT_VISITORS,
  users: ofEvents("distinct", "sipHash64(userId)", null, { sessionRollups: "uniqExactIf(user, user != 0)" }),
  newVisitors: visitorsOfType("new"),
  returningVisitors: visitorsOfType("returning"),
  converted: ofEvents("distinct", "visitor", reachesGoal),
  conversions: ofEvents("count", "1", reachesGoal),
  pageviews: count(() => IS_PAGE_VIEW, "pageviews"),
  events: count(() => OPENS_SESSION, "events"),
  passiveEvents: count(() => "passive", "passiveEvents"),
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
  sessions: sumOverSessions("1", "sessions"),
  bounces: sumOverSessions("pageViews = 1 AND actions = 0", "bounces"),
  durationMs: sumOverSessions(`dateDiff('millisecond', startedAt, ${SESSION_ENDED_AT})`, "durationMs"),
  engagedSessions: sumOverSessions(IS_ENGAGED, "engagedSessions"),
  convertedSessions: sumOverSessions("reachedGoal"),
  entrances: sessionsOfPage("entryPath", "entryPage"),
  exits: sessionsOfPage("exitPath", "exitPage"),
};
/** Rollups do not know the goal of a query. */
const ENGAGED_OR_CONVERTED: Total = {
  over: "sessions",
  value: `${IS_ENGAGED} OR reachedGoal`,
  page: null,
  rollups: {},
};
type NamedTotal = keyof typeof TOTALS | "revenue" | "orders";

/** A metric is a total, or a total divided by another one. Totals are named. */
interface Metric<Name extends string = string> {
  readonly part: Name;
  readonly whole: Name | null;
  /** The ratio is divided by it, to change the unit. */
  readonly unit: number;
  /** A part of 0 means that nobody reported anything: NULL. */
  readonly needsPart: boolean;
  /** The value of a group without events. */
  readonly whenEmpty: 0 | null;
}
const NO_RATIO = { whole: null, unit: 1, needsPart: false } as const;
const total = (part: NamedTotal): Metric<NamedTotal> => ({ ...NO_RATIO, part, whenEmpty: 0 });
/** NULL when the divisor is 0. */
const ratio = (
  part: NamedTotal,
  whole: NamedTotal,
  overrides: Partial<Metric<NamedTotal>> = {},
): Metric<NamedTotal> => ({
  ...NO_RATIO,
  part,
  whole,
  whenEmpty: null,
  ...overrides,
});

type NamedMetric = (typeof STATS_METRICS)[number];
const METRICS: Readonly<Record<NamedMetric, Metric<NamedTotal>>> = {
  visitors: total("visitors"),
  users: total("users"),
  newVisitors: total("newVisitors"),
  returningVisitors: total("returningVisitors"),
  visitors7Days: total("visitors7Days"),
  visitors28Days: total("visitors28Days"),
  dauPerWau: ratio("visitors", "visitors7Days"),
  dauPerMau: ratio("visitors", "visitors28Days"),
  wauPerMau: ratio("visitors7Days", "visitors28Days"),
  sessions: total("sessions"),
  pageviews: total("pageviews"),
  events: total("events"),
  passiveEvents: total("passiveEvents"),
  planViolations: total("planViolations"),
  viewsPerSession: ratio("pageviews", "sessions"),
  bounceRate: ratio("bounces", "sessions"),
  sessionDuration: ratio("durationMs", "sessions", { unit: 1_000 }),
  conversions: total("conversions"),
  conversionRate: ratio("converted", "visitors"),
  sessionConversionRate: ratio("convertedSessions", "sessions"),
  engagedSessions: total("engagedSessions"),
  engagementRate: ratio("engagedSessions", "sessions"),
  // without any report, nobody knows the time
  timeOnPage: ratio("engagedSeconds", "pageviews", { needsPart: true }),
  scrollDepth: ratio("depths", "viewsWithDepth"),
  conversionsPerSession: ratio("conversions", "sessions"),
  entrances: total("entrances"),
  exits: total("exits"),
  exitRate: ratio("exits", "pageviews"),
  revenue: total("revenue"),
  averageOrderValue: ratio("revenue", "orders"),
  revenuePerVisitor: ratio("revenue", "visitors"),
  revenuePerSession: ratio("revenue", "sessions"),
};

const isNamed = (metric: StatsMetric): metric is NamedMetric => STATS_METRICS.some((one) => one === metric);

const isRollingTotal = (name: string | null) => name !== null && Object.hasOwn(ROLLING_DAYS, name);
/** Whether a metric counts days before a bucket. */
export const isRolling = (metric: StatsMetric): boolean =>
  isNamed(metric) && [METRICS[metric].part, METRICS[metric].whole].some(isRollingTotal);
/** Whether it is a ratio of the visitors of a day and of several days. */
export const isStickiness = (metric: StatsMetric): boolean =>
  isNamed(metric) && isRollingTotal(METRICS[metric].whole);

/** Metrics of which totals are counted by page. */
export const PAGE_METRICS: readonly StatsMetric[] = ["entrances", "exits", "exitRate"];
/** Metrics of amounts, which need one currency. */
export const REVENUE_METRICS: readonly StatsMetric[] = [
  "revenue",
  "averageOrderValue",
  "revenuePerVisitor",
  "revenuePerSession",
];

/** A metric of a property, such as `avg:price`. */
interface PropertyMetric {
  readonly kind: (typeof STATS_PROPERTY_METRICS)[number];
  readonly property: string;
}
/** null: the metric is a named one. */
function propertyMetric(metric: StatsMetric): PropertyMetric | null {
  const kind = STATS_PROPERTY_METRICS.find((one) => metric.startsWith(`${one}:`));
  return kind === undefined ? null : { kind, property: metric.slice(kind.length + 1) };
}
const PERCENTILES = { median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95 } as const;

/** A percentile of a sample stands for that of all visitors, without a scale. */
export const isPercentile = (total: Total): boolean =>
  total.over === "events" && total.aggregate === "percentile";
/** A user may have several visitors, so some of the visitors give no share. Money is not estimated. */
const ALWAYS_EXACT: ReadonlySet<string> = new Set(["users", "revenue"]);
/** Whether a sample of the visitors gives all metrics of a query. Sums of a property may be money. */
export const canEstimate = (metrics: readonly StatsMetric[]): boolean =>
  metrics.every((metric) =>
    isNamed(metric) ? !ALWAYS_EXACT.has(METRICS[metric].part) : propertyMetric(metric)?.kind !== "sum",
  );

/** The page of sessions that a total is of; null: it is of no page. */
export const sessionPageOf = (total: Total): SessionPage | null =>
  total.over === "sessions" ? total.page : null;

/** Whether a total needs the first visits of visitors. */
export const isOfVisitorType = (total: Total): boolean =>
  total.over === "events" && total.visitorType !== null;

/** Whether the totals of parts of the sessions add up to that of all of them. A visitor may be in several parts. */
export const isSumOverSessions = (total: Total): boolean =>
  total.over === "sessions" || !["distinct", "percentile"].includes(total.aggregate);

/** The names of the totals of a metric of a property; the index tells several of them apart. */
const ofPropertyName = (index: number) => `property${index}`;
const countName = (index: number) => `count${index}`;
/** In a query by goal, visitors are those who reached the goal; rates divide by all of them. */
const VISITORS_BY_GOAL = total("converted");
/** @param index the place of the metric in its query */
function metricAt({ goal }: Pick<MetricsQuery, "goal">, metric: StatsMetric, index: number): Metric {
  if (metric === "visitors" && isEachGoal(goal)) return VISITORS_BY_GOAL;
  if (isNamed(metric)) return METRICS[metric];
  const kind = propertyMetric(metric)?.kind;
  const part = ofPropertyName(index);
  if (kind === "sum") return { ...NO_RATIO, part, whenEmpty: 0 };
  return { ...NO_RATIO, part, whole: kind === "avg" ? countName(index) : null, whenEmpty: null };
}

/** Whether a group has a share of the metric: it is a number or an amount, and neither a ratio nor a percentile. */
export const hasShare = (metric: StatsMetric): boolean =>
  isNamed(metric)
    ? METRICS[metric].whole === null && METRICS[metric].whenEmpty === 0
    : propertyMetric(metric)?.kind === "sum";

/** The value of a metric in a group without events. */
export const whenEmpty = (query: Pick<MetricsQuery, "goal">, metric: StatsMetric, index: number): 0 | null =>
  metricAt(query, metric, index).whenEmpty;

/** A metric as SQL over columns with the names of the totals. */
export function metricSql(query: Pick<MetricsQuery, "goal">, metric: StatsMetric, index: number): string {
  const { part: partName, whole, unit, needsPart } = metricAt(query, metric, index);
  if (whole === null) return partName;
  const value = `${partName} / ${whole}${unit === 1 ? "" : ` / ${unit}`}`;
  return `if(${whole} = 0${needsPart ? ` OR ${partName} = 0` : ""}, NULL, ${value})`;
}

/** The same, computed from totals. */
export function metricValue(
  query: Pick<MetricsQuery, "goal">,
  metric: StatsMetric,
  index: number,
  totalOf: (name: string) => number | null,
): number | null {
  const { part: partName, whole, unit, needsPart } = metricAt(query, metric, index);
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

const isVital = (property: string) => STATS_VITALS.some((vital) => vital === property);

function propertyTotals(
  bind: Bind,
  { kind, property }: PropertyMetric,
  index: number,
): Record<string, Total> {
  const { number } = propertySql(bind, property);
  const condition = isVital(property) ? () => "name = 'web_vitals'" : null;
  const part = ofPropertyName(index);
  if (kind !== "sum" && kind !== "avg") return { [part]: percentileOf(number, PERCENTILES[kind], condition) };
  const sum = ofEvents("sum", `ifNull(${number}, 0)`, condition);
  const count = ofEvents("sum", `toUInt64(isNotNull(${number}))`, condition);
  return { [part]: sum, ...(kind === "avg" ? { [countName(index)]: count } : {}) };
}

/** The members of a query that decide its totals. */
type TotalsQuery = Pick<MetricsQuery, "metrics" | "goal" | "currency" | "scope">;

/** In a query by goal, the rows of no goal have the totals that rates divide by (`each-goal.ts`). */
const HAS_NO_GOAL = `isNull(${REACHED_GOAL})`;
const BY_GOAL = {
  visitors: ofEvents("distinct", "visitor", () => HAS_NO_GOAL),
  sessions: sumOverSessions(HAS_NO_GOAL),
  convertedSessions: sumOverSessions(`NOT ${HAS_NO_GOAL}`),
} satisfies Partial<Record<NamedTotal, Total>>;
/** Those of a query, by name. */
export const totalsOfNoGoal = ({ goal }: Pick<MetricsQuery, "goal">, totals: Totals): string[] =>
  isEachGoal(goal) ? ["visitors", "sessions"].filter((name) => totals.has(name)) : [];

/** The totals that depend on the goal of the query or on its currency. */
function totalsOfQuery(bind: Bind, { goal, currency, scope }: TotalsQuery) {
  const inCurrency =
    currency === null ? [] : [`ifNull(${scope.texts.currency(bind)} = ${bind("String", currency)}, 0)`];
  const counted = (conditions: readonly string[]): CountCondition | null =>
    conditions.length === 0 ? null : () => allOf(conditions);
  const ofGoal = goal === null ? [] : [goalSql(bind, goal)];
  const amount = goal === null ? "ifNull(revenue, toDecimal64(0, 4))" : conversionRevenueSql(bind, goal);
  return {
    revenue: ofEvents("sum", amount, counted([...ofGoal, ...inCurrency])),
    orders: ofEvents("count", "1", counted([...ofGoal, ...inCurrency, hasAmountSql(goal)])),
    ...(goal === null ? {} : { engagedSessions: ENGAGED_OR_CONVERTED }),
    ...(isEachGoal(goal) ? BY_GOAL : {}),
  };
}

/** The totals, by name, that the metrics of a query are computed from. */
export function totalsOf(bind: Bind, query: TotalsQuery): Totals {
  const totals = new Map<string, Total>();
  const named: Readonly<Record<NamedTotal, Total>> = { ...TOTALS, ...totalsOfQuery(bind, query) };
  for (const [index, metric] of query.metrics.entries()) {
    const ofProperty = propertyMetric(metric);
    const all = new Map(Object.entries(ofProperty ? propertyTotals(bind, ofProperty, index) : named));
    const { part, whole } = metricAt(query, metric, index);
    for (const name of [part, whole]) {
      const total = name === null ? undefined : all.get(name);
      if (name !== null && total) totals.set(name, total);
    }
  }
  return totals;
}

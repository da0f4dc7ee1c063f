/** What a list of the stats page shows, and the names of its columns. */
import type { StatsDimension, StatsFilter, StatsMetric, StatsScalar } from "@headwater/contract";
import { STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import { KEY_METRICS, useKeyMetrics } from "../key-metrics.tsx";
import { type StatsScope, type StatsView, useStats } from "../use-stats-view.ts";
import { formatValue } from "./value-names.ts";

const METRIC_NAMES = {
  visitors: "Visitors",
  newVisitors: "New",
  sessions: "Sessions",
  pageviews: "Views",
  events: "Events",
  bounceRate: "Bounce rate",
  sessionDuration: "Duration",
  timeOnPage: "Time per view",
  scrollDepth: "Scroll depth",
  entrances: "Entrances",
  exits: "Exits",
  exitRate: "Exit rate",
  revenue: "Revenue",
  "p75:lcp": "LCP",
  "p75:inp": "INP",
  "p75:cls": "CLS",
} satisfies Partial<Record<StatsMetric, string>>;
type SumMetric = `sum:${string}`;
/** A metric that a list can show: one with a name. */
export type ListMetric = keyof typeof METRIC_NAMES | SumMetric;
const isSum = (metric: ListMetric): metric is SumMetric => metric.startsWith("sum:");

/** @param dimension that of the list: of the sessions of an entry or exit page, views are of all pages */
export function metricName(metric: ListMetric, dimension: StatsDimension): string {
  if (metric === "pageviews" && isOfVisitEnds(dimension)) return "All views";
  if (metric === "sessions" && dimension === "exitPage") return "Exits";
  if (metric === "events" && dimension === "currency") return "Orders";
  return isSum(metric) ? "Sum" : METRIC_NAMES[metric];
}
/** The name of a column in a panel, where all headings have one line. */
export const shortMetricName = (metric: ListMetric, name: string): string =>
  metric === "timeOnPage" ? "Time" : name;
export const isOfVisitEnds = (dimension: StatsDimension) =>
  dimension === "entryPage" || dimension === "exitPage";

const METRIC_TITLES: Partial<Record<StatsMetric, string>> = {
  bounceRate: "Sessions with one page view and no other action ÷ all sessions",
  sessionDuration: "Average per session",
  timeOnPage: "Time per view: the average time that the page was visible and in focus",
  scrollDepth: "How far the page was scrolled, on average per session",
  entrances: "Sessions that began on the page",
  exits: "Sessions that ended on the page",
  exitRate: "Exits ÷ page views",
  "p75:lcp": "Largest Contentful Paint, 75th percentile of page loads",
  "p75:inp": "Interaction to Next Paint, 75th percentile of page loads",
  "p75:cls": "Cumulative Layout Shift, 75th percentile of page loads",
};
/** @returns what a column counts, where its name does not say it */
export function metricTitle(metric: StatsMetric, dimension: StatsDimension): string | undefined {
  if (metric === "sessions" && dimension === "exitPage")
    return "Sessions that ended on the page, and their share of all sessions";
  if (metric === "sessions" && dimension === "entryPage")
    return "Sessions that began on the page, and their share of all sessions";
  if (metric === "events" && dimension === "currency") return "Events with revenue";
  if (metric === "pageviews" && isOfVisitEnds(dimension)) return "All page views in these sessions";
  return METRIC_TITLES[metric];
}

export interface Breakdown {
  readonly dimension: StatsDimension;
  /** The dimension that a value belongs to and that is shown before it, such as the browser of a version. */
  readonly parent?: StatsDimension;
  /** The rows are sorted by the first metric. */
  readonly metrics: readonly [ListMetric, ...ListMetric[]];
  /** The metric whose change since the compared period stands in the list; without it, changes are in the details only. */
  readonly changed?: StatsMetric;
  /** Selects the events that the table counts. */
  readonly filter?: StatsFilter;
  /** The currency of the metric `revenue`. */
  readonly currency?: string;
  /** Adds the average order value: the revenue divided by the events that have one. */
  readonly hasAverage?: boolean;
  /** Shown when there are no rows, or none has a figure after the first: what to do to get them. */
  readonly hint?: string;
}

export const dimensionsOf = ({ parent, dimension }: Breakdown): StatsDimension[] =>
  parent === undefined ? [dimension] : [parent, dimension];

export interface RowValue {
  readonly value: StatsScalar;
  /** Undefined if the list has no parent dimension. */
  readonly parentValue: StatsScalar | undefined;
}

/** @param dimensions those of a row, in the order of `dimensionsOf` */
export function rowValueOf(
  { parent }: Breakdown,
  dimensions: readonly (StatsScalar | undefined)[],
): RowValue {
  const value = dimensions[parent === undefined ? 0 : 1] ?? null;
  return { value, parentValue: parent === undefined ? undefined : (dimensions[0] ?? null) };
}

/** @returns for example `/pricing` or `Chrome 142` */
export function formatRowValue({ parent, dimension }: Breakdown, { value, parentValue }: RowValue): string {
  const name = formatValue(dimension, value);
  const isNamed = parent !== undefined && parentValue !== undefined && parentValue !== null;
  return isNamed ? `${formatValue(parent, parentValue)} ${name}` : name;
}

/** The metrics whose values add up to a whole, approximately: a visitor of two pages counts for both. */
const ADDED_UP: ReadonlySet<StatsMetric> = new Set(["visitors", "sessions", "pageviews", "events"]);
export const hasShares = ({ metrics: [first], currency }: Breakdown): boolean =>
  ADDED_UP.has(first) || currency !== undefined;

const CURRENCY = /^[A-Z]{3}$/;

/** The list by revenue, if the view asks for it: the events with an amount in that currency, and their visitors. */
export function valuedBreakdown(breakdown: Breakdown, { params: { revenue = "" } }: StatsView): Breakdown {
  const isPlain = breakdown.filter === undefined && breakdown.hint === undefined;
  if (!isPlain || !CURRENCY.test(revenue)) return breakdown;
  const { dimension, parent } = breakdown;
  return {
    dimension,
    ...(parent !== undefined && { parent }),
    metrics: ["revenue", "events", "visitors"],
    filter: { dimension: "currency", operator: "is", value: revenue },
    currency: revenue,
  };
}

const SESSION_METRICS: readonly ListMetric[] = [
  "visitors",
  "sessions",
  "pageviews",
  "bounceRate",
  "sessionDuration",
];
const PAGE_METRICS: readonly ListMetric[] = [
  "visitors",
  "pageviews",
  "sessions",
  "timeOnPage",
  "scrollDepth",
];
const VISIT_ENDS: readonly ListMetric[] = ["entrances", "exits", "exitRate"];
const EVENT_METRICS: readonly ListMetric[] = ["events", "visitors", "sessions"];

/** The same list with all metrics that its dimension has. A list of certain events has only its own. */
export function withAllMetrics(breakdown: Breakdown): Breakdown {
  const { dimension, metrics, filter } = breakdown;
  if (filter !== undefined) return { ...breakdown, hasAverage: metrics.includes("revenue") };
  const isOfSessions = STATS_SESSION_DIMENSIONS.some((name) => name === dimension);
  const isOfPages = dimension === "page" || dimension === "host";
  const known = isOfSessions ? SESSION_METRICS : isOfPages ? PAGE_METRICS : EVENT_METRICS;
  const ends = dimension === "page" ? VISIT_ENDS : [];
  const [first, ...further] = metrics;
  return {
    ...breakdown,
    metrics: [first, ...new Set([...further, ...known, ...ends].filter((one) => one !== first))],
  };
}

/** The scope of a list, with the filter of its own. */
export const scopeOf = (view: StatsView, { filter }: Breakdown): StatsScope => ({
  ...view.scope,
  filters: [...view.scope.filters, ...(filter ? [filter] : [])],
});

/** Most visits have no campaign and most events lack a property: shares are of those that have a value. */
const isOptional = (dimension: StatsDimension) => /^(?:utm|property:)/.test(dimension);

/** @returns the list's first metric of the whole view; null while it is loading */
export function useTotal(view: StatsView, breakdown: Breakdown): number | null {
  const { dimension, metrics } = breakdown;
  const [metric] = metrics;
  const enabled = hasShares(breakdown);
  const scope = scopeOf(view, breakdown);
  const present: StatsFilter[] = isOptional(dimension)
    ? [{ dimension, operator: "is_not", value: null }]
    : [];
  const filters = [...scope.filters, ...present];
  const isOfView =
    filters.length === view.scope.filters.length && KEY_METRICS.some((one) => one.metric === metric);
  const ofView = useKeyMetrics(view, enabled && isOfView);
  const ofSome = useStats({ ...scope, filters }, { metrics: [metric] }, { enabled: enabled && !isOfView });
  const { data, isPlaceholderData } = isOfView ? ofView : ofSome;
  if (!enabled || isPlaceholderData || data === undefined) return null;
  return data.results[0]?.metrics[data.metrics.indexOf(metric)] ?? null;
}

/** What a list of the stats page shows, and the names of its columns. */
import type { StatsDimension, StatsFilter, StatsMetric } from "@headwater/contract";
import { type StatsScope, type StatsView, useStats } from "../use-stats-view.ts";

const METRIC_NAMES: Partial<Record<StatsMetric, string>> = {
  visitors: "Visitors",
  sessions: "Sessions",
  pageviews: "Views",
  events: "Events",
  planViolations: "Plan violations",
  bounceRate: "Bounce rate",
  timeOnPage: "Time",
  scrollDepth: "Scroll",
  revenue: "Revenue",
  "p75:lcp": "LCP",
  "p75:inp": "INP",
  "p75:cls": "CLS",
};

export const metricName = (metric: StatsMetric): string =>
  METRIC_NAMES[metric] ?? (metric.startsWith("sum:") ? "Sum" : metric);

export interface Breakdown {
  readonly dimension: StatsDimension;
  /** The rows are sorted by the first metric. */
  readonly metrics: readonly [StatsMetric, ...StatsMetric[]];
  /** Selects the events that the table counts. */
  readonly filter?: StatsFilter;
  /** The currency of the metric `revenue`. */
  readonly currency?: string;
  /** Shown when no row has a figure after the first: what to do to get them. */
  readonly hint?: string;
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
  return {
    dimension: breakdown.dimension,
    metrics: ["revenue", "events", "visitors"],
    filter: { dimension: "currency", operator: "is", value: revenue },
    currency: revenue,
  };
}

/** The scope of a list, with the filter of its own. */
export const scopeOf = (view: StatsView, { filter }: Breakdown): StatsScope => ({
  ...view.scope,
  filters: [...view.scope.filters, ...(filter ? [filter] : [])],
});

/** @returns the list's first metric of the whole view; null while it is loading. Lists with the same one share the request */
export function useTotal(scope: StatsScope, breakdown: Breakdown): number | null {
  const enabled = hasShares(breakdown);
  const query = useStats(scope, { metrics: [breakdown.metrics[0]] }, { enabled });
  return enabled && !query.isPlaceholderData ? (query.data?.results[0]?.metrics[0] ?? null) : null;
}

/** The key metrics at the top of the overview. Each is a button that shows the metric in the chart. */
import type { StatsAnswer, StatsMetric } from "@headwater/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { toUnbrokenLine } from "./chart/line-path.ts";
import { EstimateMark } from "./estimate-mark.tsx";
import { formatChange, formatMetric, NO_CHANGE } from "./format.ts";
import { type DescribedView, type StatsQuery, type StatsView, useStats } from "./use-stats-view.ts";
import type { ActiveFilter } from "./view-params.ts";

export const KEY_METRICS = [
  { metric: "visitors", label: "Visitors", better: "higher" },
  { metric: "sessions", label: "Sessions", better: "higher" },
  { metric: "pageviews", label: "Page views", better: "higher" },
  { metric: "events", label: "Events", better: "higher" },
  { metric: "bounceRate", label: "Bounce rate", better: "lower" },
  { metric: "engagedSessions", label: "Engaged sessions", better: "higher" },
  { metric: "sessionDuration", label: "Session duration", better: "higher" },
] as const;
export type KeyMetric = (typeof KEY_METRICS)[number];

const metrics = KEY_METRICS.map(({ metric }) => metric);
/** The key metrics for the whole range. */
export const totalsQuery = ({ comparison }: DescribedView): StatsQuery => ({
  metrics,
  comparison: comparison.request,
});
/** The key metrics over time. */
export const seriesQuery = ({ range, comparison }: DescribedView): StatsQuery => ({
  metrics,
  dimensions: [`time:${range.interval}`],
  comparison: comparison.request,
});

/** The query of the key metrics for the whole range. Whoever asks for one of them asks this, so that there is one request. */
export const useKeyMetrics = (view: StatsView, enabled = true) =>
  useStats(view.scope, totalsQuery(view), { pollWhileEmpty: true, enabled });

type MetricQuery = Pick<UseQueryResult<StatsAnswer>, "data" | "error" | "isPlaceholderData">;

interface KeyMetricsProps {
  /** The query for the whole range. */
  readonly totals: MetricQuery;
  /** The query over time, for the small lines. */
  readonly series: MetricQuery;
  readonly selected: KeyMetric["metric"];
  /** Whether the figures are compared with those of another period. */
  readonly isCompared: boolean;
  /** Metrics of which the filters leave nothing to count. Their 0 is no value. */
  readonly withoutValue: ReadonlySet<KeyMetric["metric"]>;
  readonly onSelect: (metric: KeyMetric["metric"]) => void;
}

interface MetricValues {
  readonly current: number | null;
  /** Undefined when the periods are not compared. */
  readonly previous: number | null | undefined;
}

const NO_VALUES: MetricValues = { current: null, previous: undefined };

/** Other events have no page views, and a visit with a track event is no bounce. */
export const metricsWithoutValue = (filters: readonly ActiveFilter[]): ReadonlySet<KeyMetric["metric"]> =>
  new Set(filters.some(isOfOtherEvents) ? ["pageviews", "bounceRate"] : []);
const isOfOtherEvents = ({ dimension, operator, value }: ActiveFilter): boolean =>
  dimension === "event" && operator === "is" && value !== "page_view";

function findValues({ metrics, results: [row] }: StatsAnswer, metric: KeyMetric["metric"]): MetricValues {
  const index = metrics.indexOf(metric);
  return { current: row?.metrics[index] ?? null, previous: row?.comparison?.[index] };
}

export const KeyMetrics = ({ selected, onSelect, ...props }: KeyMetricsProps) => (
  <section className="metrics" aria-label="Key metrics">
    {KEY_METRICS.map((metric) => (
      <button
        type="button"
        key={metric.metric}
        className="metric"
        aria-pressed={metric.metric === selected}
        onClick={() => onSelect(metric.metric)}
      >
        <span className="metric-label">{metric.label}</span>
        <MetricFigures metric={metric} {...props} />
      </button>
    ))}
  </section>
);

type MetricFiguresProps = Omit<KeyMetricsProps, "selected" | "onSelect"> & { readonly metric: KeyMetric };

/** The figure, its change and its line. What is still loading has its place already. */
function MetricFigures({
  metric: { metric, better },
  totals: query,
  series: line,
  isCompared,
  withoutValue,
}: MetricFiguresProps) {
  const isLoading = !query.data && !query.error;
  const found = query.data ? findValues(query.data, metric) : NO_VALUES;
  const values = found.current === 0 && withoutValue.has(metric) ? NO_VALUES : found;
  return (
    <>
      <span className="metric-value" aria-busy={isLoading ? undefined : query.isPlaceholderData}>
        <EstimateMark accuracy={query.data?.accuracy} />
        {isLoading ? <span className="metric-loading" /> : formatMetric(metric, values.current)}
      </span>
      <span
        className="metric-change"
        aria-busy={query.isPlaceholderData}
        title={values.previous === undefined ? undefined : `vs. ${formatMetric(metric, values.previous)}`}
      >
        {isLoading && isCompared && <span className="metric-loading" />}
        {values.previous !== undefined && (
          <MetricChange metric={metric} current={values.current} previous={values.previous} better={better} />
        )}
      </span>
      <span className="metric-line" aria-busy={line.isPlaceholderData}>
        {line.data || line.error ? (
          <Sparkline answer={values === NO_VALUES ? undefined : line.data} metric={metric} />
        ) : (
          <span className="metric-loading" />
        )}
      </span>
    </>
  );
}

interface SparklineProps {
  readonly answer: StatsAnswer | undefined;
  readonly metric: StatsMetric;
}

/** The metric over time without its last bucket when that is not over, which would look like a fall. */
export function Sparkline({ answer, metric }: SparklineProps) {
  const index = answer?.metrics.indexOf(metric) ?? 0;
  const rows = answer?.results.filter(({ complete }) => complete !== false) ?? [];
  const values = rows.map(({ metrics }) => metrics[index] ?? null);
  // a line along the ground says no more than the 0 above it
  if (values.every((value) => !value)) return null;
  const line = toUnbrokenLine(values, Math.max(...values.map((value) => value ?? 0), 1e-9));
  if (line === "") return null;
  return (
    <svg className="sparkline" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={line} />
    </svg>
  );
}

interface MetricChangeProps {
  readonly metric: StatsMetric;
  readonly current: number | null;
  readonly previous: number | null;
  /** null: neither. */
  readonly better: KeyMetric["better"] | null;
}

/** No change is grey, an improvement green, a decline red. A period without a figure is not compared. */
export function MetricChange({ metric, current, previous, better }: MetricChangeProps) {
  if (previous === null || !(current || previous)) return null;
  const change = formatChange(current, previous, metric);
  if (change === NO_CHANGE) return change.text;
  const improvement =
    change === null || better === null ? 0 : better === "higher" ? change.ratio : -change.ratio;
  const direction = improvement === 0 ? "same" : improvement > 0 ? "better" : "worse";
  return (
    <>
      {change && <strong className={`change-${direction}`}>{change.text}</strong>}
      <span className="metric-previous"> vs. {formatMetric(metric, previous)}</span>
    </>
  );
}

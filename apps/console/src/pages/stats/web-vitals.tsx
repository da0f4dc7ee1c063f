/** The Core Web Vitals of the view: the 75th percentile of each, rated by the thresholds of https://web.dev/articles/vitals. */
import type { StatsAnswer } from "@headwater/contract";
import { pluralize } from "../../ui/format-count.ts";
import { TextLink } from "../../ui/links.tsx";
import { Text } from "../../ui/primitives/elements.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { formatMetric } from "./format.ts";
import { MetricChange, Sparkline } from "./key-metrics.tsx";
import { RATINGS, rateVital, VITAL_METRICS, VITALS, type VitalRating } from "./lists/vital-ratings.ts";
import { StatsResult } from "./stats-result.tsx";
import { type StatsView, useStats } from "./use-stats-view.ts";

type Vital = (typeof VITALS)[number];

/** Each page load reports its vitals once. */
const REPORTS = { dimension: "event", operator: "is", value: "web_vitals" } as const;

export function WebVitals({ view }: { readonly view: StatsView }) {
  const scope = { ...view.scope, filters: [...view.scope.filters, REPORTS] };
  const query = useStats(
    scope,
    { metrics: [...VITAL_METRICS, "passiveEvents"], comparison: view.comparison.request },
    { isExact: true },
  );
  const series = useStats(
    scope,
    { metrics: [...VITAL_METRICS], dimensions: [`time:${view.range.interval}`] },
    { isExact: true },
  );
  return (
    <StatsResult query={query} rows={3}>
      {(answer) =>
        answer.results.every(({ metrics }) => VITALS.every((_, at) => metrics[at] == null)) ? (
          <NoVitals sourceId={view.scope.sourceId} />
        ) : (
          <>
            <VitalsNote loads={answer.results[0]?.metrics[VITALS.length] ?? 0} />
            <dl className="vitals">
              {VITALS.map((vital, index) => (
                <Figure
                  key={vital.metric}
                  vital={vital}
                  value={answer.results[0]?.metrics[index] ?? null}
                  previous={answer.results[0]?.comparison?.[index] ?? null}
                  series={series.data}
                />
              ))}
            </dl>
          </>
        )
      }
    </StatsResult>
  );
}

/** @param loads how many page loads there are figures of; 0: it is not known */
export const VitalsNote = ({ loads = 0 }: { readonly loads?: number }) => (
  <Text size="sm" c="dimmed" mb="xs">
    75th percentile (p75){loads > 0 && ` of ${pluralize(loads, "page load")}`}: three in four page loads were
    at least this good.
  </Text>
);

/** Explains the marks of the lists. */
export const RatingLegend = () => (
  <ul className="legend" aria-label="Ratings">
    {(Object.keys(RATINGS) as VitalRating[]).map((rating) => (
      <li key={rating}>
        <b className={`vital-mark vital-${rating}`} aria-hidden>
          {RATINGS[rating].mark}
        </b>
        {RATINGS[rating].label}
      </li>
    ))}
  </ul>
);

function NoVitals({ sourceId }: { readonly sourceId: string }) {
  const { can } = useWorkspace();
  return (
    <Text size="sm" c="dimmed" py="md">
      No web vitals in this range.
      {can("sources:read") && (
        <>
          {" "}
          To measure them, go to the{" "}
          <TextLink to="/analytics/setup/install" search={{ sourceId }} size="sm" underline="always">
            Install page
          </TextLink>
          , turn on Web vitals and copy the new snippet to your site.
        </>
      )}
    </Text>
  );
}

interface ScaleProps {
  readonly vital: Vital;
  readonly value: number | null;
}
interface FigureProps extends ScaleProps {
  /** In the compared period. */
  readonly previous: number | null;
  /** Over time; undefined while it is loading. */
  readonly series: StatsAnswer | undefined;
}

/** A smaller change is noise, and has no colour. */
const LEAST_CHANGE = 0.02;
const isNews = (value: number | null, previous: number | null): boolean =>
  value !== null && previous !== null && Math.abs(value - previous) >= LEAST_CHANGE * previous;

function Figure({ vital, value, previous, series }: FigureProps) {
  const { metric, label, good, poor } = vital;
  const rating = rateVital(metric, value);
  return (
    <div>
      <dt>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </dt>
      <dd>
        <span className="metric-value">{formatMetric(metric, value)}</span>
        {rating && <strong className={`vital-${rating}`}>{RATINGS[rating].label}</strong>}
        <span className="metric-change">
          <MetricChange
            metric={metric}
            current={value}
            previous={previous}
            better={isNews(value, previous) ? "lower" : null}
          />
        </span>
        {series ? <Sparkline answer={series} metric={metric} /> : <span className="sparkline" />}
        <Scale vital={vital} value={value} />
        <Text size="sm" c="dimmed">
          Good up to {formatMetric(metric, good)}, poor over {formatMetric(metric, poor)}
        </Text>
      </dd>
    </div>
  );
}

/** The scale ends where a value is half as much again as a poor one. */
const SCALE = 1.5;
const COLORS = { good: "var(--good)", fair: "var(--warm)", poor: "var(--bad)" } as const;

/** The ranges of the ratings, with a mark at the value. */
function Scale({ vital: { good, poor }, value }: ScaleProps) {
  const percentOf = (part: number) => `${Math.min(part / (poor * SCALE), 1) * 100}%`;
  const widths = { good, fair: poor - good, poor: poor * (SCALE - 1) };
  return (
    <div className="vital-scale" aria-hidden>
      {(Object.keys(widths) as VitalRating[]).map((name) => (
        <i
          key={name}
          style={{
            width: percentOf(widths[name]),
            background: COLORS[name],
            opacity: 0.3,
          }}
        />
      ))}
      {value !== null && <b style={{ insetInlineStart: percentOf(value) }} />}
    </div>
  );
}

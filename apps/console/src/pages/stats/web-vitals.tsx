/** The Core Web Vitals of the view: the 75th percentile of each, rated by the thresholds of https://web.dev/articles/vitals. */
import { TextLink } from "../../ui/links.tsx";
import { Text } from "../../ui/primitives/elements.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { formatMetric } from "./format.ts";
import { RATINGS, rateVital, VITAL_METRICS, VITALS, type VitalRating } from "./lists/vital-ratings.ts";
import { StatsResult } from "./stats-result.tsx";
import { type StatsView, useStats } from "./use-stats-view.ts";

type Vital = (typeof VITALS)[number];

export function WebVitals({ view }: { readonly view: StatsView }) {
  const query = useStats(view.scope, { metrics: VITAL_METRICS }, { isExact: true });
  return (
    <StatsResult query={query} rows={3}>
      {(answer) =>
        answer.results.every(({ metrics }) => metrics.every((value) => value === null)) ? (
          <NoVitals sourceId={view.scope.sourceId} />
        ) : (
          <>
            <VitalsNote />
            <dl className="vitals">
              {VITALS.map((vital, index) => (
                <Figure key={vital.metric} vital={vital} value={answer.results[0]?.metrics[index] ?? null} />
              ))}
            </dl>
          </>
        )
      }
    </StatsResult>
  );
}

export const VitalsNote = () => (
  <Text size="sm" c="dimmed" mb="xs">
    75th percentile (p75): three of four page loads were at least this good.
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
      No web vitals yet.
      {can("sources:read") && (
        <>
          {" "}
          On the{" "}
          <TextLink to="/analytics/setup/install" search={{ sourceId }} size="sm" underline="always">
            Install page
          </TextLink>
          , switch on Web vitals, then copy the new snippet to your site.
        </>
      )}
    </Text>
  );
}

interface FigureProps {
  readonly vital: Vital;
  readonly value: number | null;
}

function Figure({ vital, value }: FigureProps) {
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
        <Text size="sm" c="dimmed">
          Good up to {formatMetric(metric, good)}, poor over {formatMetric(metric, poor)}
        </Text>
      </dd>
    </div>
  );
}

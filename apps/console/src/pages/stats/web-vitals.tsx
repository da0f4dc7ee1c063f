/** The Core Web Vitals of the view: the 75th percentile of each, rated by the thresholds of https://web.dev/articles/vitals. */
import { Text } from "@mantine/core";
import { TextLink } from "../../ui/links.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { formatMetric } from "./format.ts";
import { StatsResult } from "./stats-result.tsx";
import { type StatsView, useStats } from "./use-stats-view.ts";

/** A value up to `good` is good; one over `poor` is poor. */
const VITALS = [
  { metric: "p75:lcp", label: "Largest Contentful Paint (LCP)", good: 2_500, poor: 4_000 },
  { metric: "p75:inp", label: "Interaction to Next Paint (INP)", good: 200, poor: 500 },
  { metric: "p75:cls", label: "Cumulative Layout Shift (CLS)", good: 0.1, poor: 0.25 },
] as const;
type Vital = (typeof VITALS)[number];

export const VITAL_METRICS = VITALS.map(({ metric }) => metric);

export function WebVitals({ view }: { readonly view: StatsView }) {
  const query = useStats(view.scope, { metrics: VITAL_METRICS }, { isExact: true });
  return (
    <StatsResult query={query} rows={3}>
      {(answer) =>
        answer.results.every(({ metrics }) => metrics.every((value) => value === null)) ? (
          <NoVitals sourceId={view.scope.sourceId} />
        ) : (
          <dl className="vitals">
            {VITALS.map((vital, index) => (
              <Figure key={vital.metric} vital={vital} value={answer.results[0]?.metrics[index] ?? null} />
            ))}
          </dl>
        )
      }
    </StatsResult>
  );
}

function NoVitals({ sourceId }: { readonly sourceId: string }) {
  const { can } = useWorkspace();
  return (
    <Text size="sm" c="dimmed" py="md">
      No web vitals yet.
      {can("sources:read") && (
        <>
          {" "}
          Turn on Web vitals on the{" "}
          <TextLink to="/analytics/setup/install" search={{ sourceId }} size="sm" underline="always">
            Install page
          </TextLink>
          .
        </>
      )}
    </Text>
  );
}

const RATINGS = {
  good: "Good",
  fair: "Needs improvement",
  poor: "Poor",
} as const;

function rate({ good, poor }: Vital, value: number): keyof typeof RATINGS {
  if (value <= good) return "good";
  return value <= poor ? "fair" : "poor";
}

interface FigureProps {
  readonly vital: Vital;
  readonly value: number | null;
}

function Figure({ vital, value }: FigureProps) {
  const { metric, label, good, poor } = vital;
  const rating = value === null ? null : rate(vital, value);
  return (
    <div>
      <dt>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </dt>
      <dd>
        <span className="metric-value">{formatMetric(metric, value)}</span>
        {rating && <strong className={`vital-${rating}`}>{RATINGS[rating]}</strong>}
        <Text size="sm" c="dimmed">
          Good up to {formatMetric(metric, good)}, poor over {formatMetric(metric, poor)}
        </Text>
      </dd>
    </div>
  );
}

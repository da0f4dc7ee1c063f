/** The key metrics at the top of the overview. Each is a button that shows the metric in the chart. */
import type { StatsAnswer } from "@headwater/contract";
import { Text, UnstyledButton } from "@mantine/core";
import { formatChange, formatMetric } from "./format.ts";

/** Session metrics take the warehouse longer, so each group is queried separately and the faster one is shown first. */
export const KEY_METRICS = [
  { metric: "visitors", label: "Visitors", group: "events", better: "higher" },
  { metric: "sessions", label: "Sessions", group: "sessions", better: "higher" },
  { metric: "pageviews", label: "Page views", group: "events", better: "higher" },
  { metric: "events", label: "Events", group: "events", better: "higher" },
  { metric: "bounceRate", label: "Bounce rate", group: "sessions", better: "lower" },
  { metric: "sessionDuration", label: "Session duration", group: "sessions", better: "higher" },
] as const;
export type KeyMetric = (typeof KEY_METRICS)[number];

export const metricsOf = (group: KeyMetric["group"]): KeyMetric["metric"][] =>
  KEY_METRICS.filter((one) => one.group === group).map(({ metric }) => metric);

interface KeyMetricsProps {
  readonly answers: readonly (StatsAnswer | undefined)[];
  readonly selected: KeyMetric["metric"];
  readonly onSelect: (metric: KeyMetric["metric"]) => void;
}

interface MetricValues {
  readonly current: number | null;
  /** Undefined when the periods are not compared. */
  readonly previous: number | null | undefined;
}

/** @returns null while the answer with this metric is loading */
function findValues(answers: KeyMetricsProps["answers"], metric: KeyMetric["metric"]): MetricValues | null {
  const answer = answers.find((one) => one?.metrics.includes(metric));
  if (!answer) return null;
  const index = answer.metrics.indexOf(metric);
  const [row] = answer.results;
  return { current: row?.metrics[index] ?? null, previous: row?.comparison?.[index] };
}

export function KeyMetrics({ answers, selected, onSelect }: KeyMetricsProps) {
  return (
    <section className="metrics" aria-label="Key metrics">
      {KEY_METRICS.map(({ metric, label, better }) => {
        const values = findValues(answers, metric);
        return (
          <UnstyledButton
            key={metric}
            className="metric"
            aria-pressed={metric === selected}
            onClick={() => onSelect(metric)}
          >
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text className="metric-value">{values ? formatMetric(metric, values.current) : "…"}</Text>
            {values?.previous !== undefined && (
              <Text size="sm" c="dimmed">
                <MetricChange current={values.current} previous={values.previous} better={better} /> vs.{" "}
                {formatMetric(metric, values.previous)}
              </Text>
            )}
          </UnstyledButton>
        );
      })}
    </section>
  );
}

interface MetricChangeProps {
  readonly current: number | null;
  readonly previous: number | null;
  readonly better: KeyMetric["better"];
}

/** A change of 0% is grey, an improvement green, a decline red. */
function MetricChange({ current, previous, better }: MetricChangeProps) {
  const change = formatChange(current, previous);
  if (change === null) return null;
  const improvement = better === "higher" ? change.ratio : -change.ratio;
  const direction = improvement === 0 ? "same" : improvement > 0 ? "better" : "worse";
  return <strong className={`change-${direction}`}>{change.text}</strong>;
}

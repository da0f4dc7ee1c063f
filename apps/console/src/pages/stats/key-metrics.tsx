/** The numbers above everything, each a button that shows its course. */
import type { StatsAnswer } from "@headwater/contract";
import { Text, UnstyledButton } from "@mantine/core";
import { formatChange, formatMetric } from "./format.ts";

/** Those of sessions take the warehouse longer, and so are a question of their own. */
export const KEY_METRICS = [
  { metric: "visitors", label: "Visitors", of: "events", isGood: 1 },
  { metric: "sessions", label: "Sessions", of: "sessions", isGood: 1 },
  { metric: "pageviews", label: "Page views", of: "events", isGood: 1 },
  { metric: "events", label: "Events", of: "events", isGood: 1 },
  { metric: "bounceRate", label: "Bounce rate", of: "sessions", isGood: -1 },
  { metric: "sessionDuration", label: "Session duration", of: "sessions", isGood: 1 },
] as const;
export type KeyMetric = (typeof KEY_METRICS)[number];

export const metricsOf = (of: KeyMetric["of"]): KeyMetric["metric"][] =>
  KEY_METRICS.filter((one) => one.of === of).map(({ metric }) => metric);

interface KeyMetricsProps {
  readonly answers: readonly (StatsAnswer | undefined)[];
  readonly shown: KeyMetric["metric"];
  readonly onShow: (metric: KeyMetric["metric"]) => void;
}

interface Figures {
  readonly now: number | null;
  /** undefined: nothing was compared. */
  readonly before: number | null | undefined;
}

/** null: its answer has not come. */
function figuresOf(answers: KeyMetricsProps["answers"], metric: KeyMetric["metric"]): Figures | null {
  const answer = answers.find((one) => one?.metrics.includes(metric));
  if (!answer) return null;
  const at = answer.metrics.indexOf(metric);
  const [row] = answer.results;
  return { now: row?.metrics[at] ?? null, before: row?.comparison?.[at] };
}

export function KeyMetrics({ answers, shown, onShow }: KeyMetricsProps) {
  return (
    <section className="headlines" aria-label="Headline numbers">
      {KEY_METRICS.map(({ metric, label, isGood }) => {
        const figures = figuresOf(answers, metric);
        return (
          <UnstyledButton
            key={metric}
            className="headline"
            aria-pressed={metric === shown}
            onClick={() => onShow(metric)}
          >
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text className="headline-figure">{figures ? formatMetric(metric, figures.now) : "…"}</Text>
            {figures?.before !== undefined && (
              <Text size="sm" c="dimmed">
                <MetricChange now={figures.now} before={figures.before} isGood={isGood} /> before{" "}
                {formatMetric(metric, figures.before)}
              </Text>
            )}
          </UnstyledButton>
        );
      })}
    </section>
  );
}

interface MetricChangeProps {
  readonly now: number | null;
  readonly before: number | null;
  /** -1: less is better. */
  readonly isGood: 1 | -1;
}

function MetricChange({ now, before, isGood }: MetricChangeProps) {
  const change = formatChange(now, before);
  if (change === null) return null;
  const better = Math.sign(change.by) * isGood;
  const side = better === 0 ? "same" : better > 0 ? "better" : "worse";
  return <strong className={`change-${side}`}>{change.text}</strong>;
}

/** The five numbers above everything, each a button that shows its course. */
import type { StatsAnswer } from "@headwater/contract";
import { Text, UnstyledButton } from "@mantine/core";
import { changeOf, sayFigure } from "./say.ts";

export const HEADLINES = [
  { metric: "visitors", label: "Visitors", isGood: 1 },
  { metric: "sessions", label: "Sessions", isGood: 1 },
  { metric: "pageviews", label: "Page views", isGood: 1 },
  { metric: "events", label: "Events", isGood: 1 },
  { metric: "bounceRate", label: "Bounce rate", isGood: -1 },
  { metric: "sessionDuration", label: "Session duration", isGood: 1 },
] as const;
export type Headline = (typeof HEADLINES)[number];

interface HeadlinesProps {
  readonly answer: StatsAnswer;
  readonly shown: Headline["metric"];
  readonly onShow: (metric: Headline["metric"]) => void;
}

export function Headlines({ answer, shown, onShow }: HeadlinesProps) {
  const [row] = answer.results;
  return (
    <section className="headlines" aria-label="Headline numbers">
      {HEADLINES.map(({ metric, label, isGood }, at) => {
        const before = row?.comparison?.[at];
        const now = row?.metrics[at] ?? null;
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
            <Text className="headline-figure">{sayFigure(metric, now)}</Text>
            {before !== undefined && (
              <Text size="sm" c="dimmed">
                <Change now={now} before={before} isGood={isGood} /> before {sayFigure(metric, before)}
              </Text>
            )}
          </UnstyledButton>
        );
      })}
    </section>
  );
}

interface ChangeProps {
  readonly now: number | null;
  readonly before: number | null;
  /** -1: less is better. */
  readonly isGood: 1 | -1;
}

function Change({ now, before, isGood }: ChangeProps) {
  const change = changeOf(now, before);
  if (change === null) return null;
  const better = Math.sign(change.by) * isGood;
  const side = better === 0 ? "same" : better > 0 ? "better" : "worse";
  return <strong className={`change-${side}`}>{change.text}</strong>;
}

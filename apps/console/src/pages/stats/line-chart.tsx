/** Figures over time as a line, those of the period before dashed beneath it. Read by pointing, by arrow keys, or in a table. */
import { Text } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { roundUpToScale, toLinePaths, xPercent } from "./line-path.ts";

export interface ChartPoint {
  /** Of which hour, day, … */
  readonly label: string;
  /** null: there is none, and the line has a gap. */
  readonly value: number | null;
  readonly before: number | null;
  /** What happened then, beside what is counted. */
  readonly note: string | null;
}

interface LineChartProps {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly say: (figure: number | null) => string;
  /** The scale goes at least so far up. */
  readonly least: number;
}

export function LineChart({ label, points, say, least }: LineChartProps) {
  const [pointed, point] = useState<number | null>(null);
  const { length } = points;
  const last = points.findLastIndex(({ value }) => value !== null);
  const at = Math.min(pointed ?? last, length - 1);
  const read = points[Math.max(at, 0)];
  const figures = points.flatMap(({ value, before }) => [value ?? 0, before ?? 0]);
  const top = Math.max(least, roundUpToScale(Math.max(...figures)));
  const isCompared = points.some(({ before }) => before !== null);
  if (!read) return null;

  const now = toLinePaths(
    points.map(({ value }) => value),
    top,
  );
  const earlier = toLinePaths(
    points.map(({ before }) => before),
    top,
  );
  const byPointer = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    point(Math.max(0, Math.min(length - 1, Math.round(((clientX - left) / width) * (length - 1)))));
  };
  const byKey = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: length - 1 };
    const next = (steps as Record<string, number | undefined>)[event.key];
    if (next === undefined) return;
    event.preventDefault();
    point(Math.max(0, Math.min(length - 1, next)));
  };
  const parts = [say(read.value), isCompared && `before ${say(read.before)}`, read.note];
  const told = `${read.label}: ${parts.filter(Boolean).join(", ")}`;
  const noted = points.flatMap(({ note }, index) => (note === null ? [] : [xPercent(index, length)]));
  return (
    <div className="chart">
      <Text size="sm" className="chart-told" aria-hidden>
        {told}
      </Text>
      <div className="chart-scale" aria-hidden>
        {[top, top / 2, 0].map((figure) => (
          <span key={figure}>{say(figure)}</span>
        ))}
      </div>
      <div
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={length}
        aria-valuenow={at + 1}
        aria-valuetext={told}
        onPointerMove={byPointer}
        onPointerDown={byPointer}
        onPointerLeave={() => point(null)}
        onKeyDown={byKey}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path className="chart-grid" d="M0 0H100M0 50H100M0 100H100" />
          {noted.length > 0 && (
            <path className="chart-noted" d={noted.map((place) => `M${place} 0V100`).join("")} />
          )}
          {pointed !== null && <path className="chart-at" d={`M${xPercent(at, length)} 0V100`} />}
          {isCompared && <path className="chart-before" d={earlier.line} />}
          <path className="chart-now" d={now.line} />
          <path className="chart-now chart-dots" d={now.dots} />
        </svg>
      </div>
      <div className="chart-times" aria-hidden>
        {[...new Set([0, Math.floor((length - 1) / 2), length - 1])].map((index) => (
          <span key={index}>{points[index]?.label}</span>
        ))}
      </div>
    </div>
  );
}

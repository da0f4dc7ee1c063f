/** A line chart with an optional dashed line for the previous period. The pointer or the arrow keys select a point to read. */
import { Text } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { roundUpToScale, toLinePaths, xPercent } from "./line-path.ts";

export interface ChartPoint {
  /** The time of the point. */
  readonly label: string;
  /** Null leaves a gap in the line. */
  readonly value: number | null;
  readonly previous: number | null;
  /** A change of the source's configuration at that time. */
  readonly note: string | null;
}

interface LineChartProps {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly format: (value: number | null) => string;
  /** The upper end of the scale is at least this value. */
  readonly minTop: number;
}

export function LineChart({ label, points, format, minTop }: LineChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { length } = points;
  const lastWithValue = points.findLastIndex(({ value }) => value !== null);
  const index = Math.max(0, Math.min(pointed ?? lastWithValue, length - 1));
  const selected = points[index];
  if (!selected) return null;

  const isCompared = points.some(({ previous }) => previous !== null);
  const highest = Math.max(...points.flatMap(({ value, previous }) => [value ?? 0, previous ?? 0]));
  const top = Math.max(minTop, roundUpToScale(highest));
  const point = (next: number) => setPointed(Math.max(0, Math.min(length - 1, next)));
  const onPointer = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    point(Math.round(((clientX - left) / width) * (length - 1)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexForKey(event.key, index, length);
    if (next === undefined) return;
    event.preventDefault();
    point(next);
  };
  const parts = [
    format(selected.value),
    isCompared && `previous ${format(selected.previous)}`,
    selected.note,
  ];
  const readout = `${selected.label}: ${parts.filter(Boolean).join(", ")}`;
  return (
    <div className="chart">
      <Text size="sm" className="chart-readout" aria-hidden>
        {readout}
      </Text>
      <div className="chart-scale" aria-hidden>
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{format(value)}</span>
        ))}
      </div>
      <div
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={length}
        aria-valuenow={index + 1}
        aria-valuetext={readout}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setPointed(null)}
        onKeyDown={onKeyDown}
      >
        <ChartLines points={points} top={top} cursor={pointed === null ? null : index} />
      </div>
      <div className="chart-times" aria-hidden>
        {[...new Set([0, Math.floor((length - 1) / 2), length - 1])].map((shown) => (
          <span key={shown}>{points[shown]?.label}</span>
        ))}
      </div>
    </div>
  );
}

/** @returns the index of the point that a key leads to, or undefined for other keys */
function indexForKey(key: string, index: number, length: number): number | undefined {
  const targets = new Map([
    ["ArrowLeft", index - 1],
    ["ArrowRight", index + 1],
    ["Home", 0],
    ["End", length - 1],
  ]);
  return targets.get(key);
}

interface ChartLinesProps {
  readonly points: readonly ChartPoint[];
  readonly top: number;
  /** The index of the point that is pointed at. */
  readonly cursor: number | null;
}

function ChartLines({ points, top, cursor }: ChartLinesProps) {
  const current = toLinePaths(
    points.map(({ value }) => value),
    top,
  );
  const previous = toLinePaths(
    points.map(({ previous: value }) => value),
    top,
  );
  const verticalLine = (index: number) => `M${xPercent(index, points.length)} 0V100`;
  const notes = points.map(({ note }, index) => (note === null ? "" : verticalLine(index))).join("");
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path className="chart-grid" d="M0 0H100M0 50H100M0 100H100" />
      {notes !== "" && <path className="chart-notes" d={notes} />}
      {cursor !== null && <path className="chart-cursor" d={verticalLine(cursor)} />}
      <path className="chart-previous" d={previous.line} />
      <path className="chart-current" d={current.line} />
      <path className="chart-current chart-dots" d={current.dots} />
    </svg>
  );
}

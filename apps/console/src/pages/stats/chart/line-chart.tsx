/**
 * A line chart with an optional dashed line for the compared period. The pointer or the arrow keys select a point to read;
 * dragging selects a range to zoom into.
 */
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { ChartLines, type ChartPoint } from "./chart-lines.tsx";
import { labelIndexes, scaleTicks, xPercent } from "./line-path.ts";

interface LineChartProps {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly format: (value: number | null) => string;
  /** The same for the scale, short. */
  readonly formatShort: (value: number) => string;
  /** The smallest distance between two lines of the scale. */
  readonly minStep: number;
  /** Receives the indexes of the first and the last point of a range that was dragged over. */
  readonly onZoom: (first: number, last: number) => void;
}

const MAX_LABELS = 10;

export function LineChart({ label, points, format, formatShort, minStep, onZoom }: LineChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const [dragStart, setDragStart] = useState<number | null>(null);
  const { length } = points;
  const lastWithValue = points.findLastIndex(({ value }) => value !== null);
  const index = Math.max(0, Math.min(pointed ?? lastWithValue, length - 1));
  const selected = points[index];
  if (!selected) return null;

  const ticks = scaleTicks(
    Math.max(...points.flatMap(({ value, previous }) => [value ?? 0, previous ?? 0])),
    minStep,
  );
  const point = (next: number) => setPointed(Math.max(0, Math.min(length - 1, next)));
  const indexAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(length - 1, Math.round(((clientX - left) / width) * (length - 1))));
  };
  const endDrag = (event: PointerEvent) => {
    const end = indexAt(event);
    setDragStart(null);
    if (dragStart !== null && end !== dragStart) onZoom(Math.min(dragStart, end), Math.max(dragStart, end));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexForKey(event.key, index, length);
    if (next === undefined) return;
    event.preventDefault();
    point(next);
  };
  return (
    <div className="chart">
      <div className="chart-scale" aria-hidden>
        {ticks.toReversed().map((value) => (
          <span key={value}>{formatShort(value)}</span>
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
        aria-valuetext={readoutOf(selected, format)}
        onPointerMove={(event) => point(indexAt(event))}
        onPointerDown={(event) => {
          point(indexAt(event));
          if (event.pointerType === "mouse") setDragStart(indexAt(event));
        }}
        onPointerUp={endDrag}
        onPointerLeave={() => {
          setPointed(null);
          setDragStart(null);
        }}
        onBlur={() => setPointed(null)}
        onKeyDown={onKeyDown}
      >
        <ChartLines
          points={points}
          ticks={ticks}
          cursor={pointed === null ? null : index}
          dragged={dragStart === null ? null : [dragStart, index]}
        />
        {pointed !== null && (
          <Tooltip label={label} point={selected} percent={xPercent(index, length)} format={format} />
        )}
      </div>
      <TimeAxis points={points} />
    </div>
  );
}

/** @returns the point as one sentence, for screen readers */
function readoutOf({ label, value, previous, note }: ChartPoint, format: LineChartProps["format"]): string {
  const parts = [format(value), previous !== null && `previous ${format(previous)}`, note];
  return `${label}: ${parts.filter(Boolean).join(", ")}`;
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

interface TooltipProps {
  readonly label: string;
  readonly point: ChartPoint;
  readonly percent: number;
  readonly format: (value: number | null) => string;
}

const Tooltip = ({ label, point, percent, format }: TooltipProps) => (
  <div
    className="chart-tooltip"
    data-side={percent > 60 ? "before" : "after"}
    style={{ insetInlineStart: `${percent}%` }}
    aria-hidden
  >
    <span className="chart-tooltip-title">{label}</span>
    <span className="chart-key chart-key-current">{point.label}</span>
    <strong>{format(point.value)}</strong>
    {point.previousLabel !== null && (
      <>
        <span className="chart-key chart-key-previous">{point.previousLabel}</span>
        <span>{format(point.previous)}</span>
      </>
    )}
    {point.change !== null && (
      <>
        <span>Change</span>
        <span>{point.change}</span>
      </>
    )}
    {point.note !== null && <span className="chart-key chart-key-note">{point.note}</span>}
  </div>
);

function TimeAxis({ points }: { readonly points: readonly ChartPoint[] }) {
  const { length } = points;
  return (
    <div className="chart-times" aria-hidden>
      {labelIndexes(length, MAX_LABELS).map((index, position) => {
        const percent = xPercent(index, length);
        // a label at the edge would stick out
        const side = percent < 2 ? "start" : percent > 96 ? "end" : "middle";
        return (
          <span
            key={index}
            data-side={side}
            data-minor={position % 3 === 0 ? undefined : "yes"}
            style={{ insetInlineStart: `${percent}%` }}
          >
            {points[index]?.shortLabel}
          </span>
        );
      })}
    </div>
  );
}

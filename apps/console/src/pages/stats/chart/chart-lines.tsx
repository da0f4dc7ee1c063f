/** The drawing of the line chart: scale, area, lines, and the marks of the pointer. */
import { toAreaPath, toLinePaths, xPercent } from "./line-path.ts";

export interface ChartPoint {
  /** The time of the point. */
  readonly label: string;
  /** The same for the time axis, short. */
  readonly shortLabel: string;
  /** Null leaves a gap in the line. */
  readonly value: number | null;
  readonly previous: number | null;
  /** The time of the compared value. */
  readonly previousLabel: string | null;
  /** The change since the compared value; null when there is none, or while the point's time is not over. */
  readonly change: string | null;
  /** A change of the source's configuration at that time. */
  readonly note: string | null;
  /** Whether the point's time is not over, so that its value will grow. */
  readonly isPartial: boolean;
}

interface ChartLinesProps {
  readonly points: readonly ChartPoint[];
  /** The values of the horizontal lines. */
  readonly ticks: readonly number[];
  /** The index of the point that is pointed at. */
  readonly cursor: number | null;
  /** The indexes of the ends of the range that is being dragged over. */
  readonly dragged: readonly [number, number] | null;
}

/**
 * The line up to the last finished point, and the rest, which is drawn dashed because its values will grow. The compared line ends
 * at the same point: beside an unfinished one only a part of the earlier time is counted, which would look like a fall.
 */
function splitAtPartial(points: readonly ChartPoint[]) {
  const first = points.findIndex(({ isPartial }, index) => isPartial && index > 0);
  const split = first === -1 ? points.length : first;
  return {
    finished: points.map(({ value }, index) => (index < split ? value : null)),
    open: points.map(({ value }, index) => (index >= split - 1 && split < points.length ? value : null)),
    compared: points.map(({ previous }, index) => (index < split ? previous : null)),
  };
}

export function ChartLines({ points, ticks, cursor, dragged }: ChartLinesProps) {
  const top = ticks.at(-1) ?? 1;
  const { finished, open, compared } = splitAtPartial(points);
  const current = toLinePaths(finished, top);
  const growing = toLinePaths(open, top);
  const previous = toLinePaths(compared, top);
  const x = (index: number) => xPercent(index, points.length);
  const notes = points.map(({ note }, index) => (note === null ? "" : `M${x(index)} 0V100`)).join("");
  const pointed = cursor === null ? null : (points[cursor] ?? null);
  return (
    <>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {dragged && (
          <rect
            className="chart-dragged"
            x={Math.min(x(dragged[0]), x(dragged[1]))}
            width={Math.abs(x(dragged[1]) - x(dragged[0]))}
            height="100"
          />
        )}
        <path className="chart-grid" d={ticks.map((tick) => `M0 ${100 - (tick / top) * 100}H100`).join("")} />
        <path className="chart-area" d={toAreaPath(finished, top)} />
        {notes !== "" && <path className="chart-notes" d={notes} />}
        {cursor !== null && <path className="chart-cursor" d={`M${x(cursor)} 0V100`} />}
        <path className="chart-previous" d={previous.line} />
        <path className="chart-current" d={current.line} />
        <path className="chart-current chart-open" d={growing.line} />
        <path className="chart-current chart-dots" d={current.dots + growing.dots} />
      </svg>
      {cursor !== null && pointed !== null && pointed.value !== null && (
        <span
          className="chart-marker"
          style={{
            insetInlineStart: `${x(cursor)}%`,
            insetBlockStart: `${100 - (pointed.value / top) * 100}%`,
          }}
        />
      )}
    </>
  );
}

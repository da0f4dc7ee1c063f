/** Geometry of the line chart. Paths are in a square of 100 by 100 units that the SVG stretches to its size. */

/** How many lines a scale has above zero, at most. */
const MAX_STEPS = 4;
const ROUND = [1, 2, 2.5, 5, 10] as const;

/**
 * @param minStep the smallest distance between two lines; 1 for counts
 * @returns the values of the horizontal lines, from 0 to the first round number at or above `highest`
 */
export function scaleTicks(highest: number, minStep: number): number[] {
  const least = Math.max(highest / MAX_STEPS, minStep);
  const power = 10 ** Math.floor(Math.log10(least));
  // toPrecision removes floating-point noise such as 0.30000000000000004
  const candidates = ROUND.map((factor) => Number((factor * power).toPrecision(6)));
  const isWhole = (step: number) => minStep < 1 || Number.isInteger(step);
  const step = candidates.find((one) => one >= least * 0.999_999 && isWhole(one)) ?? 10 * power;
  const steps = Math.max(1, Math.ceil(highest / step - 1e-6));
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

/** The horizontal position of a point. */
export const xPercent = (index: number, length: number) => (length < 2 ? 50 : (index / (length - 1)) * 100);
const yPercent = (value: number, top: number) => 100 - (value / top) * 100;

interface LinePaths {
  readonly line: string;
  /** Points without a neighbour. They have no line, so they are drawn as dots. */
  readonly dots: string;
}

const positionOf = (index: number, values: readonly (number | null)[], top: number): string =>
  `${xPercent(index, values.length).toFixed(2)} ${yPercent(values[index] ?? 0, top).toFixed(2)}`;

/** @returns values for the `d` attribute of SVG paths */
export function toLinePaths(values: readonly (number | null)[], top: number): LinePaths {
  const parts = { line: "", dots: "" };
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const position = positionOf(index, values, top);
    const [previous, next] = [values[index - 1] ?? null, values[index + 1] ?? null];
    if (previous === null && next === null) parts.dots += `M${position}h0`;
    else parts.line += `${previous === null ? "M" : "L"}${position}`;
  }
  return parts;
}

/** @returns one line through all points, also over gaps, for the `d` attribute of an SVG path */
export function toUnbrokenLine(values: readonly (number | null)[], top: number): string {
  const points = values.flatMap((value, index) => (value === null ? [] : [positionOf(index, values, top)]));
  return points.length < 2 ? "" : `M${points.join("L")}`;
}

/** @returns the area below the line up to the first gap, for the `d` attribute of an SVG path */
export function toAreaPath(values: readonly (number | null)[], top: number): string {
  const gap = values.indexOf(null);
  const last = (gap === -1 ? values.length : gap) - 1;
  if (last < 1) return "";
  const corners = values.slice(0, last + 1).map((_, index) => positionOf(index, values, top));
  return `M0 100L${corners.join("L")}L${xPercent(last, values.length).toFixed(2)} 100Z`;
}

/** The steps between labels of the time axis. */
const LABEL_STEPS = [1, 2, 3, 4, 5, 6, 7, 12, 14, 24, 28, 48, 60, 120, 168, 240];

/** @returns the indexes of the points that have a label below the chart */
export function labelIndexes(length: number, maxLabels: number): number[] {
  const step = LABEL_STEPS.find((one) => length / one <= maxLabels) ?? Math.ceil(length / maxLabels);
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}

/** Geometry of the line chart. Paths are in a square of 100 by 100 units that the SVG stretches to its size. */

/** @returns the upper end of the scale: the next round number at or above `highest` whose half is round too */
export function roundUpToScale(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = power === 1 ? [1, 2, 4, 6, 8, 10] : [1, 2, 3, 4, 5, 6, 8, 10];
  // toPrecision removes floating-point noise such as 0.30000000000000004
  return Number(((steps.find((step) => step * power >= highest) ?? 10) * power).toPrecision(6));
}

/** The horizontal position of a point. */
export const xPercent = (index: number, length: number) => (length < 2 ? 50 : (index / (length - 1)) * 100);

export interface LinePaths {
  readonly line: string;
  /** Points without a neighbour. They have no line, so they are drawn as dots. */
  readonly dots: string;
}

/** @returns values for the `d` attribute of SVG paths */
export function toLinePaths(values: readonly (number | null)[], top: number): LinePaths {
  const parts = { line: "", dots: "" };
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const position = `${xPercent(index, values.length).toFixed(2)} ${(100 - (value / top) * 100).toFixed(2)}`;
    const [previous, next] = [values[index - 1] ?? null, values[index + 1] ?? null];
    if (previous === null && next === null) parts.dots += `M${position}h0`;
    else parts.line += `${previous === null ? "M" : "L"}${position}`;
  }
  return parts;
}

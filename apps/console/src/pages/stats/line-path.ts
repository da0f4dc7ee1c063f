/** A line through figures, in a square of 100 by 100 that is toLinePaths as wide as there is room. */

/** The next number at or above that is as round as its half is; between 1 and 10 a whole half. */
export function roundUpToScale(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const steps = power === 1 ? [1, 2, 4, 6, 8, 10] : [1, 2, 3, 4, 5, 6, 8, 10];
  // no number of visitors is 0.30000000000000004
  return Number(((steps.find((one) => one * power >= most) ?? 10) * power).toPrecision(6));
}

export const xPercent = (index: number, length: number) => (length < 2 ? 50 : (index / (length - 1)) * 100);

export interface LinePaths {
  readonly line: string;
  /** Points without a neighbour, of which there is no line. */
  readonly dots: string;
}

/** @returns both as the `d` of a path */
export function toLinePaths(values: readonly (number | null)[], top: number): LinePaths {
  const parts = { line: "", dots: "" };
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const place = `${xPercent(index, values.length).toFixed(2)} ${(100 - (value / top) * 100).toFixed(2)}`;
    const [before, after] = [values[index - 1] ?? null, values[index + 1] ?? null];
    if (before === null && after === null) parts.dots += `M${place}h0`;
    else parts.line += `${before === null ? "M" : "L"}${place}`;
  }
  return parts;
}

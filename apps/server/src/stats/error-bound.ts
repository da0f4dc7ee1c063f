/**
 * How far an estimate may be from the exact answer (docs/decisions/0025). The sample of the visitors is divided into 16 equal
 * parts. How much a figure changes without each of them shows its variance, and the variances of all figures give the bound.
 */

/** The next bits of the hash after those that select the sample number the parts. */
export const PART_BITS = 4;
export const PARTS = 2 ** PART_BITS;
/** The probability that a figure of the answer is beyond the bound. */
const MISS = 0.05;
/** A bound has four digits after the point. */
const PRECISION = 1e-5;

/** A value that was read from a sample, and the relative variance of each of its figures. */
export interface Estimate<Value> {
  readonly value: Value;
  readonly variances: readonly number[];
}

/** The totals of one part of the sample, from which a figure is computed. */
export type PartTotals = readonly number[];
type OfTotals<Value> = (totals: PartTotals) => Value;
export interface Figure {
  readonly value: OfTotals<number | null>;
  /** The total that it is divided by; null: it is a total itself. */
  readonly divisor: OfTotals<number> | null;
}

/**
 * The relative variance of a figure in a sample. It is smaller than the given one, because the sample is a part of all visitors.
 * It is greater when few visitors have the figure, because it is seen only if the sample has one of them. A variance of v is that
 * of k = 1 / v visitors; what one of them is to the others, 1 / (k - 1), is added. One visitor alone shows nothing.
 * @param few the greatest variance of the figure and of what it is divided by
 */
function ofSample(sample: number, variance: number, few = variance): number {
  if (sample === 1) return 0;
  const oneOfFew = few < 1 ? (few / (1 - few)) ** 2 : Infinity;
  return (1 - 1 / sample) * (variance + oneOfFew);
}

/**
 * The relative variance of a value, from what it would be without each of the parts (delete-a-group jackknife).
 * @returns null for a value that is 0 or null
 */
function jackknife(parts: readonly PartTotals[], value: OfTotals<number | null>): number | null {
  const all = (parts[0] ?? []).map((_, index) => parts.reduce((sum, part) => sum + (part[index] ?? 0), 0));
  const whole = value(all);
  if (whole === null || whole === 0) return null;
  const without = (part: PartTotals) =>
    value(all.map((total, index) => ((total - (part[index] ?? 0)) * PARTS) / (PARTS - 1))) ?? whole;
  const absent = Array.from({ length: PARTS - parts.length }, (): PartTotals => []);
  const squares = [...parts, ...absent].reduce((sum, part) => sum + (without(part) / whole - 1) ** 2, 0);
  return ((PARTS - 1) / PARTS) * squares;
}

/**
 * The relative variance of a figure.
 * @param parts each has the same totals; parts without any may be left out
 * @returns 0 for a figure that is 0 or null
 */
export function relativeVariance(
  sample: number,
  parts: readonly PartTotals[],
  { value, divisor }: Figure,
): number {
  const variance = jackknife(parts, value);
  if (variance === null) return 0;
  // shares of few visitors may be the same in all parts by chance
  const ofDivisor = (divisor && jackknife(parts, divisor)) ?? 0;
  return ofSample(sample, variance, Math.max(variance, ofDivisor));
}

const SUM: Figure = { value: ([sum = 0]) => sum, divisor: null };
/** Sums of all visitors. @param lists for each sum, what each part of the sample adds */
export const estimateSums = (sample: number, lists: readonly (readonly number[])[]): Estimate<number[]> => ({
  value: lists.map((parts) => parts.reduce((sum, part) => sum + part, 0) * sample),
  variances: lists.map((parts) =>
    relativeVariance(
      sample,
      parts.map((part) => [part]),
      SUM,
    ),
  ),
});

/** The relative variance of a share of counted visitors. Each visitor counts once, so it follows from their number. */
export const shareVariance = (sample: number, part: number, whole: number): number =>
  part === 0 ? 0 : ofSample(sample, 1 / part - 1 / whole, 1 / part);

/** Numbers of all visitors from those of a sample. */
export const estimateCounts = (sample: number, counted: readonly number[]): Estimate<number[]> => ({
  value: counted.map((count) => count * sample),
  variances: counted.map((count) => (count === 0 ? 0 : ofSample(sample, 1 / count))),
});

/** The probability that Student's t with one degree of freedom less than parts is beyond ± `deviation` (A&S 26.7.3). */
function beyond(deviation: number): number {
  const angle = Math.atan(deviation / Math.sqrt(PARTS - 1));
  const cosine = Math.cos(angle);
  let [term, sum] = [1, 1];
  for (let power = 2; power < PARTS - 3; power += 2) {
    term *= (power / (power + 1)) * cosine ** 2;
    sum += term;
  }
  return 1 - (2 / Math.PI) * (angle + Math.sin(angle) * cosine * sum);
}

/**
 * The greatest relative error of all figures, with a probability of 95 %: the probabilities that each of them is beyond it add
 * up to 5 % (Boole's inequality). The error is that of the exact figure, and the variance of an estimate grows with the
 * figure: an exact figure of x and an estimate of (1 + error) x are error / √(variance (1 + error)) deviations apart (score
 * interval). No total is more than `sample` times too great.
 */
export function errorBound(sample: number, variances: readonly number[]): number {
  const known = variances.filter((variance) => variance > 0);
  const missed = (error: number) =>
    known.reduce((sum, variance) => sum + beyond(error / Math.sqrt(variance * (1 + error))), 0);
  let [low, high] = [0, sample - 1];
  if (known.length === 0) return 0;
  if (missed(high) > MISS) return high;
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (missed(middle) > MISS) low = middle;
    else high = middle;
  }
  return high;
}

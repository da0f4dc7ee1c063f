/**
 * Exact or estimated answers. An estimate reads a sample of the visitors: those whose hash is below a bound. Hashes are evenly
 * spread, so the figures of one visitor in n, times n, estimate those of all. Rollups are sorted by the hash, so a sample reads
 * a part of them only.
 */
import type { StatsAccuracy, StatsAccuracyChoice } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";

/** What a statement reads; each takes another time per event. */
export type ReadFrom = "sessionRollups" | "eventRollups" | "bothRollups" | "events";

/** How much a query reads (docs/decisions/0025). Tests make the numbers small. */
export const READ_BUDGET: { eventsPerSecond: Record<ReadFrom, number>; maxEventsAtOnce: number } = {
  /** How many events of a range are read in about a second, with two threads. */
  eventsPerSecond: {
    sessionRollups: 50_000_000,
    eventRollups: 20_000_000,
    bothRollups: 12_000_000,
    events: 3_000_000,
  },
  /**
   * Counting distinct visitors in arrays takes half the time of `uniqExact`, and 16 bytes of memory for each event. An exact
   * answer about more events is read in slices of visitors, one after the other.
   */
  maxEventsAtOnce: 15_000_000,
};
/** The time that an answer may take, in seconds. */
const SECONDS = { fast: 0.125, auto: 1 } as const;
/** A statement that still needs too much memory or time is tried again with this part of its visitors. */
const RETRY_FACTOR = 8;

export interface ReadSize {
  readonly from: ReadFrom;
  /** The events of the range, before filters. */
  readonly events: number;
  /** Whether each figure is a sum over visitors. Others, such as revenue and percentiles, are never estimated. */
  readonly canEstimate: boolean;
}

/** @returns n for a sample of one visitor in n; 1: all visitors */
export function chooseSample(choice: StatsAccuracyChoice, { from, events, canEstimate }: ReadSize): number {
  if (choice === "exact" || !canEstimate) return 1;
  let sample = 1;
  while (
    events > sample * SECONDS[choice] * READ_BUDGET.eventsPerSecond[from] &&
    sample < SERVER_LIMITS.maxStatsSample
  )
    sample *= 2;
  return sample;
}

/** A value and the greatest relative error of its figures, 0 to infinity. */
export interface Estimate<Value> {
  readonly value: Value;
  readonly error: number;
}
export interface Accurate<Value> {
  readonly value: Value;
  readonly accuracy: StatsAccuracy;
}

/** Four digits after the point are more than enough, and rounding up keeps the bound. */
const roundUp = (error: number) => Math.ceil(error * 1e4) / 1e4;

/**
 * Reads with the sample that suits the size. What needs too much memory or time is read from ever smaller samples, unless the
 * caller wants an exact answer.
 * @param read reads with a sample of one visitor in `sample`
 */
export async function readAccurately<Value>(
  choice: StatsAccuracyChoice,
  size: ReadSize,
  read: (sample: number) => Promise<Estimate<Value>>,
): Promise<Accurate<Value>> {
  for (let sample = chooseSample(choice, size); ; sample *= RETRY_FACTOR) {
    try {
      const { value, error } = await read(sample);
      const accuracy: StatsAccuracy =
        sample === 1 ? { exact: true } : { exact: false, sample: 1 / sample, error: roundUp(error) };
      return { value, accuracy };
    } catch (error) {
      const isTooHeavy = error instanceof Refusal && error.code === "query_too_heavy";
      const maySample = choice !== "exact" && size.canEstimate && sample < SERVER_LIMITS.maxStatsSample;
      if (!isTooHeavy || !maySample) throw error;
    }
  }
}

/** The accuracy of an answer with figures of two queries. */
export function combine(one: StatsAccuracy, other: StatsAccuracy): StatsAccuracy {
  if (one.exact) return other;
  if (other.exact) return one;
  return {
    exact: false,
    sample: Math.min(one.sample, other.sample),
    error: Math.max(one.error, other.error),
  };
}

const HASH_BITS = 64;
/** The sample is divided into 16 equal parts by the next bits of the hash. How much they differ shows the error. */
export const PART_BITS = 4;
const PARTS = 2 ** PART_BITS;
/** Student's t with 15 degrees of freedom, for 95 %. */
const T_95 = 2.131;

/** A condition on `visitor` that selects the sample. */
export const inSample = (sample: number): string =>
  sample === 1 ? "1" : `visitor < ${2n ** BigInt(HASH_BITS) / BigInt(sample)}`;

/** A condition on `visitor` that selects one of `of` equal parts of all visitors. */
export function inSlice({ index, of }: { readonly index: number; readonly of: number }): string {
  const size = 2n ** BigInt(HASH_BITS) / BigInt(of);
  const first = BigInt(index) * size;
  return `visitor BETWEEN ${first} AND ${first + size - 1n}`;
}

/**
 * SQL of the part that a visitor is in.
 * @param bits how many bits of the hash number the parts
 */
export const partSql = (sample: number, visitor = "visitor", bits = PART_BITS): string =>
  `bitShiftRight(${visitor}, ${HASH_BITS - Math.log2(sample) - bits})`;

/** SQL of a list that counts the rows of each `part`; a single count when all visitors are read. */
export const partsOf = ({ sample }: { readonly sample: number }): string =>
  sample === 1 ? "[count()]" : `countResample(0, ${PARTS}, 1)(part)`;

/**
 * The 95 % bound of a figure's relative error, from what the figure would be without each of the parts (jackknife).
 * @param parts the totals of each part that has any; each list has the same totals
 * @param figure computes the figure from totals
 */
export function relativeError(
  sample: number,
  parts: readonly (readonly number[])[],
  figure: (totals: readonly number[]) => number | null,
): number {
  if (sample === 1 || parts.length === 0) return 0;
  const all = (parts[0] ?? []).map((_, index) => parts.reduce((sum, part) => sum + (part[index] ?? 0), 0));
  const value = figure(all);
  if (value === null || value === 0) return 0;
  const without = (part: readonly number[]) =>
    figure(all.map((total, index) => ((total - (part[index] ?? 0)) * PARTS) / (PARTS - 1))) ?? value;
  const absent = PARTS - parts.length;
  const squares = [...parts.map(without), ...Array.from({ length: absent }, () => without([]))].map(
    (one) => (one - value) ** 2,
  );
  const variance = ((PARTS - 1) / PARTS) * squares.reduce((sum, one) => sum + one, 0);
  const unseen = 1 - 1 / sample;
  // few visitors: shares of them may agree in all parts by chance
  const least = absent === 0 ? 0 : Math.sqrt(1 / parts.length);
  return T_95 * Math.sqrt(unseen) * Math.max(Math.sqrt(variance) / Math.abs(value), least);
}

/** The same bound for a sum of what the parts add. */
const sumError = (sample: number, parts: readonly number[]): number =>
  relativeError(
    sample,
    parts.filter((part) => part > 0).map((part) => [part]),
    ([sum = 0]) => sum,
  );

/** Numbers of all visitors from those of a sample. Each visitor counts once, so the error follows from the number. */
export function estimateCounts(sample: number, counted: readonly number[]): Estimate<number[]> {
  const errorOf = (count: number) => (count === 0 ? 0 : T_95 * Math.sqrt((1 - 1 / sample) / count));
  return { value: counted.map((count) => count * sample), error: Math.max(0, ...counted.map(errorOf)) };
}

/** Sums of all visitors. @param lists for each sum, what each part of the sample adds */
export const estimateSums = (sample: number, lists: readonly (readonly number[])[]): Estimate<number[]> => ({
  value: lists.map((parts) => parts.reduce((sum, part) => sum + part, 0) * sample),
  error: Math.max(0, ...lists.map((parts) => sumError(sample, parts))),
});

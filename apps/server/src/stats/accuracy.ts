/**
 * Exact or estimated answers. An estimate reads a sample of the visitors: those whose hash is below a bound. Hashes are evenly
 * spread, so the figures of one visitor in n, times n, estimate those of all. Rollups are sorted by the hash, so a sample reads
 * a part of them only.
 */
import type { StatsAccuracy, StatsAccuracyChoice } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";

/** An estimate reads at least one visitor in so many. */
const MAX_STATS_SAMPLE = 1_024;

/** What a statement reads; each takes another time per event. */
export type ReadFrom = "sessionRollups" | "eventRollups" | "bothRollups" | "events";

/** How much a query reads (docs/decisions/0025). Tests make the numbers small. */
export const READ_BUDGET: {
  eventsPerSecond: Record<ReadFrom, number>;
  maxEventsAtOnce: number;
  bytesPerEvent: number;
  maxPathsOfSlice: number;
  maxGroupsOfSlices: number;
} = {
  /** How many events of a range are read in about a second, with two threads. */
  eventsPerSecond: {
    sessionRollups: 50_000_000,
    eventRollups: 20_000_000,
    bothRollups: 12_000_000,
    events: 3_000_000,
  },
  /** A statement about more events may exceed the time limit, however much memory it has. */
  maxEventsAtOnce: 15_000_000,
  /**
   * The memory that a statement may need for each event of an exact answer. Counting distinct visitors in arrays takes half the
   * time of `uniqExact`, and 16 bytes for each event; the rest is room for what else the statement keeps.
   */
  bytesPerEvent: 36,
  /** The paths, of all steps, that a slice of an exact answer returns: its most frequent ones. */
  maxPathsOfSlice: SERVER_LIMITS.maxStatsResultRows,
  /** The groups of all slices together, which the service adds up and sorts: 300 bytes and 4 µs each. */
  maxGroupsOfSlices: 200_000,
};
/**
 * How many events one statement of an exact answer may count the visitors of. More are read in slices of visitors, one after the
 * other.
 * @param memoryBytes what one statement may use
 */
export const maxEventsAtOnce = ({ memoryBytes }: { readonly memoryBytes: number }): number =>
  Math.min(READ_BUDGET.maxEventsAtOnce, Math.floor(memoryBytes / READ_BUDGET.bytesPerEvent));

/** The time that an answer may take, in seconds. */
const SECONDS = { fast: 0.125, auto: 1 } as const;
/** A statement that still needs too much memory or time is tried again with this part of its visitors. */
const RETRY_FACTOR = 8;

interface ReadSize {
  readonly from: ReadFrom;
  /** The events of the range, before filters. */
  readonly events: number;
  /** Whether each figure is a sum over visitors. Others, such as revenue and percentiles, are never estimated. */
  readonly canEstimate: boolean;
}

/** @returns n for a sample of one visitor in n; 1: all visitors */
function chooseSample(choice: StatsAccuracyChoice, { from, events, canEstimate }: ReadSize): number {
  if (choice === "exact" || !canEstimate) return 1;
  let sample = 1;
  while (events > sample * SECONDS[choice] * READ_BUDGET.eventsPerSecond[from] && sample < MAX_STATS_SAMPLE)
    sample *= 2;
  return sample;
}

/** What was read, and from which sample. */
export interface Sampled<Value> {
  readonly value: Value;
  /** n: one visitor in n was read. */
  readonly sample: number;
}

/** Whether an answer that needs too much is estimated instead. */
export const mayEstimate = (choice: StatsAccuracyChoice, canEstimate: boolean): boolean =>
  choice !== "exact" && canEstimate;

const isTooHeavy = (error: unknown): boolean => error instanceof Refusal && error.code === "query_too_heavy";

/**
 * Reads with the sample that suits the size. What needs too much memory or time is read from ever smaller samples, unless the
 * caller wants an exact answer.
 * @param read reads with a sample of one visitor in `sample`
 */
export async function readAccurately<Value>(
  choice: StatsAccuracyChoice,
  size: ReadSize,
  read: (sample: number) => Promise<Value>,
): Promise<Sampled<Value>> {
  for (let sample = chooseSample(choice, size); ; sample *= RETRY_FACTOR) {
    try {
      return { value: await read(sample), sample };
    } catch (error) {
      const maySample = mayEstimate(choice, size.canEstimate) && sample < MAX_STATS_SAMPLE;
      if (!isTooHeavy(error) || !maySample) throw error;
    }
  }
}

/** A read that needs too much memory or time is repeated in so many times the slices. */
const SLICE_FACTOR = 8;

/**
 * Reads in slices, and in more of them as long as one needs too much memory or time.
 * @param first how many slices; when it is a power of two, so are the others
 * @param isEstimated the caller estimates what needs too much, which is faster than more slices
 */
export async function readInMoreSlices<Value>(
  first: number,
  read: (slices: number) => Promise<Value>,
  isEstimated = false,
): Promise<Value> {
  const most = isEstimated ? first : SERVER_LIMITS.maxStatsSlices;
  for (let slices = first; ; slices = Math.min(slices * SLICE_FACTOR, most)) {
    try {
      return await read(slices);
    } catch (error) {
      if (!isTooHeavy(error) || slices >= most) throw error;
    }
  }
}

/** The accuracy of an answer whose figures were read at once, or by two queries. */
export function accuracyOf(...read: readonly Pick<Sampled<unknown>, "sample">[]): StatsAccuracy {
  const sample = Math.max(...read.map((one) => one.sample));
  return sample === 1 ? { exact: true } : { exact: false, sample: 1 / sample };
}

const HASH_BITS = 64;
/** A condition on `visitor` that selects the sample. */
export const inSample = (sample: number): string =>
  sample === 1 ? "1" : `visitor < ${2n ** BigInt(HASH_BITS) / BigInt(sample)}`;

/** A condition on the column of a hash that selects one of `of` equal parts of all visitors, or of all sessions. */
export function inSlice(
  { index, of }: { readonly index: number; readonly of: number },
  hash: "visitor" | "session" = "visitor",
): string {
  const size = 2n ** BigInt(HASH_BITS) / BigInt(of);
  const first = BigInt(index) * size;
  return `${hash} BETWEEN ${first} AND ${first + size - 1n}`;
}

/**
 * SQL that numbers 16 equal parts of the visitors that are read, by the next bits of their hash.
 * @param readers one visitor in so many is read
 */
export const sixteenthSql = (readers: number): string =>
  `bitAnd(bitShiftRight(visitor, ${HASH_BITS - Math.log2(readers) - 4}), 15)`;

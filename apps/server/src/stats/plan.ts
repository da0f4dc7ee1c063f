/**
 * Plans how a question is read: from a sample of the visitors, or from all of them in parts that fit the memory of a statement.
 * Pure.
 * docs/decisions/0025 has the measurements.
 */
import type { StatsAccuracyChoice } from "@headwater/contract";

/** The tables that a statement reads. Each takes another time per event. */
export type ReadFrom = "sessionRollups" | "eventRollups" | "bothRollups" | "eventsAndSessions" | "events";
/** Whether it reads each event. `eventsAndSessions`: events, with the dimensions of their sessions from `sessionRollups`. */
export const readsEvents = (from: ReadFrom): boolean => from === "events" || from === "eventsAndSessions";

/** Limits of what a statement reads. Tests make the numbers small. */
export const READ_BUDGET: {
  eventsPerSecond: Record<ReadFrom, number>;
  historyShare: number;
  maxEventsAtOnce: number;
  bytesPerEvent: number;
  maxRowsOfParts: number;
} = {
  /** How many events of a range are read in about a second, with two threads. */
  eventsPerSecond: {
    sessionRollups: 50_000_000,
    eventRollups: 20_000_000,
    bothRollups: 12_000_000,
    eventsAndSessions: 2_500_000,
    events: 3_000_000,
  },
  /** An event that is read for first visits only takes this share of the time. */
  historyShare: 0.25,
  /** A statement about more events may exceed the time limit, however much memory it has. */
  maxEventsAtOnce: 15_000_000,
  /**
   * The memory that a statement may need for each event of an exact answer. Counting distinct visitors in arrays takes half the
   * time of `uniqExact`, and 16 bytes for each event; the rest is room for what else the statement keeps.
   */
  bytesPerEvent: 36,
  /** The rows of all parts together, which the service adds up and sorts: 300 bytes and 4 µs each. */
  maxRowsOfParts: 200_000,
};
/** The kinds of questions that events answer: of events or sessions alone, with a row for each session, or of events joined with them. */
export type EventsKind = "ofEvents" | "withSessions" | "joined";
/**
 * What an event costs in each kind without rollups. The rows of sessions take the ids of events and memory: with a sample of 1/4 of
 * ten million events, sessions by page took 1.3 s, a funnel by channel and paths 1.1 s. Goals by channel, which join, took 1.5 s.
 */
const EVENTS_WEIGHT: Readonly<Record<EventsKind, number>> = { ofEvents: 1, withSessions: 2, joined: 3 };
/** The time that an answer may take alone, in seconds. The console asks for several fast answers at once. */
const SECONDS = { fast: 0.0625, auto: 1 } as const;
/** Smallest sample: 1 in 1,024 visitors. */
const MAX_SAMPLE = 1_024;
const MAX_PARTS = 64;
/** A query that needs too much memory or time is repeated with a sample 8 times smaller, or in 8 times as many parts. */
const RETRY_FACTOR = 8;
/** Grouping events by session takes 4 times the memory of counting visitors. */
const SESSION_MEMORY = 4;

/** The properties of a question that its plan depends on. */
export interface Demand {
  readonly accuracy: StatsAccuracyChoice;
  /** Whether a sample of the visitors gives each figure. Those of rollups are then sums over visitors, and can be read in parts. */
  readonly canEstimate: boolean;
  /** Whether each figure is a sum over sessions. If so, events can be read in parts. */
  readonly addsUpSessions: boolean;
  /** Whether distinct visitors are counted: in rollups, the only figure whose memory grows with the events. */
  readonly countsVisitors: boolean;
  /** Without rollups. */
  readonly eventsKind: EventsKind;
  /** The sample of the figures that these are a part or the whole of. 1 or absent: it is chosen by the sizes. */
  readonly sampleOfOthers?: number;
  /** Whether an earlier try in parts returned too many rows to add up. */
  readonly hasTooManyRows?: boolean;
}

export interface ReadSizes {
  readonly from: ReadFrom;
  /** Events in the range, before filters. `historyShare` of the earlier events is added if first visits are asked for. */
  readonly events: number;
  /** The memory that one statement may use. */
  readonly memoryBytes: number;
}

export interface Plan {
  /** n: one visitor in n is read, and the figures are scaled by n. 1: all visitors. */
  readonly sample: number;
  /** How many statements read all visitors, each an equal part of them or of the sessions. 1 for a sample. */
  readonly parts: number;
  /** Whether the visitors of a statement fit into arrays, which are faster than sets. */
  readonly fitsArrays: boolean;
}

/** When a question needs too much memory or time, an estimate is faster than more parts. */
const mayEstimate = ({ accuracy, canEstimate }: Demand) => accuracy !== "exact" && canEstimate;

const mayDivide = ({ canEstimate, addsUpSessions, hasTooManyRows = false }: Demand, { from }: ReadSizes) =>
  !hasTooManyRows && (readsEvents(from) ? addsUpSessions : canEstimate);

const eventsInMemory = ({ memoryBytes }: ReadSizes) =>
  Math.min(READ_BUDGET.maxEventsAtOnce, Math.floor(memoryBytes / READ_BUDGET.bytesPerEvent));

function sampleFor(demand: Demand, sizes: ReadSizes): number {
  const { from, events } = sizes;
  if (demand.accuracy === "exact" || !demand.canEstimate) return 1;
  const { sampleOfOthers = 1 } = demand;
  if (sampleOfOthers > 1) return sampleOfOthers;
  const weight = from === "events" ? EVENTS_WEIGHT[demand.eventsKind] : 1;
  const eventsInTime = (SECONDS[demand.accuracy] * READ_BUDGET.eventsPerSecond[from]) / weight;
  if (events <= eventsInTime) return 1;
  // a sample whose visitors do not fit in memory would be read in vain, and then again
  const countsInRollups = demand.countsVisitors && !readsEvents(from);
  const eventsAtOnce = countsInRollups ? Math.min(eventsInTime, eventsInMemory(sizes)) : eventsInTime;
  let sample = 1;
  while (events > sample * eventsAtOnce && sample < MAX_SAMPLE) sample *= 2;
  return sample;
}

function partsFor(demand: Demand, sizes: ReadSizes): number {
  if (!mayDivide(demand, sizes)) return 1;
  const parts = sizes.events / eventsInMemory(sizes);
  if (readsEvents(sizes.from)) return Math.min(Math.max(Math.ceil(parts * SESSION_MEMORY), 1), MAX_PARTS);
  if (!demand.countsVisitors || parts <= 1) return 1;
  return Math.min(2 ** Math.ceil(Math.log2(parts)), MAX_PARTS);
}

const toPlan = (sizes: ReadSizes, sample: number, parts: number): Plan => ({
  sample,
  parts,
  fitsArrays: sizes.events <= eventsInMemory(sizes) * sample * parts,
});

export function firstPlan(demand: Demand, sizes: ReadSizes): Plan {
  const sample = sampleFor(demand, sizes);
  return toPlan(sizes, sample, sample === 1 ? partsFor(demand, sizes) : 1);
}

/** The plan after one that needed too much memory or time; null: the question is too heavy. */
export function nextPlan(demand: Demand, sizes: ReadSizes, { sample, parts }: Plan): Plan | null {
  if (mayEstimate(demand)) return sample < MAX_SAMPLE ? toPlan(sizes, sample * RETRY_FACTOR, 1) : null;
  if (!mayDivide(demand, sizes) || parts >= MAX_PARTS) return null;
  return toPlan(sizes, 1, Math.min(parts * RETRY_FACTOR, MAX_PARTS));
}

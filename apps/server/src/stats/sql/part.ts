/** What one statement reads. The builders write these conditions, and know nothing else of a plan. */
import type { SessionRange } from "./session-ranges.ts";
import { anyOf, type Bind, bindTime } from "./statement.ts";

/** The visitors or sessions that a statement reads. A sample may cut sessions that have several visitors; the others are exact. */
export type Share =
  | { readonly kind: "all" }
  | { readonly kind: "sample"; readonly of: number }
  | { readonly kind: "visitors"; readonly index: number; readonly of: number }
  | ({ readonly kind: "sessions" } & SessionRange);

/** A day whose rollup a query reads. */
export interface CoveredDay {
  readonly day: string;
  readonly buildNumber: number;
  readonly receivedUntil: number;
  /** The days, of this one and those beside it, with events that were received after the build. */
  readonly newEventDays: readonly string[];
}

/** The rollups that a statement reads, and the events that it reads beside them. */
export interface Rollups {
  /** In ascending order; never empty. */
  readonly covered: readonly CoveredDay[];
  /** Days with events and without a rollup that can be read. */
  readonly uncovered: readonly string[];
  /** Some sessions of the source span more than a day, and are always derived from events. */
  readonly hasLongSessions: boolean;
  /**
   * All days of the sessions with events that no rollup covers. Long sessions may have events on any day. Empty when the query
   * reads no sessions.
   */
  readonly derivedDays: readonly string[];
}

export interface QueryPart {
  readonly share: Share;
  /** null: all is derived from events. */
  readonly rollups: Rollups | null;
  /** Whether all visitors of the part fit into arrays. */
  readonly fitsArrays: boolean;
}

export const WHOLE: QueryPart = { share: { kind: "all" }, rollups: null, fitsArrays: false };

const HASH_BITS = 64;

const sizeOf = (of: number) => 2n ** BigInt(HASH_BITS) / BigInt(of);
const inSample = (of: number) => `visitor < ${sizeOf(of)}`;

/** One of equal parts of all hashes. */
function inPart(hash: "visitor" | "session", { index, of }: { index: number; of: number }): string {
  const first = BigInt(index) * sizeOf(of);
  return `${hash} BETWEEN ${first} AND ${first + sizeOf(of) - 1n}`;
}

/** Conditions on rows of `events`. Parts of the visitors read all events, because their sessions may have other visitors. */
export function eventsOf(bind: Bind, { share }: Pick<QueryPart, "share">): string[] {
  if (share.kind === "sample") return [inSample(share.of)];
  if (share.kind !== "sessions") return [];
  const { first, next } = share;
  return [
    `sessionId >= ${bind("String", first)}`,
    ...(next === "" ? [] : [`sessionId < ${bind("String", next)}`]),
  ];
}

/** Conditions on `visitor` in rows of rollups, which are sorted by it. */
export function visitorsOf({ share }: Pick<QueryPart, "share">): string[] {
  if (share.kind === "sample") return [inSample(share.of)];
  return share.kind === "visitors" ? [inPart("visitor", share)] : [];
}

/** The same part of the sessions instead of the visitors, as conditions on `session`: their events may be of several visitors. */
export const sessionsOf = ({ share }: QueryPart): string[] =>
  share.kind === "visitors" ? [inPart("session", share)] : [];

/** The part without its division into parts of the visitors. */
export const undivided = (part: QueryPart): QueryPart =>
  part.share.kind === "visitors" ? { ...part, share: WHOLE.share } : part;

/** SQL that numbers 16 equal parts of the visitors that are read, by the next bits of their hash. */
export function sixteenthSql({ share }: QueryPart): string {
  const readers = share.kind === "sample" || share.kind === "visitors" ? share.of : 1;
  return `bitAnd(bitShiftRight(visitor, ${HASH_BITS - Math.log2(readers) - 4}), 15)`;
}

/** Whether the part's rows are added to those of others: they are totals in any order, and of a limited number. */
export const isOneOfMany = ({ share }: QueryPart): boolean =>
  share.kind === "visitors" || share.kind === "sessions";

/**
 * A condition that selects the events that no rollup covers; null when there are none.
 * @param rows a row of events covers events of its own day, one of sessions those of the days beside it too
 */
export function uncoveredCondition(
  bind: Bind,
  { covered, uncovered }: Pick<Rollups, "covered" | "uncovered">,
  rows: "sessions" | "events",
): string | null {
  const onDays = (days: readonly string[]) => `toDate(occurredAt) IN ${bind("Array(Date)", days)}`;
  const newEvents = covered.flatMap(({ day, receivedUntil, newEventDays }) => {
    const days = rows === "sessions" ? newEventDays : newEventDays.filter((one) => one === day);
    return days.length === 0 ? [] : [`${onDays(days)} AND receivedAt > ${bindTime(bind, receivedUntil)}`];
  });
  const conditions = [...(uncovered.length > 0 ? [onDays(uncovered)] : []), ...newEvents];
  return conditions.length === 0 ? null : anyOf(conditions);
}

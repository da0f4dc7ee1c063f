/** Finds the events and sessions of visitors to erase. SQLite and PostgreSQL ledgers use the same rules. Pure. */
import { dayOf } from "../core/time.ts";
import { readHead } from "./outbox-line.ts";
import type { OutboxLine } from "./outbox-payload.ts";
import type { Cursor, VisitorToErase } from "./records.ts";
import type { DayCount } from "./warehouse-report.ts";

/** Which visitors to erase, and where to continue. */
export interface ErasureSlice {
  visitors: VisitorToErase[];
  /** null: start at the beginning. */
  after: Cursor | null;
}

export interface ErasedSessions {
  erased: { sourceId: string; sessionId: string }[];
  /** null: there is no further slice. */
  next: Cursor | null;
}

/** How many of a visitor's sessions are looked at for the one that was last active: those that started last. */
export const LATEST_SESSIONS = 32;

/** The visitors to erase from this source. */
export const visitorsIn = (visitors: readonly VisitorToErase[], sourceId: string): VisitorToErase[] =>
  visitors.filter(({ sourceIds }) => sourceIds.includes(sourceId));

/** Every source that at least one of the visitors is erased from, sorted. */
export const sourcesOf = (visitors: readonly VisitorToErase[]): string[] =>
  [...new Set(visitors.flatMap(({ sourceIds }) => sourceIds))].sort();

/** @param row an event or a session. `at` is when the event was received or the session began */
export const belongsTo = (
  visitors: readonly VisitorToErase[],
  row: { anonymousId: string; userId: string | null; at: number },
): boolean => visitors.some(({ kind, id, until }) => row[kind] === id && row.at <= until);

/** The events of the lines by source and day, in the order of both. */
function countByDay(lines: readonly OutboxLine[]): DayCount[] {
  const days = new Map<string, DayCount>();
  for (const { bytes } of lines) {
    const { sourceId, occurredAt } = readHead(bytes);
    const day = dayOf(Date.parse(occurredAt));
    const events = (days.get(`${sourceId} ${day}`)?.events ?? 0) + 1;
    days.set(`${sourceId} ${day}`, { sourceId, day, events });
  }
  return [...days.values()].sort((a, b) => a.sourceId.localeCompare(b.sourceId) || a.day - b.day);
}

export interface KeptLines {
  kept: OutboxLine[];
  /** The kept events, by source and day. */
  days: DayCount[];
  /** The events that were removed, by source and day. */
  erased: DayCount[];
}

/**
 * Removes the visitors' events from a payload. It then removes all duplicates too, because shipping ignores them.
 * @param lines all lines of the payload, including duplicates
 * @param duplicates the numbers of the lines that are duplicates
 * @returns null when no line belongs to one of the visitors, so that the payload need not be rewritten
 */
export function removeVisitors(
  lines: readonly OutboxLine[],
  duplicates: readonly number[],
  visitors: readonly VisitorToErase[],
): KeptLines | null {
  // most lines contain none of the ids, and searching a line is much faster than parsing it
  const quotedIds = visitors.map(({ id }) => Buffer.from(JSON.stringify(id)));
  const isToErase = ({ bytes }: OutboxLine) => {
    if (!quotedIds.some((id) => bytes.includes(id))) return false;
    const event = readHead(bytes);
    return belongsTo(visitorsIn(visitors, event.sourceId), { ...event, at: Date.parse(event.receivedAt) });
  };
  const erased = new Set(lines.filter(isToErase));
  if (erased.size === 0) return null;
  const isCounted = ({ number }: OutboxLine) => !duplicates.includes(number);
  const kept = lines.filter((line) => !erased.has(line) && isCounted(line));
  return { kept, days: countByDay(kept), erased: countByDay([...erased].filter(isCounted)) };
}

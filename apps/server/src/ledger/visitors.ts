/** Finds the events and sessions of visitors to erase. SQLite and PostgreSQL ledgers use the same rules. Pure. */
import { readHead } from "./outbox-line.ts";
import type { OutboxLine } from "./outbox-payload.ts";
import type { Cursor, VisitorToErase } from "./records.ts";

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
): OutboxLine[] | null {
  // most lines contain none of the ids, and searching a line is much faster than parsing it
  const quotedIds = visitors.map(({ id }) => Buffer.from(JSON.stringify(id)));
  const isToErase = ({ bytes }: OutboxLine) => {
    if (!quotedIds.some((id) => bytes.includes(id))) return false;
    const event = readHead(bytes);
    return belongsTo(visitorsIn(visitors, event.sourceId), { ...event, at: Date.parse(event.receivedAt) });
  };
  const kept = lines.filter((line) => !isToErase(line));
  return kept.length === lines.length ? null : kept.filter(({ number }) => !duplicates.includes(number));
}

/** Which events and sessions belong to a visitor that is erased, in both engines. Pure. */
import type { VisitorToErase } from "../core/records.ts";
import { type OutboxLine, parseEvent } from "./outbox-payload.ts";

/** The visitors whose erasure covers that source. */
export const visitorsIn = (visitors: readonly VisitorToErase[], sourceId: string): VisitorToErase[] =>
  visitors.filter(({ sourceIds }) => sourceIds.includes(sourceId));

/** Every source that one of the erasures covers, sorted. */
export const sourcesOf = (visitors: readonly VisitorToErase[]): string[] =>
  [...new Set(visitors.flatMap(({ sourceIds }) => sourceIds))].sort();

/** Whether a row with these ids, received or begun at `at`, belongs to one of the visitors. */
export const belongsTo = (
  visitors: readonly VisitorToErase[],
  row: { anonymousId: string; userId: string | null; at: number },
): boolean => visitors.some(({ kind, id, until }) => row[kind] === id && row.at <= until);

/**
 * The events that stay when the visitors' events are removed. Duplicates go as well: they may be a visitor's too.
 * @param lines of a payload, duplicates included
 * @param duplicates numbers of the lines that are not events
 * @returns null when no line is a visitor's, so that the payload can stay as it is
 */
export function removeVisitors(
  lines: readonly OutboxLine[],
  duplicates: readonly number[],
  visitors: readonly VisitorToErase[],
): OutboxLine[] | null {
  // most lines contain none of the ids, and searching a line is much faster than parsing it
  const quotedIds = visitors.map(({ id }) => JSON.stringify(id));
  const isVisitors = ({ json }: OutboxLine) => {
    if (!quotedIds.some((id) => json.includes(id))) return false;
    const event = parseEvent(json);
    return belongsTo(visitorsIn(visitors, event.sourceId), { ...event, at: Date.parse(event.receivedAt) });
  };
  const kept = lines.filter((line) => !isVisitors(line));
  return kept.length === lines.length ? null : kept.filter(({ number }) => !duplicates.includes(number));
}

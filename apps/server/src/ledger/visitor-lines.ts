/** Which events of the outbox, and which sessions, are a visitor's. The same for every engine. Pure. */
import type { VisitorKind } from "@headwater/contract";
import type { Visitor } from "../core/records.ts";

/** The visitors that are looked for in that source. */
export const visitorsIn = (visitors: readonly Visitor[], sourceId: string): Visitor[] =>
  visitors.filter(({ sourceIds }) => sourceIds.includes(sourceId));

/** Every source that one of them is looked for in, in one order. */
export const sourcesOf = (visitors: readonly Visitor[]): string[] =>
  [...new Set(visitors.flatMap(({ sourceIds }) => sourceIds))].sort();

type Line = { sourceId: string; receivedAt: string } & Record<VisitorKind, string | null>;

function isOneOf(visitors: readonly Visitor[], line: string): boolean {
  const event = JSON.parse(line) as Line;
  const receivedAt = Date.parse(event.receivedAt);
  return visitors.some(
    ({ sourceIds, kind, id, until }) =>
      event[kind] === id && receivedAt <= until && sourceIds.includes(event.sourceId),
  );
}

/** Takes visitors out of payloads; what holds none of their ids is not read line by line. */
export function createLineFilter(visitors: readonly Visitor[]) {
  const needles = visitors.map(({ id }) => Buffer.from(JSON.stringify(id)));
  const mayHold = (line: string) => visitors.some(({ id }) => line.includes(JSON.stringify(id)));
  /**
   * @param skipped lines, counted from 1, that are no event
   * @returns the lines that stay; null: all of them do
   */
  return (payload: Buffer, skipped: readonly number[]): string[] | null => {
    if (!needles.some((needle) => payload.includes(needle))) return null;
    const all = payload.toString("utf8").split("\n");
    const lines = all.filter((_, index) => !skipped.includes(index + 1));
    const kept = lines.filter((line) => !(mayHold(line) && isOneOf(visitors, line)));
    return kept.length < lines.length || all.length > lines.length ? kept : null;
  };
}

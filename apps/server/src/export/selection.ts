/** Reads which events an export has. */
import type { ExportQuery } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { MAX_QUERY_TIME, startsWithValidDay } from "../core/time.ts";

export interface ExportSelection {
  readonly sourceId: string;
  /** Bounds of `occurredAt` in milliseconds since the epoch; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** The export begins after the event with this `analyticsEventId`; null: with the first event. */
  readonly cursor: string | null;
  readonly limit: number;
}

/** Events have no earlier times. */
const MIN_TIME = 0;
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/;

/** @throws Refusal `invalid_payload` */
function readTime(name: "from" | "to", text: string | undefined, whenMissing: number): number {
  if (text === undefined) return whenMissing;
  const time = DAY_OR_TIME.test(text) && startsWithValidDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    const message = `${name} must be a valid day or time, such as 2026-11-21 or 2026-11-21T12:00:00Z`;
    throw new Refusal("invalid_payload", { issues: [{ path: [name], code: "invalid_timestamp", message }] });
  }
  return Math.min(Math.max(time, MIN_TIME), MAX_QUERY_TIME);
}

const invalidValue = (name: string, message: string) =>
  new Refusal("invalid_payload", { issues: [{ path: [name], code: "invalid_value", message }] });

/** @throws Refusal `invalid_payload` */
export function readSelection(sourceId: string, query: Omit<ExportQuery, "sourceId">): ExportSelection {
  const from = readTime("from", query.from, MIN_TIME);
  const to = readTime("to", query.to, MAX_QUERY_TIME);
  if (from >= to) throw invalidValue("from", "from must be before to; to is exclusive");
  return { sourceId, from, to, cursor: query.cursor ?? null, limit: query.limit ?? Number.POSITIVE_INFINITY };
}

export const unknownCursor = (): Refusal =>
  invalidValue(
    "cursor",
    "cursor must be the analyticsEventId of an event in this export; no such event found",
  );

/** Reads which events an export has. */
import type { ExportQuery } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { readTimeRange, type TimeRange } from "../core/time-range.ts";

/** `TimeRange` bounds `occurredAt`. */
export interface ExportSelection extends TimeRange {
  readonly sourceId: string;
  /** The export begins after the event with this `analyticsEventId`; null: with the first event. */
  readonly cursor: string | null;
  readonly limit: number;
}

/** @throws Refusal `invalid_payload` */
export function readSelection(sourceId: string, query: Omit<ExportQuery, "sourceId">): ExportSelection {
  const { cursor = null, limit = Number.POSITIVE_INFINITY } = query;
  return { sourceId, ...readTimeRange(query), cursor, limit };
}

export function unknownCursor(): Refusal {
  const message = "cursor must be the analyticsEventId of an event in this export; no such event found";
  return new Refusal("invalid_payload", { issues: [{ path: ["cursor"], code: "invalid_value", message }] });
}

/** What a slice of the outbox has of a source, as its rows say it without being read. */
import { parseDayCounts } from "./outbox-payload.ts";
import type { WaitingSlice } from "./records.ts";

/** Rows whose payloads say the same of their days. */
export interface WaitingGroup {
  /** null: they do not say it, or not in the bytes that were looked at. */
  readonly counts: string | null;
  readonly rows: number;
  readonly last: number;
  /** The rows, if they must be read to be counted. */
  readonly unread: readonly number[];
}

/** @param groups may hold events of other sources */
export const toWaitingSlice = (sourceId: string, groups: readonly WaitingGroup[]): WaitingSlice => ({
  days: groups.flatMap(({ counts, rows }) =>
    parseDayCounts(counts)
      .filter((count) => count.sourceId === sourceId)
      .map(({ day, events }) => ({ day, events: rows * events })),
  ),
  unread: groups.flatMap(({ unread }) => unread),
  rows: groups.reduce((sum, { rows }) => sum + rows, 0),
  last: groups.length === 0 ? null : Math.max(...groups.map(({ last }) => last)),
});

/** Which of the shipped events are missing in the warehouse, by the latest comparison. Pure. */
import { DAY_MS, utcDay } from "../core/time.ts";

/** The number of events of a source on a UTC day of `occurredAt`. */
export interface DayCount {
  sourceId: string;
  /** Days since the epoch. */
  day: number;
  events: number;
}

/** The missing events of one source. */
interface MissingEvents {
  sourceId: string;
  events: number;
  /** UTC days of `occurredAt`, `2026-11-21`: the first and the last with missing events. */
  firstDay: string;
  lastDay: string;
}

export interface WarehouseReport {
  missingEvents: number;
  /** The sources with the most missing events. */
  sources: MissingEvents[];
  /** How many more sources have missing events. */
  moreSources: number;
  /** The names of damaged parts of the events: ClickHouse or the service has detached them. */
  detachedParts: string[];
}

export const COMPLETE: WarehouseReport = { missingEvents: 0, sources: [], moreSources: 0, detachedParts: [] };

const MAX_REPORTED_SOURCES = 1_000;

/** A number of days since the epoch as `2026-11-21`. */
export const dayText = (day: number): string => utcDay(day * DAY_MS);

/** @param missing days with missing events, in any order */
export function buildReport(missing: readonly DayCount[], detachedParts: string[]): WarehouseReport {
  const sources = [...Map.groupBy(missing, ({ sourceId }) => sourceId)].map(([sourceId, days]) => ({
    sourceId,
    events: sumEvents(days),
    firstDay: dayText(Math.min(...days.map(({ day }) => day))),
    lastDay: dayText(Math.max(...days.map(({ day }) => day))),
  }));
  sources.sort((a, b) => b.events - a.events);
  return {
    missingEvents: sumEvents(missing),
    sources: sources.slice(0, MAX_REPORTED_SOURCES),
    moreSources: Math.max(0, sources.length - MAX_REPORTED_SOURCES),
    detachedParts,
  };
}

export const sumEvents = (counts: readonly { events: number }[]): number =>
  counts.reduce((sum, { events }) => sum + events, 0);

/** @returns null when no events of the source are missing, as far as the report says */
export const missingOf = (report: WarehouseReport, sourceId: string): MissingEvents | null =>
  report.sources.find((source) => source.sourceId === sourceId) ?? null;

/** Whether events of the source may be missing between two times, in milliseconds since the epoch. */
export function mayMiss(
  report: WarehouseReport,
  sourceId: string,
  { from, to }: { from: number; to: number },
): boolean {
  const missing = missingOf(report, sourceId);
  if (missing === null) return report.moreSources > 0;
  return from < Date.parse(missing.lastDay) + DAY_MS && to > Date.parse(missing.firstDay);
}

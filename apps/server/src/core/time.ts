/** Durations in milliseconds, and times as the API writes them (docs/api/conventions.md). */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time as the API writes it: ISO 8601, UTC, with milliseconds. */
export const toIsoTime = (at: number): string => new Date(at).toISOString();
export const toIsoTimeOrNull = (at: number | null): string | null => (at === null ? null : toIsoTime(at));

/** Bounds of queries by time. ClickHouse's dates begin with 1970-01-01, and a query may read up to two days before its range. */
export const MIN_QUERY_TIME = Date.UTC(1970, 0, 3);
/** Later than any event, and early enough for ClickHouse's DateTime64, which ends in 2299. */
export const MAX_QUERY_TIME = Date.UTC(2200, 0, 1);

/** The UTC day of a time, `YYYY-MM-DD`. */
export const utcDay = (at: number): string => toIsoTime(at).slice(0, 10);

/** The UTC day of a time, in days since the epoch. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** The start of the UTC hour that a time is in. */
export const startOfHour = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

/** Whether a text starts with a day that exists. `Date.parse` alone would read `2026-02-30` as the 2nd of March. */
export function startsWithValidDay(text: string): boolean {
  const day = text.slice(0, 10);
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && utcDay(at) === day;
}

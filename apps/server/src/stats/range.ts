/** Converts the `dateRange` of a query to the period that it means. */

import type { Issue, StatsDateRange } from "@headwater/contract";
import { issueAt } from "../core/refusal.ts";
import { DAY_MS, MAX_QUERY_TIME, MIN_QUERY_TIME, startsWithValidDay } from "../core/time.ts";
import { localDay, type QueryRange, startOfDay } from "./calendar.ts";

/** A hundred years: `MAX_STATS_BUCKETS` bounds the answer. */
const MAX_STATS_RANGE_DAYS = 36_600;

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
const NAMED_RANGES: Readonly<Record<Extract<StatsDateRange, string>, number>> = {
  today: 1,
  yesterday: 1,
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "365d": 365,
};

const rangeOfDays = (zone: string, first: number, end: number): QueryRange => ({
  from: startOfDay(zone, first),
  to: startOfDay(zone, end),
  days: end - first,
});

/** Days since 1970-01-01; null if the text is not a day. */
export const parseDay = (text: string): number | null =>
  DAY.test(text) && startsWithValidDay(text) ? Date.parse(`${text}T00:00:00Z`) / DAY_MS : null;

function parseTime(text: string): number | null {
  const at = TIME.test(text) && startsWithValidDay(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const PATH = ["dateRange"];
/** @param path where the pair is in the query */
export function readPair(
  zone: string,
  [from, to]: readonly [string, string],
  path: Issue["path"] = PATH,
): QueryRange | Issue {
  const [firstDay, endDay] = [parseDay(from), parseDay(to)];
  const start = firstDay === null ? parseTime(from) : startOfDay(zone, firstDay);
  const end = endDay === null ? parseTime(to) : startOfDay(zone, endDay);
  if (start === null || end === null) {
    const part = [...path, start === null ? 0 : 1];
    return issueAt(part, "must be a day (YYYY-MM-DD) or an ISO 8601 time with a UTC offset");
  }
  if (start >= end) return issueAt(path, "must have a start that is before its end; the end is exclusive");
  if (start < MIN_QUERY_TIME || end > MAX_QUERY_TIME) return issueAt(path, "must lie between 1970 and 2200");
  if (end - start > MAX_STATS_RANGE_DAYS * DAY_MS)
    return issueAt(path, `must span at most ${MAX_STATS_RANGE_DAYS} days`);
  if (firstDay !== null && endDay !== null) return rangeOfDays(zone, firstDay, endDay);
  return { from: start, to: end, days: null };
}

/** @param zone the name of a valid time zone */
export function readRange(dateRange: StatsDateRange, zone: string, now: number): QueryRange | Issue {
  if (Array.isArray(dateRange)) return readPair(zone, dateRange);
  // the TypeScript type of `dateRange` lists the named ranges, but the JSON schema accepts any string
  if (!Object.hasOwn(NAMED_RANGES, dateRange)) {
    const names = Object.keys(NAMED_RANGES).join(", ");
    return issueAt(PATH, `must be one of ${names}, or a list of two days or times`);
  }
  const end = localDay(zone, now) + (dateRange === "yesterday" ? 0 : 1);
  return rangeOfDays(zone, end - NAMED_RANGES[dateRange], end);
}

/** What a question's `dateRange` means: two instants, and those of the period before. */
import type { Issue, StatsDateRange } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { DAY_MS, startsWithValidDay } from "../core/time.ts";
import { dayOf, type Period, startOfDay } from "./calendar.ts";

export interface Range extends Period {
  /** As many local days before, or as long before where it is not of days. */
  readonly before: Period;
  /** null: it is not of days. */
  readonly days: number | null;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
/** What the warehouse's times can hold, with room for a zone. */
const FIRST_MS = Date.UTC(1970, 0, 3);
const LAST_MS = Date.UTC(2200, 0, 1);

const DAYS = { today: 1, yesterday: 1, "7d": 7, "30d": 30, "90d": 90, "365d": 365 } as const;

const ofDays = (zone: string, first: number, end: number): Range => ({
  from: startOfDay(zone, first),
  to: startOfDay(zone, end),
  before: { from: startOfDay(zone, 2 * first - end), to: startOfDay(zone, first) },
  days: end - first,
});

const readDay = (text: string): number | null =>
  DAY.test(text) && startsWithValidDay(text) ? Date.parse(`${text}T00:00:00Z`) / DAY_MS : null;
function readInstant(text: string): number | null {
  const at = INSTANT.test(text) && startsWithValidDay(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const wrong = (message: string, path: (string | number)[] = ["dateRange"]): Issue => ({
  path,
  code: "invalid_value",
  message,
});

function ofPair(zone: string, [from, to]: readonly [string, string]): Range | Issue {
  const days = [readDay(from), readDay(to)] as const;
  const instants = [from, to].map((text, index) => {
    const day = days[index] ?? null;
    return day === null ? readInstant(text) : startOfDay(zone, day);
  });
  const at = instants.indexOf(null);
  if (at >= 0)
    return wrong("is neither a day (YYYY-MM-DD) nor an ISO 8601 instant with its zone", ["dateRange", at]);
  const [start, end] = instants as [number, number];
  if (start >= end) return wrong("begins after it ends, or with it: its end is not a part of it");
  if (start < FIRST_MS || end > LAST_MS) return wrong("must lie between 1970 and 2200");
  if (end - start > SERVER_LIMITS.statsRangeDays * DAY_MS)
    return wrong(`may span ${SERVER_LIMITS.statsRangeDays} days`);
  if (days[0] !== null && days[1] !== null) return ofDays(zone, days[0], days[1]);
  return { from: start, to: end, before: { from: 2 * start - end, to: start }, days: null };
}

/** @param zone one that is known */
export function readRange(asked: StatsDateRange, zone: string, now: number): Range | Issue {
  if (Array.isArray(asked)) return ofPair(zone, asked);
  const days = (DAYS as Record<string, number | undefined>)[asked];
  if (days === undefined)
    return wrong(`must be one of ${Object.keys(DAYS).join(", ")}, or a list of two days or instants`);
  const end = dayOf(zone, now) + (asked === "yesterday" ? 0 : 1);
  return ofDays(zone, end - days, end);
}

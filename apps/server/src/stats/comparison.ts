/** Finds the period that a query is compared with, and the counterparts of its time buckets (docs/api/stats.md). Pure. */

import type { Issue, StatsComparison } from "@headwater/contract";
import { issueAt } from "../core/refusal.ts";
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import {
  bucketStarts,
  type ClockGrain,
  type Grain,
  localDay,
  onLocalDay,
  type Period,
  type QueryRange,
  shownAt,
  startOfDay,
} from "./calendar.ts";
import { readPair } from "./range.ts";

/** The day that a day is compared with. One that does not exist, such as 29 February 2025, is `missing` before the next one. */
type DayBefore = (day: number) => { readonly day: number; readonly isMissing: boolean };

export interface ComparedPeriod extends Period {
  /** The time that a time of the query's range is compared with. It never falls when its argument rises. */
  readonly counterpartOf: (at: number) => number;
  /** null: equal durations are compared, whatever the calendar says. */
  readonly dayBefore: DayBefore | null;
}

/** Rollups can answer a period that ends at a quarter of an hour. A single day is small enough to be read from its events. */
const QUARTER_MS = 15 * MINUTE_MS;
const roundUp = (at: number, step: number) => Math.ceil(at / step) * step;

const daysBefore =
  (days: number): DayBefore =>
  (day) => ({ day: day - days, isMissing: false });

const monthsBefore =
  (months: number): DayBefore =>
  (day) => {
    const date = new Date(day * DAY_MS);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() - months];
    const [same, next] = [Date.UTC(year, month, date.getUTCDate()), Date.UTC(year, month + 1)];
    return { day: Math.min(same, next) / DAY_MS, isMissing: same >= next };
  };

/** Compares the start of a day with the start of a day, and any other time with the same time of day. */
const byDays = (zone: string, dayBefore: DayBefore) => (at: number) => {
  const own = localDay(zone, at);
  const { day, isMissing } = dayBefore(own);
  return isMissing || at === startOfDay(zone, own) ? startOfDay(zone, day) : onLocalDay(zone, at, day);
};

const ofDays = (zone: string, range: Period, dayBefore: DayBefore): ComparedPeriod => {
  const counterpartOf = byDays(zone, dayBefore);
  return { from: counterpartOf(range.from), to: counterpartOf(range.to), counterpartOf, dayBefore };
};
const ofTime = (range: Period, { from, to }: Period): ComparedPeriod => ({
  from,
  to,
  counterpartOf: (at) => at - range.from + from,
  dayBefore: null,
});

const WEEK = 7;
/** The same weekday a year before. */
const YEAR_OF_WEEKS = 52 * WEEK;
const MONTHS_OF_YEAR = 12;

/** As many local days before, or as much time before when the range was given as times. */
function previous(zone: string, range: QueryRange, sameWeekdays: boolean): ComparedPeriod {
  const { from, to, days } = range;
  if (sameWeekdays) {
    const weeks = Math.ceil((days ?? (to - from) / DAY_MS) / WEEK);
    return ofDays(zone, range, daysBefore(weeks * WEEK));
  }
  if (days !== null) return ofDays(zone, range, daysBefore(days));
  return ofTime(range, { from: from - (to - from), to: from });
}

const dateOf = (zone: string, at: number) => new Date(localDay(zone, at) * DAY_MS);
/** The first month of a period of whole months, counted since the year 0; null: it has a part of a month. */
function firstMonth(zone: string, { from, to }: Period): number | null {
  const first = dateOf(zone, from);
  if (first.getUTCDate() !== 1 || dateOf(zone, to).getUTCDate() !== 1) return null;
  return first.getUTCFullYear() * MONTHS_OF_YEAR + first.getUTCMonth();
}

/** Whole months are compared month by month, other days from the first one on. */
function custom(zone: string, range: QueryRange, compared: QueryRange): ComparedPeriod {
  const [month, other] = [firstMonth(zone, range), firstMonth(zone, compared)];
  const before =
    range.days !== null && compared.days !== null && month !== null && other !== null
      ? monthsBefore(month - other)
      : daysBefore(localDay(zone, range.from) - localDay(zone, compared.from));
  const ofSameDays = ofDays(zone, range, before);
  // times that begin at another time of day have no days in common
  return ofSameDays.from === compared.from ? { ...ofSameDays, to: compared.to } : ofTime(range, compared);
}

/** The part of the period that corresponds to the part of the range that is over. */
function withoutRest(compared: ComparedPeriod, range: QueryRange, now: number): ComparedPeriod {
  if (now <= range.from || now >= range.to) return compared;
  const step = range.days === 1 ? MINUTE_MS : QUARTER_MS;
  return { ...compared, to: Math.min(compared.to, roundUp(compared.counterpartOf(now), step)) };
}

const PATH = ["include", "comparison"];

function readPeriod(
  comparison: Exclude<StatsComparison, boolean>,
  { zone, range }: { readonly zone: string; readonly range: QueryRange },
): ComparedPeriod | Issue {
  const { mode, dateRange, sameWeekdays = false } = comparison;
  if ((mode === "custom") !== (dateRange !== undefined))
    return issueAt([...PATH, "dateRange"], "is required in custom mode, and allowed only there");
  if (sameWeekdays && mode === "custom")
    return issueAt([...PATH, "sameWeekdays"], "is allowed only in the previous and year modes");
  if (mode === "previous") return previous(zone, range, sameWeekdays);
  if (dateRange === undefined)
    return ofDays(zone, range, sameWeekdays ? daysBefore(YEAR_OF_WEEKS) : monthsBefore(MONTHS_OF_YEAR));
  const compared = readPair(zone, dateRange, [...PATH, "dateRange"]);
  return "code" in compared ? compared : custom(zone, range, compared);
}

/**
 * @param comparison what the query asks for. @param issues problems are added to it
 * @returns null: the query is not compared, or its range has no counterpart, such as 29 February alone in the year before
 */
export function readComparison(
  comparison: StatsComparison | undefined,
  scope: { readonly zone: string; readonly range: QueryRange },
  now: number,
  issues: Issue[],
): ComparedPeriod | null {
  if (comparison === undefined || comparison === false) return null;
  const compared = readPeriod(comparison === true ? { mode: "previous" } : comparison, scope);
  if ("code" in compared) {
    issues.push(compared);
    return null;
  }
  const period = withoutRest(compared, scope.range, now);
  return period.from < period.to ? period : null;
}

/** The name of a time that is no counterpart of any bucket. */
export const NO_BUCKET = -1;

/** Divides a compared period: each index is the start of a part, and the bucket whose counterpart it is. */
export interface ComparedBuckets {
  readonly starts: readonly number[];
  /** The starts of the query's buckets; `NO_BUCKET`: none has this counterpart. */
  readonly names: readonly number[];
}

interface Buckets {
  readonly starts: readonly number[];
  /** The end of the last one. */
  readonly end: number;
}

/** Divides a compared period into its own minutes, hours or days: those on which the clock and the calendar show the same. */
function sameOnCalendar(
  zone: string,
  grain: ClockGrain,
  { from, to, dayBefore }: Period & { readonly dayBefore: DayBefore },
  own: readonly number[],
): ComparedBuckets {
  const starts = bucketStarts(zone, grain, { from, to }, Number.POSITIVE_INFINITY);
  // of an hour that the clock shows twice, the first is the counterpart of the first
  const queues = Map.groupBy(starts, (start) => shownAt(zone, grain, start));
  const names = new Map<number, number>();
  for (const name of own) {
    const day = localDay(zone, name);
    const then = dayBefore(day);
    const shown = shownAt(zone, grain, name) + (then.day - day) * DAY_MS;
    const start = then.isMissing ? undefined : queues.get(shown)?.shift();
    if (start !== undefined) names.set(start, name);
  }
  return { starts, names: starts.map((start) => names.get(start) ?? NO_BUCKET) };
}

/** Divides a compared period at the counterparts of the starts of buckets. Those that begin with the next one are empty. */
function betweenCounterparts(
  counterpartOf: ComparedPeriod["counterpartOf"],
  to: number,
  own: readonly number[],
): ComparedBuckets {
  const all = own.map((name) => ({ name, start: counterpartOf(name) }));
  const found = all.filter(({ start }, index) => start < to && start !== all[index + 1]?.start);
  return { starts: found.map(({ start }) => start), names: found.map(({ name }) => name) };
}

/** Divides a compared period into the days that the days of the buckets are compared with: a longer month has further days. */
function daysOfBuckets(
  zone: string,
  compared: Period & { readonly dayBefore: DayBefore },
  { starts, end }: Buckets,
): ComparedBuckets {
  const own = bucketStarts(zone, "day", { from: starts[0] ?? end, to: end }, Number.POSITIVE_INFINITY);
  const days = sameOnCalendar(zone, "day", compared, own);
  const names = days.names.map((name) => starts.findLast((start) => start <= name) ?? NO_BUCKET);
  const isFirst = (_: number, index: number) => names[index] !== names[index - 1];
  return { starts: days.starts.filter(isFirst), names: names.filter(isFirst) };
}

/**
 * Minutes, hours and days are compared with one minute, hour or day. Weeks are compared with the days that their days are compared
 * with, and months with what lies between these, because the calendar of the compared period may have other weeks and months.
 * @param buckets those of the query
 */
export function compareBuckets(
  zone: string,
  grain: Grain,
  compared: ComparedPeriod,
  buckets: Buckets,
): ComparedBuckets {
  const { counterpartOf, dayBefore, from } = compared;
  const to = Math.min(counterpartOf(buckets.end), compared.to);
  const divide = () => {
    if (dayBefore === null || grain === "month")
      return betweenCounterparts(counterpartOf, to, buckets.starts);
    const period = { from, to, dayBefore };
    return grain === "week"
      ? daysOfBuckets(zone, period, buckets)
      : sameOnCalendar(zone, grain, period, buckets.starts);
  };
  const { starts, names } = divide();
  // the rest of a longer period
  return to < compared.to ? { starts: [...starts, to], names: [...names, NO_BUCKET] } : { starts, names };
}

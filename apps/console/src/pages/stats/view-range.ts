/** The date range of the stats page: its presets, and how the `range`, `interval` and `compare` parameters are read. */
import type { StatsDateRange } from "@headwater/contract";
import { DAY_MS, HOUR_MS } from "../../time.ts";
import type { ViewParams } from "./view-params.ts";

const QUARTER_MS = HOUR_MS / 4;
/** From the year 2000 to 2999, so that the days before and after them have four digits of the year too. */
const DAY_RANGE = /^(2\d{3}-\d\d-\d\d)\.\.(2\d{3}-\d\d-\d\d)$/;
/** Whole weeks, so that each day is compared with the same weekday of the period before. */
const DEFAULT_PRESET = "28d";
/** Before the first event of any source. */
export const EARLIEST_DAY = "2010-01-01";

/** Up to how many days a chart with this interval has a number of points that can be read. */
export const INTERVALS = [
  { value: "minute", label: "Minute", maxDays: 1 },
  { value: "hour", label: "Hour", maxDays: 31 },
  { value: "day", label: "Day", maxDays: 400 },
  { value: "week", label: "Week", maxDays: 3_660 },
  { value: "month", label: "Month", maxDays: Number.POSITIVE_INFINITY },
] as const;
export type ViewInterval = (typeof INTERVALS)[number]["value"];
/** From how many days on an interval has more than one point. */
const MIN_DAYS: Readonly<Record<ViewInterval, number>> = { minute: 0, hour: 0, day: 2, week: 14, month: 60 };

/** The list of shortcuts (`?`) has their keys. */
export const PRESETS = [
  { value: "today", label: "Today", shortcut: "T" },
  { value: "yesterday", label: "Yesterday", shortcut: "Y" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days", shortcut: "W" },
  { value: "28d", label: "Last 28 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
  { value: "month", label: "Month to date", shortcut: "M" },
  { value: "lastMonth", label: "Last month", shortcut: "L" },
  { value: "year", label: "Year to date" },
  { value: "365d", label: "Last 12 months" },
  { value: "all", label: "All time", shortcut: "A" },
] as const satisfies readonly { value: string; label: string; shortcut?: string }[];
type PresetName = (typeof PRESETS)[number]["value"];

export interface ViewRange {
  /** The value of the `range` parameter. */
  readonly text: string;
  readonly dateRange: StatsDateRange;
  /** The first and the last day. For the last 24 hours, those that they touch. */
  readonly days: readonly [first: string, last: string];
  /** Whether the days were chosen, and not a preset. */
  readonly isCustom: boolean;
  readonly interval: ViewInterval;
  /** The intervals that suit the range. */
  readonly intervals: readonly ViewInterval[];
}

/** @param days how many days later; negative: earlier */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
export const countDays = ([first, last]: readonly [string, string]): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;

const isDay = (text: string) => {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

/** @returns the first and the last day of text such as `2026-03-01..2026-03-31`; null when it is something else */
export function readDays(text = ""): readonly [first: string, last: string] | null {
  const [, first = "", last = ""] = DAY_RANGE.exec(text) ?? [];
  return isDay(first) && isDay(last) && first <= last ? [first, last] : null;
}

const daysOf = (preset: PresetName, today: string, firstDay: string): readonly [string, string] => {
  const monthStart = `${today.slice(0, 7)}-01`;
  const lastOfMonthBefore = shiftDay(monthStart, -1);
  const back = (days: number) => [shiftDay(today, 1 - days), today] as const;
  const table: Readonly<Record<PresetName, readonly [string, string]>> = {
    today: back(1),
    yesterday: [shiftDay(today, -1), shiftDay(today, -1)],
    "24h": back(2),
    "7d": back(7),
    "28d": back(28),
    "30d": back(30),
    "90d": back(90),
    month: [monthStart, today],
    lastMonth: [`${lastOfMonthBefore.slice(0, 7)}-01`, lastOfMonthBefore],
    year: [`${today.slice(0, 4)}-01-01`, today],
    "365d": back(365),
    all: [firstDay, today],
  };
  return table[preset];
};

/** The presets that the API knows by name, so that its clock decides which days they are. */
const NAMED = ["today", "yesterday", "7d", "30d", "90d", "365d"] as const;

function dateRangeOf(preset: PresetName, days: readonly [string, string], now: number): StatsDateRange {
  const named = NAMED.find((name) => name === preset);
  if (named !== undefined) return named;
  if (preset !== "24h") return [days[0], shiftDay(days[1], 1)];
  const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  return [new Date(end - DAY_MS).toISOString(), new Date(end).toISOString()];
}

/** Chooses the interval so that the chart has neither too few nor too many points. */
function defaultInterval(days: number): ViewInterval {
  if (days <= 2) return "hour";
  if (days <= 92) return "day";
  return days <= 400 ? "week" : "month";
}

/** The days of a range change at these times only: in every time zone, a day begins at a quarter of an hour. */
export const startOfQuarter = (now: number): number => Math.floor(now / QUARTER_MS) * QUARTER_MS;

/** By time zone: making a format takes a hundred times as long as using it. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Today, in the time zone. */
export function todayIn(timeZone: string, now: number): string {
  const format =
    dayFormats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  dayFormats.set(timeZone, format);
  return format.format(now);
}

/**
 * A custom range is `first..last` with both days included. Anything invalid falls back to the default preset.
 * @param firstDay the start of "All time"
 */
export function readRange(
  params: ViewParams,
  timeZone = "UTC",
  now: number = Date.now(),
  firstDay: string = EARLIEST_DAY,
): ViewRange {
  const custom = readDays(params.range);
  const preset = PRESETS.find(({ value }) => value === params.range)?.value ?? DEFAULT_PRESET;
  const days = custom ?? daysOf(preset, todayIn(timeZone, now), firstDay);
  const length = preset === "24h" && !custom ? 1 : countDays(days);
  const intervals = INTERVALS.filter(
    ({ value, maxDays }) => length <= maxDays && length >= MIN_DAYS[value],
  ).map(({ value }) => value);
  return {
    text: custom ? custom.join("..") : preset,
    dateRange: custom ? [custom[0], shiftDay(custom[1], 1)] : dateRangeOf(preset, days, now),
    days,
    isCustom: custom !== null,
    interval: intervals.find((value) => value === params.interval) ?? defaultInterval(length),
    intervals,
  };
}

/** @returns the first day of the month that is `months` later, or earlier if negative */
export const monthStart = (day: string, months: number): string => {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
};

/** The number of whole months; 0: the days are no whole months. */
function countMonths([first, last]: readonly [string, string]): number {
  if (!first.endsWith("-01") || !shiftDay(last, 1).endsWith("-01")) return 0;
  const monthsOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return monthsOf(last) - monthsOf(first) + 1;
}

/** @returns the months before those of the range, or the same part of the month before; null: the range has no months */
function monthsBefore({ text, days }: ViewRange): readonly [string, string] | null {
  const [first] = days;
  const toDate = text === "month" ? 1 : 0;
  const months = toDate || countMonths(days);
  if (months === 0) return null;
  const start = monthStart(first, -months);
  const end = shiftDay(first, -1);
  const sameLength = shiftDay(start, countDays(days) - 1);
  return [start, toDate > 0 && sameLength < end ? sameLength : end];
}

export const COMPARISONS = [
  { value: "previous", label: "Previous period" },
  { value: "weekdays", label: "Previous period, same weekdays" },
  { value: "year", label: "Same period last year" },
  { value: "yearWeekdays", label: "Last year, same weekdays" },
  { value: "no", label: "No comparison" },
] as const;

export interface ViewComparison {
  /** The value of the `compare` parameter. */
  readonly text: string;
  /** False: no comparison. */
  readonly request:
    | false
    | { mode: "previous" | "year"; sameWeekdays?: true }
    | { mode: "custom"; dateRange: [string, string] };
}

/** The same weekday a year before. */
const YEAR_OF_WEEKS = 364;
const yearBefore = (day: string): string => {
  const date = new Date(day);
  return new Date(date.setUTCFullYear(date.getUTCFullYear() - 1)).toISOString().slice(0, 10);
};

/** @returns the compared days, as a beginning for choosing others */
export function comparedDays({ days }: ViewRange, { request }: ViewComparison): readonly [string, string] {
  if (request !== false && request.mode === "custom")
    return [request.dateRange[0], shiftDay(request.dateRange[1], -1)];
  const [first, last] = days;
  const length = countDays(days);
  const { mode = "previous", sameWeekdays = false } = request === false ? {} : request;
  const back = (count: number) => [shiftDay(first, -count), shiftDay(last, -count)] as const;
  if (mode === "previous") return back(sameWeekdays ? 7 * Math.ceil(length / 7) : length);
  if (sameWeekdays) return back(YEAR_OF_WEEKS);
  // 29 February alone has no counterpart
  const end = shiftDay(yearBefore(shiftDay(last, 1)), -1);
  const [start = end] = [yearBefore(first), end].toSorted();
  return [start, end];
}

const customComparison = (text: string, [first, last]: readonly [string, string]): ViewComparison => ({
  text,
  request: { mode: "custom", dateRange: [first, shiftDay(last, 1)] },
});

export function readComparison({ compare }: ViewParams, range: ViewRange): ViewComparison {
  const days = readDays(compare);
  if (days) return customComparison(days.join(".."), days);
  if (compare === "no" || range.text === "all") return { text: "no", request: false };
  if (compare === "year") return { text: compare, request: { mode: "year" } };
  if (compare === "yearWeekdays") return { text: compare, request: { mode: "year", sameWeekdays: true } };
  if (compare === "weekdays") return { text: compare, request: { mode: "previous", sameWeekdays: true } };
  if (range.text === "year") return { text: "previous", request: { mode: "year" } };
  const months = monthsBefore(range);
  return months ? customComparison("previous", months) : { text: "previous", request: { mode: "previous" } };
}

/** Reads and writes the search parameters of the stats page. The URL holds the whole view, so every view can be shared. */
import type { StatsDateRange, StatsDimension, StatsFilter, StatsScalar } from "@headwater/contract";
import { STATS_RANGES, STATS_TEXT_DIMENSIONS } from "@headwater/contract/stats-words";

export type ViewParams = Readonly<Record<string, string | undefined>>;
export interface ActiveFilter {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
}

const PROPERTY_PREFIX = "property:";
const DAY_MS = 86_400_000;
const DAY_RANGE = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/;

const isTextDimension = (name: string): name is (typeof STATS_TEXT_DIMENSIONS)[number] =>
  (STATS_TEXT_DIMENSIONS as readonly string[]).includes(name);

function readScalar(text: string): StatsScalar {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? text : (value as StatsScalar);
  } catch {
    return text;
  }
}

/** The dimensions that are filtered by "has no value". The `missing` parameter lists them. */
const readMissing = ({ missing = "" }: ViewParams) => missing.split(",").filter(isTextDimension);

/** Each dimension is a search parameter. Values of properties are JSON, which distinguishes 1 from "1". */
export function readFilters(params: ViewParams): ActiveFilter[] {
  const withValue = Object.entries(params).flatMap(([name, text]): ActiveFilter[] => {
    if (text === undefined) return [];
    if (isTextDimension(name)) return [{ dimension: name, value: text }];
    if (!name.startsWith(PROPERTY_PREFIX) || name === PROPERTY_PREFIX) return [];
    return [{ dimension: name as StatsDimension, value: readScalar(text) }];
  });
  return [...withValue, ...readMissing(params).map((dimension) => ({ dimension, value: null }))];
}

/**
 * @param value null filters by "has no value"; undefined removes the filter
 * @returns the search parameters that change
 */
export function filterParams(
  params: ViewParams,
  dimension: StatsDimension,
  value: StatsScalar | undefined,
): ViewParams {
  const others = readMissing(params).filter((other) => other !== dimension);
  if (dimension.startsWith(PROPERTY_PREFIX))
    return { [dimension]: value === undefined ? undefined : JSON.stringify(value) };
  const missing = [...others, ...(value === null ? [dimension] : [])].join(",");
  return { [dimension]: value === null ? undefined : value?.toString(), missing: missing || undefined };
}

export const toStatsFilters = (filters: readonly ActiveFilter[]): StatsFilter[] =>
  filters.map(({ dimension, value }) => ({ dimension, operator: "is", value }));

export interface ViewRange {
  /** The value of the `range` parameter. */
  readonly text: string;
  readonly dateRange: StatsDateRange;
  /** The first and the last day of a custom range; null for a named range. */
  readonly days: readonly [first: string, last: string] | null;
  readonly interval: "hour" | "day" | "week" | "month";
}

const RANGE_LENGTHS = { today: 1, yesterday: 1, "7d": 7, "30d": 30, "90d": 90, "365d": 365 } as const;
const isNamedRange = (text: string): text is (typeof STATS_RANGES)[number] =>
  (STATS_RANGES as readonly string[]).includes(text);

/** Chooses the interval so that the chart has neither too few nor too many points. */
function intervalFor(days: number): ViewRange["interval"] {
  if (days <= 2) return "hour";
  if (days <= 92) return "day";
  return days <= 400 ? "week" : "month";
}

const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
const isDay = (text: string) => {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

/** A custom range is `first..last` with both days included. Anything invalid falls back to the last 30 days. */
export function readRange({ range = "" }: ViewParams): ViewRange {
  const [, first = "", last = ""] = DAY_RANGE.exec(range) ?? [];
  if (isDay(first) && isDay(last) && first <= last) {
    const length = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
    return {
      text: range,
      dateRange: [first, dayAfter(last)],
      days: [first, last],
      interval: intervalFor(length),
    };
  }
  const named = isNamedRange(range) ? range : "30d";
  return { text: named, dateRange: named, days: null, interval: intervalFor(RANGE_LENGTHS[named]) };
}

/** Turns a range into the `first..last` form, as the starting point of a custom range. */
export function toDayRange({ dateRange, days }: ViewRange, timeZone: string, now: number): string {
  if (days !== null) return days.join("..");
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: timeZone, dateStyle: "short" }).format(now);
  const daysAgo = (days: number) => new Date(Date.parse(today) - days * DAY_MS).toISOString().slice(0, 10);
  if (dateRange === "yesterday") return `${daysAgo(1)}..${daysAgo(1)}`;
  return `${daysAgo(RANGE_LENGTHS[dateRange as keyof typeof RANGE_LENGTHS] - 1)}..${today}`;
}

export const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The `tz` parameter, or the browser's time zone when it is missing or unknown to this browser. */
export function readTimeZone({ tz }: ViewParams): string {
  try {
    const options = tz === undefined ? {} : { timeZone: tz };
    return new Intl.DateTimeFormat("en", options).resolvedOptions().timeZone;
  } catch {
    return browserTimeZone();
  }
}

/** What the page shows, as its address says it: every view of the numbers can be sent to somebody. */
import type { StatsDateRange, StatsDimension, StatsFilter, StatsScalar } from "@headwater/contract";
import { STATS_RANGES, STATS_TEXT_DIMENSIONS } from "@headwater/contract/stats-words";

export type ViewParams = Readonly<Record<string, string | undefined>>;
export interface ActiveFilter {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
}

const PROPERTY = "property:";
const DAY_MS = 86_400_000;
const DAYS = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/;

const isText = (name: string): name is (typeof STATS_TEXT_DIMENSIONS)[number] =>
  (STATS_TEXT_DIMENSIONS as readonly string[]).includes(name);

function readScalar(text: string): StatsScalar {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? text : (value as StatsScalar);
  } catch {
    return text;
  }
}

/** Dimensions of which the address says that they are missing. */
const missingIn = ({ missing = "" }: ViewParams) => missing.split(",").filter(isText);

/** Each dimension is a parameter of the address; a property's value is JSON there, which tells 1 from "1". */
export function readFilters(search: ViewParams): ActiveFilter[] {
  const given = Object.entries(search).flatMap(([name, text]): ActiveFilter[] => {
    if (text === undefined) return [];
    if (isText(name)) return [{ dimension: name, value: text }];
    if (!name.startsWith(PROPERTY) || name === PROPERTY) return [];
    return [{ dimension: name as StatsDimension, value: readScalar(text) }];
  });
  return [...given, ...missingIn(search).map((dimension) => ({ dimension, value: null }))];
}

/** What of the address changes when that value of a dimension is chosen; `undefined`: none of it. */
export function filterParams(
  search: ViewParams,
  dimension: StatsDimension,
  value: StatsScalar | undefined,
): ViewParams {
  const others = missingIn(search).filter((one) => one !== dimension);
  if (dimension.startsWith(PROPERTY))
    return { [dimension]: value === undefined ? undefined : JSON.stringify(value) };
  const missing = [...others, ...(value === null ? [dimension] : [])].join(",");
  return { [dimension]: value === null ? undefined : value?.toString(), missing: missing || undefined };
}

export const toStatsFilters = (chosen: readonly ActiveFilter[]): StatsFilter[] =>
  chosen.map(({ dimension, value }) => ({ dimension, operator: "is", value }));

export interface ViewRange {
  /** As the address has it. */
  readonly text: string;
  readonly asked: StatsDateRange;
  /** The first and the last day of one that was chosen by days. */
  readonly days: readonly [first: string, last: string] | null;
  readonly grain: "hour" | "day" | "week" | "month";
}

const NAMED = { today: 1, yesterday: 1, "7d": 7, "30d": 30, "90d": 90, "365d": 365 } as const;
const isNamed = (text: string): text is (typeof STATS_RANGES)[number] =>
  (STATS_RANGES as readonly string[]).includes(text);

/** Few enough points to tell apart, and enough to see a course. */
function grainOf(days: number): ViewRange["grain"] {
  if (days <= 2) return "hour";
  if (days <= 92) return "day";
  return days <= 400 ? "week" : "month";
}

const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
const isDay = (text: string) => {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

/** Days are written as people count them, the last one among them; what is neither is the default. */
export function readRange({ range = "" }: ViewParams): ViewRange {
  const [, first = "", last = ""] = DAYS.exec(range) ?? [];
  if (isDay(first) && isDay(last) && first <= last) {
    const length = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
    return { text: range, asked: [first, dayAfter(last)], days: [first, last], grain: grainOf(length) };
  }
  const named = isNamed(range) ? range : "30d";
  return { text: named, asked: named, days: null, grain: grainOf(NAMED[named]) };
}

/** The days of a named range as a range of days, to go on from when one's own are to be chosen. */
export function toDayRange({ asked, days }: ViewRange, zone: string, now: number): string {
  if (days !== null) return days.join("..");
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(now);
  const back = (length: number) => new Date(Date.parse(today) - length * DAY_MS).toISOString().slice(0, 10);
  if (asked === "yesterday") return `${back(1)}..${back(1)}`;
  return `${back(NAMED[asked as keyof typeof NAMED] - 1)}..${today}`;
}

export const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** One that this browser does not know could not be shown. */
export function readTimeZone({ tz }: ViewParams): string {
  try {
    const options = tz === undefined ? {} : { timeZone: tz };
    return new Intl.DateTimeFormat("en", options).resolvedOptions().timeZone;
  } catch {
    return browserTimeZone();
  }
}

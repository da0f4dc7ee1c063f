/** Local days, weeks and months of a time zone as times in milliseconds since the epoch, by the runtime's zone database. */
import type { STATS_GRAINS } from "@headwater/contract";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";

export type Grain = (typeof STATS_GRAINS)[number];

/** From a time (inclusive) to another (exclusive). */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** More than any zone's distance from UTC plus any change of a clock. */
const MAX_OFFSET_MS = 27 * HOUR_MS;

/** There are some 600 zones; the cache is emptied when it is full. */
const MAX_CACHED_FORMATS = 200;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone */
function formatOf(zone: string): Intl.DateTimeFormat {
  const cached = formats.get(zone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= MAX_CACHED_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}

/** Whether the name is in the IANA database, such as `Europe/Berlin`. Offsets such as `+01:00` are not. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What a clock in the zone shows at a time, read as if it were UTC. */
export function localTime(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const milliseconds = ((at % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

/** The local calendar day of a time, in days since 1970-01-01. */
export const localDay = (zone: string, at: number): number => Math.floor(localTime(zone, at) / DAY_MS);

/** The first time of a local day. If a clock change repeats midnight, the earlier one; if it skips midnight, the end of the gap. */
export function startOfDay(zone: string, day: number): number {
  const local = day * DAY_MS;
  const isStart = (at: number) => localDay(zone, at) >= day && localDay(zone, at - 1) < day;
  let guess = local - (localTime(zone, local) - local);
  if (isStart(guess)) return guess;
  guess = local - (localTime(zone, guess) - guess);
  if (isStart(guess)) return guess;
  let [before, after] = [local - MAX_OFFSET_MS, local + MAX_OFFSET_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(zone, middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}

/** Weeks begin on Monday; 1970-01-01 was a Thursday. */
const nextMonday = (day: number) => day + 7 - ((((day + 3) % 7) + 7) % 7);
function nextMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
}
const NEXT_START = { day: (day: number) => day + 1, week: nextMonday, month: nextMonth };

/** No zone changes its clock twice in this time. */
const STEADY_MS = 6 * HOUR_MS;

/** @returns `localTime` of the zone, for many times in order: asking the zone database for each hour of a month takes 6 ms */
function createLocalTime(zone: string): (at: number) => number {
  let steady = { from: 0, to: 0, offsetMs: 0 };
  return (at) => {
    if (at >= steady.from && at < steady.to) return at + steady.offsetMs;
    const local = localTime(zone, at);
    const to = at + STEADY_MS;
    if (localTime(zone, to) - to === local - at) steady = { from: at, to, offsetMs: local - at };
    return local;
  };
}

interface BucketZone {
  readonly zone: string;
  readonly toLocal: (at: number) => number;
}

function nextBucket({ zone, toLocal }: BucketZone, grain: Grain, at: number): number {
  const local = toLocal(at);
  if (grain === "minute") return at + MINUTE_MS - (local % MINUTE_MS);
  if (grain === "hour") return at + HOUR_MS - (local % HOUR_MS);
  const next = NEXT_START[grain];
  // a zone may skip a whole day, which then has no start of its own
  for (let day = next(Math.floor(local / DAY_MS)); ; day = next(day)) {
    const start = startOfDay(zone, day);
    if (start > at) return start;
  }
}

/**
 * The starts of the buckets of a period. The first one is the start of the period.
 * @returns at most `max` + 1 of them
 */
export function bucketStarts(zone: string, grain: Grain, { from, to }: Period, max: number): number[] {
  const starts: number[] = [];
  const bucketZone = { zone, toLocal: createLocalTime(zone) };
  for (let at = from; at < to && starts.length <= max; at = nextBucket(bucketZone, grain, at))
    starts.push(at);
  return starts;
}

/** Local days, weeks and months of a time zone as times in milliseconds since the epoch, by the runtime's zone database. */
import type { STATS_GRAINS } from "@headwater/contract";
import { createLru } from "../core/lru.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";

export type Grain = (typeof STATS_GRAINS)[number];

/** From a time (inclusive) to another (exclusive). */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** The range of a query. */
export interface QueryRange extends Period {
  /** The number of local days; null if the range was given as times. */
  readonly days: number | null;
}

/** More than any zone's distance from UTC plus any change of a clock. */
const MAX_OFFSET_MS = 27 * HOUR_MS;

/** There are some 600 zones. */
const formats = createLru<string, Intl.DateTimeFormat>(200);

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

function askZoneDatabase(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const milliseconds = ((at % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

/** No zone changes its clock twice in the first of these times. */
const STEADY_MS = [6 * HOUR_MS, 15 * MINUTE_MS] as const;
/** Distance from UTC by zone, length of the time and number of it; NaN: the clock changes in it. The entries of seven years of one zone. */
const offsets = createLru<string, number>(10_000);

function offsetIn(zone: string, start: number, end: number): number {
  const offset = askZoneDatabase(zone, start) - start;
  return askZoneDatabase(zone, end) - end === offset ? offset : Number.NaN;
}

/**
 * Converts a time to the local time of the zone, read as if it were UTC. The zone database is asked once for six hours: asking it
 * for each query took a fifth of the main thread under 60 queries at a time.
 */
function localTime(zone: string, at: number): number {
  for (const steadyMs of STEADY_MS) {
    const start = Math.floor(at / steadyMs) * steadyMs;
    const key = `${zone} ${steadyMs} ${start}`;
    const offset = offsets.get(key) ?? offsetIn(zone, start, start + steadyMs);
    offsets.set(key, offset);
    if (!Number.isNaN(offset)) return at + offset;
  }
  return askZoneDatabase(zone, at);
}

/** The local calendar day of a time, in days since 1970-01-01. */
export const localDay = (zone: string, at: number): number => Math.floor(localTime(zone, at) / DAY_MS);

/** The first time in a period for which `isAfter` holds, which then holds until its end. */
function firstTime({ from, to }: Period, isAfter: (at: number) => boolean): number {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isAfter(middle)) after = middle;
    else before = middle;
  }
  return after;
}

/** The first time of a local day. If a clock change repeats midnight, the earlier one; if it skips midnight, the end of the gap. */
export function startOfDay(zone: string, day: number): number {
  const local = day * DAY_MS;
  const isStart = (at: number) => localDay(zone, at) >= day && localDay(zone, at - 1) < day;
  let guess = local - (localTime(zone, local) - local);
  if (isStart(guess)) return guess;
  guess = local - (localTime(zone, guess) - guess);
  if (isStart(guess)) return guess;
  const around = { from: local - MAX_OFFSET_MS, to: local + MAX_OFFSET_MS };
  return firstTime(around, (at) => localDay(zone, at) >= day);
}

const offsetAt = (zone: string, at: number) => localTime(zone, at) - at;

/** The first time at which the clock shows a local time of a day; the end of the gap when a clock change skips it. */
function firstShown(zone: string, day: number, local: number): number {
  const offsets = [startOfDay(zone, day), startOfDay(zone, day + 1)].map((at) => offsetAt(zone, at - 1));
  const [early, late] = [local - Math.max(...offsets), local - Math.min(...offsets)];
  if (localTime(zone, early) === local) return early;
  if (localTime(zone, late) === local) return late;
  return firstTime({ from: early, to: late }, (at) => localTime(zone, at) >= local);
}

/**
 * The same time of day on another local day. Of a time that the clock shows twice, the second one is the second one of the
 * other day, or the end of the repeated time if that day has none.
 */
export function onLocalDay(zone: string, at: number, other: number): number {
  const day = localDay(zone, at);
  const moved = (local: number) => local + (other - day) * DAY_MS;
  const local = localTime(zone, at);
  const asLong = startOfDay(zone, other) + at - startOfDay(zone, day);
  if (localTime(zone, asLong) === moved(local)) return asLong;
  const first = firstShown(zone, day, local);
  if (first >= at) return firstShown(zone, other, moved(local));
  const offset = offsetAt(zone, at);
  const change = firstTime({ from: first, to: at }, (time) => offsetAt(zone, time) === offset);
  return firstShown(zone, other, moved(change + offsetAt(zone, first)));
}

/** Weeks begin on Monday; 1970-01-01 was a Thursday. */
const nextMonday = (day: number) => day + 7 - ((((day + 3) % 7) + 7) % 7);
function nextMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
}
const NEXT_START = { day: (day: number) => day + 1, week: nextMonday, month: nextMonth };

export type ClockGrain = Exclude<Grain, "week" | "month">;
/** The local time at the start of the minute, hour or day of a time. */
export function shownAt(zone: string, grain: ClockGrain, at: number): number {
  const local = localTime(zone, at);
  return local - (local % { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }[grain]);
}

function nextBucket(zone: string, grain: Grain, at: number): number {
  const local = localTime(zone, at);
  if (grain === "minute") return at + MINUTE_MS - (local % MINUTE_MS);
  if (grain === "hour") return at + HOUR_MS - (local % HOUR_MS);
  const next = NEXT_START[grain];
  // a zone may skip a whole day, which then has no start of its own
  for (let day = next(Math.floor(local / DAY_MS)); ; day = next(day)) {
    const start = startOfDay(zone, day);
    if (start > at) return start;
  }
}

/** A time from which on a zone has this distance from UTC. */
export interface ClockChange {
  readonly at: number;
  readonly offsetMs: number;
}

/** The zone's distances from UTC in a period; the first one is that of its start. */
export function clockChanges(zone: string, { from, to }: Period): ClockChange[] {
  const changes = [{ at: from, offsetMs: offsetAt(zone, from) }];
  const [steadyMs] = STEADY_MS;
  for (let at = from; at < to; at += steadyMs) {
    const end = Math.min(at + steadyMs, to - 1);
    const offsetMs = offsetAt(zone, end);
    if (offsetMs === changes.at(-1)?.offsetMs) continue;
    const change = firstTime({ from: at, to: end }, (time) => offsetAt(zone, time) === offsetMs);
    changes.push({ at: change, offsetMs });
  }
  return changes;
}

/**
 * The starts of the buckets of a period. The first one is the start of the period.
 * @returns at most `max` + 1 of them
 */
export function bucketStarts(zone: string, grain: Grain, { from, to }: Period, max: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < to && starts.length <= max; at = nextBucket(zone, grain, at)) starts.push(at);
  return starts;
}

/** The starts of the buckets that lie in the period as a whole and are over. */
export function completeBuckets(
  zone: string,
  grain: Grain,
  { starts, end }: { readonly starts: readonly number[]; readonly end: number },
): Set<number> {
  const isWhole = (start: number) =>
    nextBucket(zone, grain, start - 1) === start && nextBucket(zone, grain, start) <= end;
  return new Set(starts.filter(isWhole));
}

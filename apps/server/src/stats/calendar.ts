/** Local days, weeks and months of a time zone as instants. By the runtime's own database of zones; pure. */
import type { STATS_GRAINS } from "@headwater/contract";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";

export type Grain = (typeof STATS_GRAINS)[number];

/** From an instant (inclusive) to another (exclusive), in milliseconds since the epoch. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** No zone is further from UTC than this, on both sides of a change. */
const FAR_MS = 27 * HOUR_MS;

const formats = new Map<string, Intl.DateTimeFormat>();
/** More zones than a service's users live in, and fewer than there are names. */
const FORMATS = 200;

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    if (formats.size >= FORMATS) formats.clear();
    formats.set(zone, format);
  }
  return format;
}

/** A name of the IANA database, as `Europe/Berlin`; offsets such as `+01:00` are none. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What a clock in the zone shows at an instant, written as if it were UTC. */
export function localOf(zone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const part = ((instant % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + part;
}

/** Days since 1970-01-01 of the calendar. */
export const dayOf = (zone: string, instant: number): number => Math.floor(localOf(zone, instant) / DAY_MS);

/** The first instant of a day: of one that begins twice the earlier, of one that begins with a gap its end. */
export function startOfDay(zone: string, day: number): number {
  const local = day * DAY_MS;
  const begins = (at: number) => dayOf(zone, at) >= day && dayOf(zone, at - 1) < day;
  let guess = local - (localOf(zone, local) - local);
  if (begins(guess)) return guess;
  guess = local - (localOf(zone, guess) - guess);
  if (begins(guess)) return guess;
  let [before, after] = [local - FAR_MS, local + FAR_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayOf(zone, middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}

/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const nextMonday = (day: number) => day + 7 - ((((day + 3) % 7) + 7) % 7);
function nextMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
}

function next(zone: string, grain: Grain, at: number): number {
  const local = localOf(zone, at);
  if (grain === "minute") return at + MINUTE_MS - (local % MINUTE_MS);
  if (grain === "hour") return at + HOUR_MS - (local % HOUR_MS);
  const day = Math.floor(local / DAY_MS);
  const following = { day: (now: number) => now + 1, week: nextMonday, month: nextMonth }[grain];
  // a day that a zone left out has no first instant of its own
  for (let then = following(day); ; then = following(then)) {
    const start = startOfDay(zone, then);
    if (start > at) return start;
  }
}

/**
 * The first instants of the hours, days, … of a period, its own first instant among them.
 * @returns at most `most` + 1 of them
 */
export function bucketsOf(zone: string, grain: Grain, { from, to }: Period, most: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < to && starts.length <= most; at = next(zone, grain, at)) starts.push(at);
  return starts;
}

/** ISO 8601 date-times as clients write them (spec 2.7, docs/api/events.md). Pure. */
import { DAY_MS } from "../core/time.ts";

export interface ParsedTime {
  /** Milliseconds since the epoch. */
  time: number;
  /** false: the text names no time zone, and UTC is assumed. */
  hasZone: boolean;
  /** Whether the text has the form in which the API writes times: UTC with milliseconds. */
  isCanonical: boolean;
}

/**
 * A calendar, week or ordinal date with or without hyphens, a time of day with or without colons, and a zone or none. After
 * a zone, its name and other notes of RFC 9557 in brackets say nothing more.
 */
const DATE_TIME =
  /^(\d{4})(-?)(?:(\d\d)\2(\d\d)|W(\d\d)\2(\d)|(\d{3}))[T ](\d\d)(?:(:?)(\d\d)(?:\9(\d\d)(?:[.,](\d{1,9})\d*)?)?)?(?:(?:(Z)|([+\-\u2212])(\d\d)(?::?(\d\d))?)(?:\[!?[\w/+\-:=]{1,64}\]){0,3})?$/i;
const MAX_LENGTH = 120;
const CANONICAL_LENGTH = 24;

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daysIn = (year: number, month: number) => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0));

/** The first millisecond of a day; NaN when there is no such day. */
function startOfDay(year: number, month: number, day: number): number {
  if (day < 1 || day > daysIn(year, month)) return Number.NaN;
  const time = Date.UTC(year, month - 1, day);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999
  return year < 100 ? new Date(time).setUTCFullYear(year) : time;
}

/** The day of a year: 1 is the first of January. */
function startOfYearDay(year: number, day: number): number {
  const isInYear = day >= 1 && day <= (isLeap(year) ? 366 : 365);
  return isInYear ? startOfDay(year, 1, 1) + (day - 1) * DAY_MS : Number.NaN;
}

/** The day of a week: weeks begin on Monday, and the first one has the year's first Thursday. */
function startOfWeekDay(year: number, week: number, weekday: number): number {
  if (weekday < 1 || weekday > 7) return Number.NaN;
  const fourth = startOfDay(year, 1, 4);
  const daysSinceMonday = (new Date(fourth).getUTCDay() + 6) % 7;
  const monday = fourth + ((week - 1) * 7 - daysSinceMonday) * DAY_MS;
  const isInYear = new Date(monday + 3 * DAY_MS).getUTCFullYear() === year;
  return isInYear ? monday + (weekday - 1) * DAY_MS : Number.NaN;
}

/** Milliseconds since midnight; NaN when there is no such time. 24:00 is the next day, and a leap second the next minute. */
function timeOfDay(hour: number, minute: number, second: number, ms: number): number {
  const time = ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
  const exists = hour <= 23 ? minute <= 59 && second <= 60 : time === DAY_MS;
  return exists ? time : Number.NaN;
}

/** The number that two digits of the text are. */
const twoDigits = (text: string, at: number) =>
  (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A fast path for the form that nearly every client sends. */
function parseCanonical(text: string): ParsedTime | null {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const ms = twoDigits(text, 20) * 10 + text.charCodeAt(22) - 48;
  const day = startOfDay(year, twoDigits(text, 5), twoDigits(text, 8));
  const hour = twoDigits(text, 11);
  const second = twoDigits(text, 17);
  const time = day + timeOfDay(hour, twoDigits(text, 14), second, ms);
  return Number.isNaN(time) ? null : { time, hasZone: true, isCanonical: second < 60 && hour < 24 };
}

/** A week date has a week, a calendar date a month, and an ordinal date neither. */
interface DateParts {
  readonly year: number;
  readonly month: string | undefined;
  readonly day: string | undefined;
  readonly week: string | undefined;
  readonly weekday: string | undefined;
  readonly dayOfYear: string | undefined;
}

function dateOf({ year, month, day, week, weekday, dayOfYear }: DateParts): number {
  if (month !== undefined) return startOfDay(year, Number(month), Number(day));
  if (week !== undefined) return startOfWeekDay(year, Number(week), Number(weekday));
  return startOfYearDay(year, Number(dayOfYear));
}

/** Milliseconds; NaN when there is no such offset. */
function offsetOf(sign: string | undefined, hour: number, minute: number): number {
  if (hour > 23 || minute > 59) return Number.NaN;
  return (hour * 60 + minute) * (sign === "+" ? 60_000 : -60_000);
}

/** Returns null when the text is not a date-time, or its day, hour or offset does not exist. */
export function parseTime(text: string): ParsedTime | null {
  if (text.length === CANONICAL_LENGTH && CANONICAL.test(text)) return parseCanonical(text);
  const parts = text.length <= MAX_LENGTH ? DATE_TIME.exec(text) : null;
  if (!parts) return null;
  const [, year, , month, day, week, weekday, dayOfYear, hour, , ...clock] = parts;
  const [minute = "0", second = "0", fraction = "0", utc, sign, offsetHour = "0", offsetMinute = "0"] = clock;
  const ms = Math.floor(Number(`0.${fraction}`) * 1_000);
  const date = dateOf({ year: Number(year), month, day, week, weekday, dayOfYear });
  const local = date + timeOfDay(Number(hour), Number(minute), Number(second), ms);
  const time = local - offsetOf(sign, Number(offsetHour), Number(offsetMinute));
  if (Number.isNaN(time)) return null;
  return { time, hasZone: utc !== undefined || sign !== undefined, isCanonical: false };
}

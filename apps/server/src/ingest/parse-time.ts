/** ISO 8601 date-times as clients write them (spec 2.7). Pure. */

export interface ParsedTime {
  /** Milliseconds since the epoch. */
  time: number;
  /** False: no zone was given, and UTC was assumed. */
  zoned: boolean;
  /** It was written as this service writes times: UTC with milliseconds. */
  canonical: boolean;
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?$/;
const LONGEST = 40;
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

/** Milliseconds since midnight; NaN when there is no such hour. A leap second (:60) is the next minute's first second. */
function timeOfDay(hour: number, minute: number, second: number, ms: number): number {
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN;
  return ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
}

const pair = (text: string, at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
const DIGITS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What nearly every client sends, without the groups of a regular expression. */
function parseCanonical(text: string): ParsedTime | null {
  const year = pair(text, 0) * 100 + pair(text, 2);
  const ms = pair(text, 20) * 10 + text.charCodeAt(22) - 48;
  const day = startOfDay(year, pair(text, 5), pair(text, 8));
  const time = day + timeOfDay(pair(text, 11), pair(text, 14), pair(text, 17), ms);
  return Number.isNaN(time) ? null : { time, zoned: true, canonical: pair(text, 17) < 60 };
}

/** null when the text is not a date-time, or names a day or an hour that does not exist. */
export function parseTime(text: string): ParsedTime | null {
  if (text.length === CANONICAL_LENGTH && DIGITS.test(text)) return parseCanonical(text);
  const parts = text.length <= LONGEST ? DATE_TIME.exec(text) : null;
  if (!parts) return null;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = "0",
    fraction = "0",
    z,
    sign,
    offsetHour = "0",
    offsetMinute = "0",
  ] = parts;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null;
  const ms = Math.floor(Number(`0.${fraction}`) * 1_000);
  const localDay = startOfDay(Number(year), Number(month), Number(day));
  const local = localDay + timeOfDay(Number(hour), Number(minute), Number(second), ms);
  if (Number.isNaN(local)) return null;
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  const time = local - (sign === "-" ? -offsetMs : offsetMs);
  return { time, zoned: z !== undefined || sign !== undefined, canonical: false };
}

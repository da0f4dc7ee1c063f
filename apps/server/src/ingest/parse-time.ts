/** ISO 8601 date-times as clients write them (spec 2.7). Pure. */

export interface ParsedTime {
  /** Milliseconds since the epoch. */
  time: number;
  /** false: the text names no time zone, and UTC is assumed. */
  hasZone: boolean;
  /** Whether the text has the form in which the API writes times: UTC with milliseconds. */
  isCanonical: boolean;
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?$/;
const MAX_LENGTH = 40;
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

/** The number that two digits of the text are. */
const twoDigits = (text: string, at: number) =>
  (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A fast path for the form that nearly every client sends. */
function parseCanonical(text: string): ParsedTime | null {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const ms = twoDigits(text, 20) * 10 + text.charCodeAt(22) - 48;
  const day = startOfDay(year, twoDigits(text, 5), twoDigits(text, 8));
  const time = day + timeOfDay(twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17), ms);
  return Number.isNaN(time) ? null : { time, hasZone: true, isCanonical: twoDigits(text, 17) < 60 };
}

/** Returns null when the text is not a date-time, or its day or hour does not exist. */
export function parseTime(text: string): ParsedTime | null {
  if (text.length === CANONICAL_LENGTH && CANONICAL.test(text)) return parseCanonical(text);
  const parts = text.length <= MAX_LENGTH ? DATE_TIME.exec(text) : null;
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
    utcLetter,
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
  return { time, hasZone: utcLetter !== undefined || sign !== undefined, isCanonical: false };
}

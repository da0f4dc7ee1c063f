/** The weeks and months of reports, in the time zone of the report. Pure. */
import type { ReportPeriod } from "@headwater/contract";
import { DAY_MS, HOUR_MS, utcDay } from "../../core/time.ts";
import { localDay, startOfDay } from "../calendar.ts";

export const PERIOD_WORDS = { week: "weekly", month: "monthly" } as const;

/** From a day (inclusive) to another (exclusive), each YYYY-MM-DD. */
export type Days = [from: string, to: string];

/** Events that clients have kept while they were offline arrive in this time after the end of a period. */
const SENT_AFTER_MS = 6 * HOUR_MS;
const LONGEST_DAYS: Readonly<Record<ReportPeriod, number>> = { week: 7, month: 31 };

/** The first day of the week or month of a day, both in days since 1970-01-01, which was a Thursday. */
function firstDay(period: ReportPeriod, day: number): number {
  if (period === "week") return day - ((day + 3) % 7);
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / DAY_MS;
}

const dayText = (day: number): string => utcDay(day * DAY_MS);

/** The last complete week or month, and the one before it. */
export function lastPeriod(
  period: ReportPeriod,
  zone: string,
  now: number,
): { readonly days: Days; readonly compared: Days } {
  const end = firstDay(period, localDay(zone, now));
  const start = firstDay(period, end - 1);
  const before = firstDay(period, start - 1);
  return { days: [dayText(start), dayText(end)], compared: [dayText(before), dayText(start)] };
}

/** When the report of the current week or month is sent. */
export function nextReportAt(period: ReportPeriod, zone: string, now: number): number {
  const start = firstDay(period, localDay(zone, now));
  return startOfDay(zone, firstDay(period, start + LONGEST_DAYS[period])) + SENT_AFTER_MS;
}

const FORMATS: Readonly<Record<ReportPeriod, Intl.DateTimeFormat>> = {
  week: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }),
};

/** @returns for example `16 – 22 November 2026` or `November 2026` */
export const periodName = (period: ReportPeriod, [from, to]: Days): string =>
  FORMATS[period].formatRange(Date.parse(from), Date.parse(to) - DAY_MS).replaceAll("\u2009", " ");

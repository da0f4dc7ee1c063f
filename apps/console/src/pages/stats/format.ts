/** Formats metrics, changes and times of the stats page. */
import type { StatsMetric } from "@headwater/contract";
import { dateFormat, numberFormatter } from "../../own-format.ts";
import { formatCount, formatFigure } from "../../ui/format-count.ts";
import type { ViewInterval } from "./view-range.ts";

const percent = numberFormatter({ style: "percent", maximumFractionDigits: 1 });
/** @returns for a sentence: `50%` or `33.3%` */
export const formatShare = (share: number | null): string => (share === null ? "—" : percent(share));

const wholePercent = numberFormatter({ style: "percent" });
const aligned = numberFormatter({
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
/** @returns for a column of figures, whose decimal points stand below each other: `50.0%` */
export const formatRate = (rate: number | null): string => (rate === null ? "—" : aligned(rate));

const MIN_HOURS_AS_DAYS = 48;

/** @returns for example `45s`, `1m 20s`, `2h 5m` or `3d 15h` */
export function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded}s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes}m\u00a0${rounded % 60}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < MIN_HOURS_AS_DAYS) return `${hours}h\u00a0${minutes % 60}m`;
  return `${formatCount(Math.floor(hours / 24))}d\u00a0${hours % 24}h`;
}

const decimals = numberFormatter({ maximumFractionDigits: 2 });

/** @returns for example `180ms` or `2.5s` */
const formatMilliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)}ms` : `${decimals(ms / 1000)}s`;

export const isStickiness = (metric: string): boolean => /^[dw]auPer/.test(metric);
export const isRate = (metric = ""): boolean => metric.endsWith("Rate") || isStickiness(metric);
/** A ratio is often less than 1, and the numbers of a property are what they are. */
const hasDecimals = (metric: StatsMetric): boolean => /Per|:/.test(metric);
/** Metrics of web vitals, of which all but `cls` are times. */
const VITAL = /:(?:lcp|inp|fcp|ttfb)$/;

/** @param value null for a ratio whose denominator is zero */
export function formatMetric(metric: StatsMetric, value: number | null): string {
  if (value === null) return "—";
  if (isRate(metric)) return formatRate(value);
  if (metric === "scrollDepth") return wholePercent(value / 100);
  if (metric === "sessionDuration" || metric === "timeOnPage") return formatDuration(value);
  if (VITAL.test(metric)) return formatMilliseconds(value);
  return formatFigure(hasDecimals(metric) ? value : Math.round(value * 10) / 10);
}

const compact = numberFormatter({ notation: "compact", maximumFractionDigits: 1 });
/** Formats a value of the chart's scale: `1.5K`. */
export const formatShort = (metric: StatsMetric, value: number): string =>
  isRate(metric)
    ? percent(value)
    : metric === "sessionDuration"
      ? formatMetric(metric, value)
      : compact(value);

const signed = numberFormatter({
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

interface FormattedChange {
  /** Rounded like `text`, so that a change shown as 0% is 0. */
  readonly ratio: number;
  readonly text: string;
}

/** Of figures that read the same. */
export const NO_CHANGE: FormattedChange = { ratio: 0, text: "no change" };

const signedPoints = numberFormatter({ maximumFractionDigits: 1, signDisplay: "exceptZero" });

/**
 * @returns the change since the previous period, or null when there is nothing to compare: of a rate in percentage points, else
 *   relative
 */
export function formatChange(
  current: number | null,
  previous: number | null,
  metric?: StatsMetric,
): FormattedChange | null {
  if (current === null || previous === null) return null;
  if (metric && formatMetric(metric, current) === formatMetric(metric, previous)) return NO_CHANGE;
  if (current === 0 && previous === 0) return null;
  if (isRate(metric)) {
    const ratio = Math.round((current - previous) * 1000) / 1000;
    return { ratio, text: `${signedPoints(ratio * 100)} pp` };
  }
  if (previous === 0) return { ratio: 0, text: "new" };
  const exact = (current - previous) / previous;
  const steps = Math.abs(exact) < 0.1 ? 1000 : 100;
  const rounded = Math.round(exact * steps) / steps;
  // -100% would say that nothing is left
  const ratio = rounded === -1 && current !== 0 ? Math.max(Math.round(exact * 1000) / 1000, -0.999) : rounded;
  return { ratio, text: signed(ratio) };
}

const TIME_FORMATS: Readonly<Record<ViewInterval, Intl.DateTimeFormatOptions>> = {
  minute: { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
  hour: { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
  day: { weekday: "short", day: "numeric", month: "short" },
  week: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
};

/** @returns a function that formats the start of an interval in the time zone */
export function timeFormatter(timeZone: string, interval: ViewInterval): (instant: string) => string {
  const format = dateFormat({ ...TIME_FORMATS[interval], timeZone })();
  return (instant) => format.format(new Date(instant));
}

/** The name of an interval that is not over. */
export const inPart = (name: string): string => `${name} (so far)`;

const SHORT_FORMATS: Readonly<Record<ViewInterval, Intl.DateTimeFormatOptions>> = {
  minute: { hour: "numeric", minute: "2-digit" },
  hour: { hour: "numeric", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  week: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
};

/** The same for the axis of a chart. A time at midnight is shown as its day. */
export function shortTimeFormatter(timeZone: string, interval: ViewInterval): (instant: string) => string {
  const format = dateFormat({ ...SHORT_FORMATS[interval], timeZone })();
  const day = dateFormat({ ...SHORT_FORMATS.day, timeZone })();
  const isTime = interval === "minute" || interval === "hour";
  const clock = new Intl.DateTimeFormat("en", { timeStyle: "short", hourCycle: "h23", timeZone });
  return (instant) => {
    const at = new Date(instant);
    return (isTime && clock.format(at) === "00:00" ? day : format).format(at);
  };
}

const DAY_FORMATS = {
  long: dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }),
  short: dateFormat({ day: "numeric", month: "short", timeZone: "UTC" }),
} as const;
/** @returns for example `Nov 3, 2026` */
export const formatCalendarDay = (day: string): string => DAY_FORMATS.long().format(new Date(day));
/** @returns for example `Nov 3 – 9, 2026`; short: `Nov 3 – 9` */
export const formatDays = (
  [first, last]: readonly [string, string],
  length: keyof typeof DAY_FORMATS = "long",
): string => DAY_FORMATS[length]().formatRange(new Date(first), new Date(last));

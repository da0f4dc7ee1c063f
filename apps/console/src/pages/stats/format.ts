/** Formats metrics, values of dimensions, changes and times of the stats page. */
import type { StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { formatCount } from "../../ui/format-count.ts";
import { type ActiveFilter, FILTER_OPERATORS } from "./view-params.ts";
import type { ViewInterval } from "./view-range.ts";

const DIMENSION_LABELS: Partial<Record<StatsDimension, string>> = {
  page: "Page",
  host: "Host",
  event: "Event",
  currency: "Currency",
  goal: "Goal",
  entryPage: "Entry page",
  exitPage: "Exit page",
  source: "Source",
  channel: "Channel",
  referrer: "Referrer",
  utmSource: "Campaign source",
  utmMedium: "Campaign medium",
  utmCampaign: "Campaign",
  utmTerm: "Campaign term",
  utmContent: "Campaign content",
  clickId: "Click ID",
  device: "Device",
  browser: "Browser",
  browserVersion: "Browser version",
  os: "Operating system",
  osVersion: "System version",
  screen: "Screen",
  locale: "Language",
  country: "Country",
  region: "Region",
  city: "City",
};
export const dimensionLabel = (dimension: StatsDimension): string =>
  DIMENSION_LABELS[dimension] ?? dimension.replace("property:", "");

const MISSING_LABELS: Partial<Record<StatsDimension, string>> = {
  source: "Direct / unknown",
  referrer: "Direct / unknown",
  country: "Unknown",
  region: "Unknown",
  city: "Unknown",
  device: "Unknown",
  browser: "Unknown",
  os: "Unknown",
  locale: "Unknown",
};

const DEVICE_LABELS: Readonly<Record<string, string>> = {
  desktop: "Desktop",
  mobile: "Mobile",
  tablet: "Tablet",
  tv: "TV",
  console: "Game console",
  wearable: "Wearable",
  car: "Car",
  xr: "VR headset",
};

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
/** Formats a code as `Germany`. Returns text that is not a known code unchanged. */
function withDisplayName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Whether the value is missing and has no name of its own, such as "Direct / unknown". */
export const isNotSet = (dimension: StatsDimension, value: StatsScalar): boolean =>
  value === null && MISSING_LABELS[dimension] === undefined;

export function formatValue(dimension: StatsDimension, value: StatsScalar): string {
  if (value === null) return MISSING_LABELS[dimension] ?? "(not set)";
  if (value === "") return "(empty)";
  if (dimension === "country") return withDisplayName(regions, String(value));
  if (dimension === "device") return DEVICE_LABELS[String(value)] ?? String(value);
  if (dimension === "locale") return withDisplayName(languages, String(value));
  return String(value);
}

/** @returns for example `Page is /pricing` or `Source is not Direct / unknown` */
export function formatFilter({ dimension, operator, value }: ActiveFilter): string {
  const { label = "is" } = FILTER_OPERATORS.find((one) => one.value === operator) ?? {};
  return `${dimensionLabel(dimension)} ${label} ${formatValue(dimension, value)}`;
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
/** @returns for a sentence: `50%` or `33.3%` */
export const formatShare = (share: number | null): string => (share === null ? "—" : percent.format(share));

const aligned = new Intl.NumberFormat("en", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
/** @returns for a column of figures, whose decimal points stand below each other: `50.0%` */
export const formatRate = (rate: number | null): string => (rate === null ? "—" : aligned.format(rate));

/** @returns for example `45s`, `1m 20s` or `2h 5m` */
function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded}s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes}m\u00a0${rounded % 60}s`;
  return `${formatCount(Math.floor(minutes / 60))}h\u00a0${minutes % 60}m`;
}

const decimals = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** @returns for example `180ms` or `2.5s` */
const formatMilliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)}ms` : `${decimals.format(ms / 1000)}s`;

const isRate = (metric?: StatsMetric): boolean => metric === "bounceRate" || metric === "conversionRate";

/** @param value null for a ratio whose denominator is zero */
export function formatMetric(metric: StatsMetric, value: number | null): string {
  if (value === null) return "—";
  if (isRate(metric)) return formatRate(value);
  if (metric === "scrollDepth") return `${Math.round(value)}%`;
  if (metric === "sessionDuration" || metric === "timeOnPage") return formatDuration(value);
  if (metric === "p75:cls") return decimals.format(value);
  if (metric.startsWith("p75:")) return formatMilliseconds(value);
  return formatCount(Math.round(value * 10) / 10);
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** Formats a value of the chart's scale: `1.5K`. */
export const formatShort = (metric: StatsMetric, value: number): string =>
  isRate(metric)
    ? percent.format(value)
    : metric === "sessionDuration"
      ? formatMetric(metric, value)
      : compact.format(value);

const signed = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

export interface FormattedChange {
  /** Rounded like `text`, so that a change shown as 0% is 0. */
  readonly ratio: number;
  readonly text: string;
}

/** Of figures that read the same. */
export const NO_CHANGE: FormattedChange = { ratio: 0, text: "no change" };

const signedPoints = new Intl.NumberFormat("en", { maximumFractionDigits: 1, signDisplay: "exceptZero" });

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
    return { ratio, text: `${signedPoints.format(ratio * 100)} pp` };
  }
  if (previous === 0) return { ratio: 0, text: "new" };
  const exact = (current - previous) / previous;
  const steps = Math.abs(exact) < 0.1 ? 1000 : 100;
  const ratio = Math.round(exact * steps) / steps;
  return { ratio, text: signed.format(ratio) };
}

const TIME_FORMATS: Readonly<Record<ViewInterval, Intl.DateTimeFormatOptions>> = {
  minute: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { weekday: "short", day: "numeric", month: "short" },
  week: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
};

/** @returns a function that formats the start of an interval in the time zone */
export function timeFormatter(timeZone: string, interval: ViewInterval): (instant: string) => string {
  const format = new Intl.DateTimeFormat("en", { ...TIME_FORMATS[interval], timeZone });
  return (instant) => format.format(new Date(instant));
}

const SHORT_FORMATS: Readonly<Record<ViewInterval, Intl.DateTimeFormatOptions>> = {
  minute: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  hour: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  week: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
};

/** The same for the axis of a chart. A time at midnight is shown as its day. */
export function shortTimeFormatter(timeZone: string, interval: ViewInterval): (instant: string) => string {
  const format = new Intl.DateTimeFormat("en", { ...SHORT_FORMATS[interval], timeZone });
  const day = new Intl.DateTimeFormat("en", { ...SHORT_FORMATS.day, timeZone });
  return (instant) => {
    const text = format.format(new Date(instant));
    return text === "00:00" ? day.format(new Date(instant)) : text;
  };
}

const DAY_FORMATS = {
  long: new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }),
  short: new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" }),
} as const;
/** @returns for example `Nov 3 – 9, 2026`; short: `Nov 3 – 9` */
export const formatDays = (
  [first, last]: readonly [string, string],
  length: keyof typeof DAY_FORMATS = "long",
): string => DAY_FORMATS[length].formatRange(new Date(first), new Date(last));

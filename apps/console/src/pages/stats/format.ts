/** Formats metrics, values of dimensions, changes and times of the stats page. */
import type { StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { formatCount } from "../../ui/format-count.ts";
import type { ViewRange } from "./view-params.ts";

const DIMENSION_LABELS: Partial<Record<StatsDimension, string>> = {
  page: "Page",
  host: "Host",
  event: "Event",
  entryPage: "Entry page",
  exitPage: "Exit page",
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
};
export const dimensionLabel = (dimension: StatsDimension): string =>
  DIMENSION_LABELS[dimension] ?? dimension.replace("property:", "");

const MISSING_LABELS: Partial<Record<StatsDimension, string>> = {
  referrer: "Direct / unknown",
  country: "Unknown",
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
/** Formats a code as `Germany (DE)`. Returns text that is not a known code unchanged. */
function withDisplayName(names: Intl.DisplayNames, code: string): string {
  try {
    const name = names.of(code);
    return name === undefined ? code : `${name} (${code})`;
  } catch {
    return code;
  }
}

export function formatValue(dimension: StatsDimension, value: StatsScalar): string {
  if (value === null) return MISSING_LABELS[dimension] ?? "—";
  if (value === "") return "(empty)";
  if (dimension === "country") return withDisplayName(regions, String(value));
  if (dimension === "device") return DEVICE_LABELS[String(value)] ?? String(value);
  if (dimension === "locale") return withDisplayName(languages, String(value));
  return String(value);
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
export const formatShare = (share: number | null): string => (share === null ? "—" : percent.format(share));

/** @returns for example `45s`, `1m 20s` or `2h 5m` */
function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded}s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes}m\u00a0${rounded % 60}s`;
  return `${formatCount(Math.floor(minutes / 60))}h\u00a0${minutes % 60}m`;
}

/** @param value null for a ratio whose denominator is zero */
export function formatMetric(metric: StatsMetric, value: number | null): string {
  if (value === null) return "—";
  if (metric === "bounceRate" || metric === "conversionRate") return percent.format(value);
  if (metric === "sessionDuration") return formatDuration(value);
  return formatCount(Math.round(value * 10) / 10);
}

const signed = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

export interface FormattedChange {
  /** Rounded to the whole percent of `text`, so that a change shown as 0% is 0. */
  readonly ratio: number;
  readonly text: string;
}

/** @returns the relative change since the previous period, or null when there is nothing to compare */
export function formatChange(current: number | null, previous: number | null): FormattedChange | null {
  if (current === null || previous === null || (current === 0 && previous === 0)) return null;
  if (previous === 0) return { ratio: 0, text: "new" };
  const ratio = Math.round(((current - previous) / previous) * 100) / 100;
  return { ratio, text: signed.format(ratio) };
}

const TIME_FORMATS: Readonly<Record<ViewRange["interval"], Intl.DateTimeFormatOptions>> = {
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { weekday: "short", day: "numeric", month: "short" },
  week: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
};

/** @returns a function that formats the start of an interval in the time zone */
export function timeFormatter(
  timeZone: string,
  interval: ViewRange["interval"],
): (instant: string) => string {
  const format = new Intl.DateTimeFormat("en", { ...TIME_FORMATS[interval], timeZone });
  return (instant) => format.format(new Date(instant));
}

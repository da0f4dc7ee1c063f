/** Figures, values and times of the numbers in words. */
import type { StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { formatCount } from "../../ui/format-count.ts";
import type { ViewRange } from "./view-params.ts";

const NAMES: Partial<Record<StatsDimension, string>> = {
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
  clickId: "Click id",
  device: "Device",
  browser: "Browser",
  os: "System",
  locale: "Language",
  country: "Country",
};
export const dimensionLabel = (dimension: StatsDimension): string =>
  NAMES[dimension] ?? dimension.replace("property:", "");

const MISSING: Partial<Record<StatsDimension, string>> = {
  referrer: "Direct, or not told",
  country: "Unknown",
  device: "Unknown",
  browser: "Unknown",
  os: "Unknown",
  locale: "Unknown",
};

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
/** What applications send is not always a code. */
function named(names: Intl.DisplayNames, code: string): string {
  try {
    const name = names.of(code);
    return name === undefined ? code : `${name} (${code})`;
  } catch {
    return code;
  }
}

export function formatValue(dimension: StatsDimension, value: StatsScalar): string {
  if (value === null) return MISSING[dimension] ?? "(none)";
  if (value === "") return "(empty)";
  if (dimension === "country") return named(regions, String(value));
  if (dimension === "locale") return named(languages, String(value));
  return String(value);
}

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
export const formatShare = (share: number | null): string => (share === null ? "–" : percent.format(share));

function sayDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}\u00a0s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}\u00a0min\u00a0${whole % 60}\u00a0s`;
  return `${formatCount(Math.floor(minutes / 60))}\u00a0h\u00a0${minutes % 60}\u00a0min`;
}

/** @param figure null: a ratio over nothing */
export function formatMetric(metric: StatsMetric, figure: number | null): string {
  if (figure === null) return "–";
  if (metric === "bounceRate" || metric === "conversionRate") return percent.format(figure);
  if (metric === "sessionDuration") return sayDuration(figure);
  return formatCount(Math.round(figure * 10) / 10);
}

const signed = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

/** How a figure differs from the one of the period before; null: there is nothing to compare. */
export function formatChange(now: number | null, before: number | null): { by: number; text: string } | null {
  if (now === null || before === null || (now === 0 && before === 0)) return null;
  if (before === 0) return { by: 0, text: "new" };
  const by = (now - before) / before;
  return { by, text: signed.format(by) };
}

const SHAPES: Readonly<Record<ViewRange["grain"], Intl.DateTimeFormatOptions>> = {
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { weekday: "short", day: "numeric", month: "short" },
  week: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
};

/** @returns what writes the first instant of an hour, a day, … of that time zone */
export function timeFormatter(zone: string, grain: ViewRange["grain"]): (instant: string) => string {
  const format = new Intl.DateTimeFormat("en", { ...SHAPES[grain], timeZone: zone });
  return (instant) => format.format(new Date(instant));
}

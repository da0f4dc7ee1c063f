/** Translates the values of dimensions into the names that the console shows, and names into values. */

import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { encodePath } from "@headwater/contract/path-pattern";
import { type ActiveFilter, FILTER_OPERATORS } from "../view-params.ts";

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
  utmSource: "UTM source",
  utmMedium: "UTM medium",
  utmCampaign: "Campaign",
  utmTerm: "UTM term",
  utmContent: "UTM content",
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

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** All codes of two letters: those that name a country or a language have a name. */
const TWO_LETTERS = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
const codesNamed = (names: Intl.DisplayNames, codes: readonly string[], text: string): string[] =>
  codes.filter((code) => names.of(code)?.toLowerCase().includes(text.toLowerCase()));
/** @returns the codes of the countries whose names contain the text */
export const countriesNamed = (text: string): string[] => codesNamed(regions, TWO_LETTERS, text);
/** @returns the codes of the languages whose names contain the text */
export const languagesNamed = (text: string): string[] =>
  codesNamed(
    languages,
    TWO_LETTERS.map((code) => code.toLowerCase()),
    text,
  );

/** Whether the value is missing and has no name of its own, such as "Direct / unknown". */
export const isNotSet = (dimension: StatsDimension, value: StatsScalar): boolean =>
  value === null && MISSING_LABELS[dimension] === undefined;

/** Characters that nobody sees: decoded, `/%E2%80%8B` would look like `/`. Joiners change the letters beside them. */
const INVISIBLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]|\p{Z}(?=\p{Z}|$)/gu;
/** `/caf%C3%A9` as `/café`, as browsers show it. */
export function formatPath(path: string): string {
  try {
    return decodeURI(path).replaceAll(INVISIBLE, encodeURIComponent);
  } catch {
    return path;
  }
}

const PATH_DIMENSIONS: ReadonlySet<StatsDimension> = new Set(["page", "entryPage", "exitPage"]);
export const isPathDimension = (dimension: StatsDimension): boolean => PATH_DIMENSIONS.has(dimension);

export function formatValue(dimension: StatsDimension, value: StatsScalar): string {
  if (value === null) return MISSING_LABELS[dimension] ?? "(not set)";
  if (value === "") return "(empty)";
  if (dimension === "country") return withDisplayName(regions, String(value));
  if (dimension === "device") return DEVICE_LABELS[String(value)] ?? String(value);
  if (dimension === "locale") return withDisplayName(languages, String(value));
  if (PATH_DIMENSIONS.has(dimension)) return formatPath(String(value));
  return String(value);
}

/** Dimensions whose values people know by a name, however it is written: `germany`, `chrome`, `direct / unknown`. */
const NAMED: ReadonlySet<StatsDimension> = new Set([
  "country",
  "locale",
  "device",
  "browser",
  "os",
  "source",
  "channel",
  "referrer",
]);
/** @returns the value that the text is or names; the text itself when it names none of them */
export function valueNamed(
  dimension: StatsDimension,
  text: string,
  values: readonly StatsScalar[],
): StatsScalar {
  if (values.includes(text)) return text;
  if (PATH_DIMENSIONS.has(dimension))
    return (
      values.find((value) => value !== null && formatValue(dimension, value) === text) ?? encodePath(text)
    );
  const name = text.trim().toLowerCase();
  const codes = dimension === "country" ? countriesNamed(name) : [];
  const found = [...values, ...codes].find(
    (value) =>
      (value === null || NAMED.has(dimension)) && formatValue(dimension, value).toLowerCase() === name,
  );
  return found === undefined ? text : found;
}

/** @returns for example `Visit with the event signup` or `Visit with the page /pricing` */
const formatVisitFilter = (dimension: StatsDimension, value: string): string =>
  `Visit with the ${dimensionLabel(dimension).toLowerCase()} ${value}`;

/** @returns for example `Page is /pricing` or `Source is not Direct / unknown` */
export function formatFilter({ dimension, operator, value }: ActiveFilter): string {
  if (operator === "had") return formatVisitFilter(dimension, formatValue(dimension, value));
  const { label = "is" } = FILTER_OPERATORS.find((one) => one.value === operator) ?? {};
  return `${dimensionLabel(dimension)} ${label} ${formatValue(dimension, value)}`;
}

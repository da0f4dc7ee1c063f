/** Translates the values of dimensions into the names that the console shows. */

import type { StatsDimension, StatsScalar } from "@headwater/contract";

type PropertyDimension = Extract<StatsDimension, `property:${string}`>;
const isProperty = (dimension: StatsDimension): dimension is PropertyDimension =>
  dimension.startsWith("property:");

const DIMENSION_LABELS: Readonly<Record<Exclude<StatsDimension, PropertyDimension>, string>> = {
  page: "Page",
  host: "Host",
  event: "Event",
  currency: "Currency",
  goal: "Goal",
  entryPage: "Entry page",
  exitPage: "Exit page",
  source: "Traffic source",
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
  osVersion: "OS version",
  screen: "Screen",
  locale: "Language",
  country: "Country",
  region: "Region",
  city: "City",
  sentBy: "Sent by",
  site: "Source",
  "folder:1": "Folder",
  "folder:2": "Folder (2 levels)",
  "folder:3": "Folder (3 levels)",
  contentGroup: "Content group",
  visitorType: "New or returning",
  firstSource: "First traffic source",
  firstChannel: "First channel",
  firstUtmCampaign: "First campaign",
  firstEntryPage: "First entry page",
  "time:minute": "Minute",
  "time:hour": "Date and hour",
  "time:day": "Day",
  "time:week": "Week",
  "time:month": "Month",
  dayOfWeek: "Weekday",
  hourOfDay: "Hour",
};
export const dimensionLabel = (dimension: StatsDimension): string =>
  isProperty(dimension) ? dimension.replace("property:", "") : DIMENSION_LABELS[dimension];

const MISSING_LABELS: Partial<Record<StatsDimension, string>> = {
  source: "Direct / unknown",
  firstSource: "Direct / unknown",
  referrer: "Direct / unknown",
  country: "Unknown",
  region: "Unknown",
  city: "Unknown",
  device: "Unknown",
  browser: "Unknown",
  os: "Unknown",
  locale: "Unknown",
};

/** The names of values of `device` and `visitorType`. */
const VALUE_LABELS: Readonly<Record<string, string>> = {
  new: "New",
  returning: "Returning",
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

let sites: ReadonlyMap<string, string> = new Map();
/** The sources whose names the values of `site` get from now on. */
export function nameSites(sources: readonly { readonly sourceId: string; readonly name: string }[]): void {
  sites = new Map(sources.map(({ sourceId, name }) => [sourceId, name]));
}
/** @returns the ids of the sources whose names contain the text */
export const sitesNamed = (text: string): string[] =>
  [...sites].flatMap(([id, name]) => (name.toLowerCase().includes(text.toLowerCase()) ? [id] : []));

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

const PATH_DIMENSIONS: ReadonlySet<StatsDimension> = new Set([
  "page",
  "entryPage",
  "exitPage",
  "folder:1",
  "folder:2",
  "folder:3",
  "firstEntryPage",
]);
export const isPathDimension = (dimension: StatsDimension): boolean => PATH_DIMENSIONS.has(dimension);

export function formatValue(dimension: StatsDimension, value: StatsScalar): string {
  if (value === null) return MISSING_LABELS[dimension] ?? "(not set)";
  if (value === "") return "(empty)";
  if (dimension === "country") return withDisplayName(regions, String(value));
  if (dimension === "device" || dimension === "visitorType")
    return VALUE_LABELS[String(value)] ?? String(value);
  if (dimension === "locale") return withDisplayName(languages, String(value));
  if (PATH_DIMENSIONS.has(dimension)) return formatPath(String(value));
  return (dimension === "site" && sites.get(String(value))) || String(value);
}

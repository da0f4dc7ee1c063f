/** The dimensions and metrics that tables of the Explore view have, with their names. Pure. */
import type { StatsDimension, StatsMetric } from "@headwater/contract";
import { STATS_GOAL_DIMENSION, type STATS_PROPERTY_METRICS } from "@headwater/contract/stats-words";
import { dimensionLabel } from "../lists/value-names.ts";

export interface TableField<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly group: string;
}

/** Every dimension has a group, except minutes: a table of them is too long. */
const DIMENSION_GROUPS: Readonly<
  Record<Exclude<StatsDimension, `property:${string}` | "time:minute">, string>
> = {
  page: "Pages",
  entryPage: "Pages",
  exitPage: "Pages",
  host: "Pages",
  "folder:1": "Pages",
  "folder:2": "Pages",
  "folder:3": "Pages",
  contentGroup: "Pages",
  source: "Acquisition",
  channel: "Acquisition",
  referrer: "Acquisition",
  utmCampaign: "Acquisition",
  utmSource: "Acquisition",
  utmMedium: "Acquisition",
  utmTerm: "Acquisition",
  utmContent: "Acquisition",
  clickId: "Acquisition",
  visitorType: "First visit",
  firstSource: "First visit",
  firstChannel: "First visit",
  firstUtmCampaign: "First visit",
  firstEntryPage: "First visit",
  goal: "Goals and events",
  event: "Goals and events",
  currency: "Goals and events",
  sentBy: "Goals and events",
  "time:day": "Time",
  "time:week": "Time",
  "time:month": "Time",
  "time:hour": "Time",
  dayOfWeek: "Time",
  hourOfDay: "Time",
  country: "Locations",
  region: "Locations",
  city: "Locations",
  locale: "Locations",
  device: "Devices",
  browser: "Devices",
  browserVersion: "Devices",
  os: "Devices",
  osVersion: "Devices",
  screen: "Devices",
  site: "Sources",
};
export const DIMENSION_FIELDS = Object.entries(DIMENSION_GROUPS).map(
  // the keys are dimensions
  ([name, group]): TableField<StatsDimension> => ({
    name: name as StatsDimension,
    label: dimensionLabel(name as StatsDimension),
    group,
  }),
);

const METRICS: Readonly<
  Record<Exclude<StatsMetric, `${string}:${string}`>, readonly [label: string, group: string]>
> = {
  visitors: ["Visitors", "Visitors and sessions"],
  newVisitors: ["New visitors", "Visitors and sessions"],
  returningVisitors: ["Returning visitors", "Visitors and sessions"],
  visitors7Days: ["7-day visitors", "Visitors and sessions"],
  visitors28Days: ["28-day visitors", "Visitors and sessions"],
  dauPerWau: ["DAU / WAU", "Visitors and sessions"],
  dauPerMau: ["DAU / MAU", "Visitors and sessions"],
  wauPerMau: ["WAU / MAU", "Visitors and sessions"],
  users: ["Signed-in users", "Visitors and sessions"],
  sessions: ["Sessions", "Visitors and sessions"],
  bounceRate: ["Bounce rate", "Visitors and sessions"],
  engagedSessions: ["Engaged sessions", "Visitors and sessions"],
  engagementRate: ["Engagement rate", "Visitors and sessions"],
  sessionDuration: ["Session duration", "Visitors and sessions"],
  viewsPerSession: ["Views per session", "Visitors and sessions"],
  pageviews: ["Page views", "Pages and events"],
  events: ["Events", "Pages and events"],
  entrances: ["Entrances", "Pages and events"],
  exits: ["Exits", "Pages and events"],
  exitRate: ["Exit rate", "Pages and events"],
  timeOnPage: ["Time per view", "Pages and events"],
  scrollDepth: ["Scroll depth", "Pages and events"],
  passiveEvents: ["Non-interaction events", "Pages and events"],
  planViolations: ["Plan violations", "Pages and events"],
  conversions: ["Conversions", "Goals"],
  conversionRate: ["Conversion rate", "Goals"],
  sessionConversionRate: ["Session conversion rate", "Goals"],
  conversionsPerSession: ["Conversions per session", "Goals"],
  revenue: ["Revenue", "Revenue"],
  averageOrderValue: ["Average order value", "Revenue"],
  revenuePerVisitor: ["Revenue per visitor", "Revenue"],
  revenuePerSession: ["Revenue per session", "Revenue"],
};
export const METRIC_FIELDS = Object.entries(METRICS).map(
  // the keys are metrics
  ([name, [label, group]]): TableField<StatsMetric> => ({ name: name as StatsMetric, label, group }),
);

/** The metrics of a property's numbers. */
type PropertyFunction = (typeof STATS_PROPERTY_METRICS)[number];
const FUNCTIONS: Readonly<Record<PropertyFunction, string>> = {
  sum: "sum",
  avg: "average",
  median: "median",
  p75: "75th percentile",
  p90: "90th percentile",
  p95: "95th percentile",
};
const FUNCTION_NAMES = Object.keys(FUNCTIONS) as PropertyFunction[];

const PROPERTIES = "Properties";
export const propertyDimension = (property: string): TableField<StatsDimension> => ({
  name: `property:${property}`,
  label: property,
  group: PROPERTIES,
});
export const propertyMetrics = (property: string): TableField<StatsMetric>[] =>
  FUNCTION_NAMES.map((name) => ({
    name: `${name}:${property}`,
    label: `${property}, ${FUNCTIONS[name]}`,
    group: PROPERTIES,
  }));

/** @returns the dimension of that name; undefined: there is none */
export function dimensionField(name: string): TableField<StatsDimension> | undefined {
  const [, property] = /^property:(.+)$/s.exec(name) ?? [];
  return property === undefined
    ? DIMENSION_FIELDS.find((field) => field.name === name)
    : propertyDimension(property);
}

/** @returns the metric of that name; undefined: there is none */
export function metricField(name: string): TableField<StatsMetric> | undefined {
  const [, property] = /^[a-z0-9]+:(.+)$/s.exec(name) ?? [];
  const known = property === undefined ? METRIC_FIELDS : propertyMetrics(property);
  return known.find((field) => field.name === name);
}

/** @returns the name of a metric's column. By goal, visitors are those who reached it. */
export const metricLabel = (metric: StatsMetric, rows: readonly string[]): string =>
  metric === "visitors" && rows.includes(STATS_GOAL_DIMENSION)
    ? "Converted visitors"
    : (metricField(metric)?.label ?? metric);

/** Metrics of one goal. */
const GOAL_METRICS: ReadonlySet<StatsMetric> = new Set([
  "conversions",
  "conversionRate",
  "sessionConversionRate",
  "conversionsPerSession",
]);
export const needsGoal = (metric: StatsMetric): boolean => GOAL_METRICS.has(metric);

/** Metrics that are amounts of money. */
const MONEY: ReadonlySet<StatsMetric> = new Set([
  "revenue",
  "averageOrderValue",
  "revenuePerVisitor",
  "revenuePerSession",
]);
export const isMoney = (metric: StatsMetric): boolean => MONEY.has(metric);

/** The names that stats queries use, each with its description. No schema library is imported here: the console uses this file. */

/** `Object.keys` of a table whose keys are known. TypeScript cannot know that it has no others. */
const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[];

/** The descriptions of a table as one text, for the API document. */
export const describeStatsWords = (descriptions: Readonly<Record<string, string>>): string =>
  Object.entries(descriptions)
    .map(([name, description]) => `\`${name}\`: ${description}.`)
    .join(" ");

/** The metrics; besides, there is `sum:<property>`. The server computes each of them in `stats/sql/metrics.ts`. */
export const STATS_METRIC_DESCRIPTIONS = {
  visitors: "distinct anonymous ids",
  users: "distinct user ids",
  sessions: "sessions that begin in the range. Passive events begin none",
  pageviews: "page views",
  events: "all events",
  planViolations: "accepted events that violated the tracking plan",
  viewsPerSession: "page views divided by sessions",
  bounceRate: "share of sessions with one page view and no track event, except for passive ones",
  sessionDuration: "mean seconds from the first to the last event of a session",
  conversions: "events that reach the goal",
  conversionRate: "share of visitors who reached the goal",
  engagedSessions: "sessions with 10 engaged seconds, two page views, or, if the query has a goal, the goal",
  timeOnPage: "mean engaged seconds of a page view",
  scrollDepth: "mean of the greatest scroll depth of each page in a session, in percent",
  revenue:
    "sum of the revenue, and if the query has a goal, of its conversions. It needs the dimension currency, or a filter for one currency",
  "p75:lcp": "75th percentile of the Largest Contentful Paint, in milliseconds",
  "p75:inp": "75th percentile of the Interaction to Next Paint, in milliseconds",
  "p75:cls": "75th percentile of the Cumulative Layout Shift",
  "p75:fcp": "75th percentile of the First Contentful Paint, in milliseconds",
  "p75:ttfb": "75th percentile of the Time to First Byte, in milliseconds",
} as const;
export const STATS_METRICS = namesOf(STATS_METRIC_DESCRIPTIONS);

/** The dimensions of events; besides, there is `property:<name>`. The server reads each of them in `stats/sql/dimensions.ts`. */
const STATS_EVENT_DIMENSION_DESCRIPTIONS = {
  page: "path of the event's page",
  host: "host of the event's page",
  event: "name of the event; page_view for page views",
  sentBy:
    "server: sent with a token of the scope ingest, or by an HTTP library without an Origin; browser: all others",
  currency: "currency of the event's revenue (ISO 4217)",
} as const;
export const STATS_EVENT_DIMENSIONS = namesOf(STATS_EVENT_DIMENSION_DESCRIPTIONS);

/** The dimensions of sessions: values of the first event, except for the exit page. */
const STATS_SESSION_DIMENSION_DESCRIPTIONS = {
  entryPage: "path of the session's first event",
  exitPage: "path of the last page view",
  source: "name of the site or campaign that led to the visit, such as Google; null for direct visits",
  channel: "channel of the visit, such as Organic Search; never null",
  referrer: "host of the referrer",
  utmSource: "utm_source",
  utmMedium: "utm_medium",
  utmCampaign: "utm_campaign",
  utmTerm: "utm_term",
  utmContent: "utm_content",
  clickId: "name of the click id, such as gclid",
  device: "type of device: desktop, mobile, tablet, tv, console, wearable, car or xr",
  browser: "name of the browser or of the app",
  browserVersion: "version of the browser, such as 141",
  os: "name of the operating system",
  osVersion: "version of the operating system, such as 11 for Windows 11",
  screen: "width and height of the screen, such as 1440x900, if the client sends it",
  locale: "language and region, such as en-GB",
  country: "country code (ISO 3166-1)",
  region:
    "English name of the largest subdivision of the country, such as California, if the address file has it",
  city: "English name of the city, if the address file has it",
} as const;
export const STATS_SESSION_DIMENSIONS = namesOf(STATS_SESSION_DIMENSION_DESCRIPTIONS);

export const STATS_DIMENSION_DESCRIPTIONS = {
  ...STATS_EVENT_DIMENSION_DESCRIPTIONS,
  ...STATS_SESSION_DIMENSION_DESCRIPTIONS,
};
/** All dimensions whose values are texts. Besides, there is `time:<grain>`. */
export const STATS_TEXT_DIMENSIONS = [...STATS_EVENT_DIMENSIONS, ...STATS_SESSION_DIMENSIONS];

/** The dimension that lists all goals of a source. Only `currency` can be beside it. */
export const STATS_GOAL_DIMENSION = "goal";
/** The metrics of a query by goal. */
export const STATS_GOAL_METRICS = [
  "conversions",
  "conversionRate",
  "visitors",
  "revenue",
] as const satisfies readonly (typeof STATS_METRICS)[number][];

/** Which session of the visitor the dimensions of attribution are of. */
export const STATS_ATTRIBUTION_MODELS = ["session", "firstTouch"] as const;
/** The dimensions that `attribution` changes. */
export const STATS_ATTRIBUTION_DIMENSIONS = [
  "source",
  "channel",
  "utmSource",
  "utmMedium",
  "utmCampaign",
  "utmTerm",
  "utmContent",
] as const satisfies readonly (keyof typeof STATS_SESSION_DIMENSION_DESCRIPTIONS)[];

export const STATS_GRAINS = ["minute", "hour", "day", "week", "month"] as const;
/** Local days that end with today: `7d` is today and the six days before. */
export const STATS_RANGES = ["today", "yesterday", "7d", "30d", "90d", "365d"] as const;
/** The periods that a query can be compared with. */
export const STATS_COMPARISONS = ["previous", "year", "custom"] as const;
/** How exact the figures of an answer are to be. */
export const STATS_ACCURACIES = ["auto", "exact", "fast"] as const;
export const STATS_OPERATORS = ["is", "is_not", "contains", "matches", "in", "gt", "lt"] as const;

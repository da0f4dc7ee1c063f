/** The names that stats queries use, each with its description. No schema library is imported here: the console uses this file. */

/** `Object.keys` of a table whose keys are known. TypeScript cannot know that it has no others. */
const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[];

/** The descriptions of a table as one text, for the API document. */
export const describeStatsWords = (descriptions: Readonly<Record<string, string>>): string =>
  Object.entries(descriptions)
    .map(([name, description]) => `\`${name}\`: ${description}.`)
    .join(" ");

/** The metrics; besides, there is `sum:<property>`. The server computes each of them in `stats/metrics.ts`. */
export const STATS_METRIC_DESCRIPTIONS = {
  visitors: "distinct anonymous ids",
  users: "distinct user ids",
  sessions: "sessions whose first event is in the range",
  pageviews: "page views",
  events: "all events",
  viewsPerSession: "page views divided by sessions",
  bounceRate: "share of sessions with one page view and no track event",
  sessionDuration: "mean seconds from the first to the last event of a session",
  conversionRate: "share of visitors who reached the goal",
} as const;
export const STATS_METRICS = namesOf(STATS_METRIC_DESCRIPTIONS);

/** The dimensions of events; besides, there is `property:<name>`. The server reads each of them in `stats/dimensions.ts`. */
export const STATS_EVENT_DIMENSION_DESCRIPTIONS = {
  page: "path of the event's page",
  host: "host of the event's page",
  event: "name of the event; page_view for page views",
  sentBy:
    "server: sent with a token of the scope ingest, or by an HTTP library without an Origin; browser: all others",
} as const;
export const STATS_EVENT_DIMENSIONS = namesOf(STATS_EVENT_DIMENSION_DESCRIPTIONS);

/** The dimensions of sessions: values of the first event, except for the exit page. */
export const STATS_SESSION_DIMENSION_DESCRIPTIONS = {
  entryPage: "path of the session's first event",
  exitPage: "path of the last page view",
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
} as const;
export const STATS_SESSION_DIMENSIONS = namesOf(STATS_SESSION_DIMENSION_DESCRIPTIONS);

export const STATS_DIMENSION_DESCRIPTIONS = {
  ...STATS_EVENT_DIMENSION_DESCRIPTIONS,
  ...STATS_SESSION_DIMENSION_DESCRIPTIONS,
};
/** All dimensions whose values are texts. Besides, there is `time:<grain>`. */
export const STATS_TEXT_DIMENSIONS = [...STATS_EVENT_DIMENSIONS, ...STATS_SESSION_DIMENSIONS];

export const STATS_GRAINS = ["minute", "hour", "day", "week", "month"] as const;
/** Local days that end with today: `7d` is today and the six days before. */
export const STATS_RANGES = ["today", "yesterday", "7d", "30d", "90d", "365d"] as const;
export const STATS_OPERATORS = ["is", "is_not", "contains", "matches", "in", "gt", "lt"] as const;

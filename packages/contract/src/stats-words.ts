/** The names that stats queries use, each with its description. No schema library is imported here: the console uses this file. */

/**
 * `Object.keys` of a table whose keys are known. TypeScript cannot know that it has no others. The calls are marked as pure, so that the
 * console's script leaves out the names, and with them the descriptions, that no page uses.
 */
const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[];

/** The descriptions of a table as one text, for the API document. */
export const describeStatsWords = (descriptions: Readonly<Record<string, string>>): string =>
  Object.entries(descriptions)
    .map(([name, description]) => `\`${name}\`: ${description}.`)
    .join(" ");

/** The metrics; besides, there are those of `STATS_PROPERTY_METRICS`. The server computes each of them in `stats/sql/metrics.ts`. */
export const STATS_METRIC_DESCRIPTIONS = {
  visitors: "distinct anonymous ids",
  users: "distinct user ids",
  newVisitors: "visitors with an event in a session whose visitorType is new",
  returningVisitors: "visitors with an event in a session whose visitorType is returning",
  visitors7Days: "visitors of the 7 days that end with the bucket, or with the range",
  visitors28Days: "visitors of the 28 days that end with the bucket, or with the range",
  dauPerWau: "visitors of a day divided by visitors7Days. It needs the time:day dimension",
  dauPerMau: "visitors of a day divided by visitors28Days. It needs the time:day dimension",
  wauPerMau: "visitors7Days divided by visitors28Days. It needs the time:day dimension",
  sessions: "sessions that begin in the range. A passive event begins no session",
  pageviews: "page views",
  events: "page views and track events, without passive ones",
  passiveEvents: "passive events, which `events` leaves out",
  planViolations: "accepted events that violated the tracking plan",
  viewsPerSession: "page views divided by sessions",
  bounceRate: "share of sessions with one page view and no track event, except for passive ones",
  sessionDuration:
    "mean seconds from the first event of a session to the last one that is not passive, and the engaged seconds reported after it",
  conversions: "events that reach the goal",
  conversionRate: "share of visitors who reached the goal",
  sessionConversionRate: "share of sessions with an event that reaches the goal",
  engagedSessions: "sessions with 10 engaged seconds, two page views, or, if the query has a goal, the goal",
  engagementRate: "share of sessions that are engaged",
  timeOnPage: "mean engaged seconds of a page view",
  scrollDepth: "mean of the greatest scroll depth of each page in a session, in percent",
  conversionsPerSession: "conversions divided by sessions",
  entrances: "sessions that begin on the page. It needs the page dimension",
  exits: "sessions whose last page view is the page. It needs the page dimension",
  exitRate: "exits divided by page views of the page. It needs the page dimension",
  revenue:
    "sum of the revenue; with a goal, of its conversions only. It needs `currency`, the currency dimension, or a filter for one currency",
  averageOrderValue: "mean revenue of the events that have one. It needs what revenue needs",
  revenuePerVisitor: "revenue divided by visitors. It needs `currency`",
  revenuePerSession: "revenue divided by sessions. It needs `currency`",
} as const;
export const STATS_METRICS = /* @__PURE__ */ namesOf(STATS_METRIC_DESCRIPTIONS);

/** The metrics of a property's numbers: `avg:price`. Those of a web vital are of the events `web_vitals`. */
export const STATS_PROPERTY_METRIC_DESCRIPTIONS = {
  sum: "sum of the numbers",
  avg: "mean of the numbers",
  median: "median of the numbers",
  p75: "75th percentile of the numbers",
  p90: "90th percentile of the numbers",
  p95: "95th percentile of the numbers",
} as const;
export const STATS_PROPERTY_METRICS = /* @__PURE__ */ namesOf(STATS_PROPERTY_METRIC_DESCRIPTIONS);
/** The Core Web Vitals, as the optional part `web-vitals` of the browser client reports them. Milliseconds; `cls` is a score. */
export const STATS_VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"] as const;

/** The dimensions of events; besides, there is `property:<name>`. The server reads each of them in `stats/sql/dimensions.ts`. */
export const STATS_EVENT_DIMENSIONS = ["page", "host", "event", "sentBy", "currency"] as const;
const STATS_EVENT_DIMENSION_DESCRIPTIONS = {
  page: "path of the event's page",
  host: "host of the event's page",
  event: "name of the event; page_view for page views",
  sentBy: "server: sent with an ingest token, or by an HTTP library without an Origin; browser: all others",
  currency: "currency of the event's revenue (ISO 4217)",
} as const satisfies Record<(typeof STATS_EVENT_DIMENSIONS)[number], string>;

/** Further dimensions of events, which are made of the path when a query runs. No rollup has them. */
const STATS_PATH_DIMENSION_DESCRIPTIONS = {
  "folder:1": "first folder of the path: `/blog/` for `/blog/2026/post`, `/` for `/pricing`",
  "folder:2": "first two folders of the path, or all if it has fewer",
  "folder:3": "first three folders of the path, or all if it has fewer",
  contentGroup: "name of the first of the source's content groups that the path matches",
} as const;
export const STATS_PATH_DIMENSIONS = /* @__PURE__ */ namesOf(STATS_PATH_DIMENSION_DESCRIPTIONS);

/** The dimensions of sessions: values of the first event, except for the exit page. */
export const STATS_SESSION_DIMENSIONS = [
  "entryPage",
  "exitPage",
  "source",
  "channel",
  "referrer",
  "utmSource",
  "utmMedium",
  "utmCampaign",
  "utmTerm",
  "utmContent",
  "clickId",
  "device",
  "browser",
  "browserVersion",
  "os",
  "osVersion",
  "screen",
  "locale",
  "country",
  "region",
  "city",
] as const;
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
} as const satisfies Record<(typeof STATS_SESSION_DIMENSIONS)[number], string>;

/** The dimensions of sessions that the first visit of a visitor decides. No rollup has them. */
const STATS_FIRST_VISIT_DIMENSION_DESCRIPTIONS = {
  visitorType:
    "new: a visitor's first visit ever; returning: a later visit; null: the session has only passive events",
  firstSource: "source of the visitor's first visit ever",
  firstChannel: "channel of the visitor's first visit ever",
  firstUtmCampaign: "utm_campaign of the visitor's first visit ever",
  firstEntryPage: "path on which the visitor's first visit ever began",
} as const;
const STATS_FIRST_VISIT_DIMENSIONS = /* @__PURE__ */ namesOf(STATS_FIRST_VISIT_DIMENSION_DESCRIPTIONS);

export const STATS_DIMENSION_DESCRIPTIONS = {
  ...STATS_EVENT_DIMENSION_DESCRIPTIONS,
  ...STATS_PATH_DIMENSION_DESCRIPTIONS,
  ...STATS_SESSION_DIMENSION_DESCRIPTIONS,
  ...STATS_FIRST_VISIT_DIMENSION_DESCRIPTIONS,
  site: "id of the source",
};
/** The dimensions of the local clock. Metrics of sessions take the time of the session's first event. */
export const STATS_CLOCK_DIMENSION_DESCRIPTIONS = {
  hourOfDay: "hour of the day, from 0 to 23",
  dayOfWeek: "day of the week, from 1 for Monday to 7",
} as const;
export const STATS_CLOCK_DIMENSIONS = /* @__PURE__ */ namesOf(STATS_CLOCK_DIMENSION_DESCRIPTIONS);

/** The dimension that tells the sources of a query of several apart. No rollup has it. */
export const STATS_SITE_DIMENSION = "site";

/** All dimensions whose values are texts. Besides, there is `time:<grain>`. */
export const STATS_TEXT_DIMENSIONS = [
  ...STATS_EVENT_DIMENSIONS,
  ...STATS_PATH_DIMENSIONS,
  ...STATS_SESSION_DIMENSIONS,
  ...STATS_FIRST_VISIT_DIMENSIONS,
  STATS_SITE_DIMENSION,
] as const;

/** The dimension of all goals of a source. */
export const STATS_GOAL_DIMENSION = "goal";
/** The metrics of a query with another attribution than `session`. */
export const STATS_GOAL_METRICS = [
  "conversions",
  "conversionRate",
  "visitors",
  "revenue",
] as const satisfies readonly (typeof STATS_METRICS)[number][];

/** The metrics of a query by goal. */
export const STATS_BY_GOAL_METRICS = [
  ...STATS_GOAL_METRICS,
  "averageOrderValue",
  "revenuePerVisitor",
  "sessionConversionRate",
  "conversionsPerSession",
  "revenuePerSession",
] as const satisfies readonly (typeof STATS_METRICS)[number][];

/** Which session of the visitor the dimensions of attribution are of. */
export const STATS_ATTRIBUTION_MODELS = ["session", "firstTouch", "lastNonDirect"] as const;
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
/** What the cohorts of retention begin with. */
export const STATS_COHORTS = ["firstVisit", "firstInRange"] as const;
/** The periods that a query can be compared with. */
export const STATS_COMPARISONS = ["previous", "year", "custom"] as const;
/** How exact the figures of an answer are to be. */
export const STATS_ACCURACIES = ["auto", "exact", "fast"] as const;
/** Where the steps of a funnel are. */
export const STATS_FUNNEL_SCOPES = ["visitor", "session"] as const;
export const STATS_OPERATORS = ["is", "is_not", "contains", "matches", "in", "gt", "lt"] as const;

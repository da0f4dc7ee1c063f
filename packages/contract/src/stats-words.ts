/** The words of a question about a source's events. No schema here, so that the console reads them without the schema library. */

/** And `sum:<property>`. */
export const STATS_METRICS = [
  "visitors",
  "users",
  "sessions",
  "pageviews",
  "events",
  "viewsPerSession",
  "bounceRate",
  "sessionDuration",
  "conversionRate",
] as const;

/** Of an event. */
export const STATS_EVENT_DIMENSIONS = ["page", "host", "event"] as const;
/** Of a session: what its first event says, but for the exit page. */
export const STATS_SESSION_DIMENSIONS = [
  "entryPage",
  "exitPage",
  "referrer",
  "utmSource",
  "utmMedium",
  "utmCampaign",
  "utmTerm",
  "utmContent",
  "clickId",
  "device",
  "browser",
  "os",
  "locale",
  "country",
] as const;
/** And `time:<grain>`, and `property:<name>`, which is of an event. */
export const STATS_TEXT_DIMENSIONS = [...STATS_EVENT_DIMENSIONS, ...STATS_SESSION_DIMENSIONS] as const;

export const STATS_GRAINS = ["minute", "hour", "day", "week", "month"] as const;
/** Local days that end with today: `7d` is today and the six before. */
export const STATS_RANGES = ["today", "yesterday", "7d", "30d", "90d", "365d"] as const;
export const STATS_OPERATORS = ["is", "is_not", "contains", "matches", "in", "gt", "lt"] as const;

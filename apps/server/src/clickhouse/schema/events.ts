/**
 * The table `events` and the view `sessions`. The columns are the members of an event's normal form, under the same names
 * (docs/api/stored-events.md), so ClickHouse reads the lines of the outbox as they are.
 */
import { type ClusterTarget, onCluster } from "../cluster.ts";
import {
  IS_ACTION,
  IS_PAGE_VIEW,
  OPENS_SESSION,
  SESSION_END_COLUMNS,
  SESSION_ENDED_AT,
} from "./event-types.ts";
import { tableStatements } from "./table.ts";

const few = "LowCardinality(Nullable(String))";
const many = "Nullable(String)";
/** Every query reads times: they take a quarter of the time of `CODEC(Delta, ZSTD)`, and as much space. */
const time = "DateTime64(3, 'UTC') CODEC(T64, LZ4)";
/**
 * The text of an object, exactly as the ledger has it. Clients choose the names in it, so no column, file or dictionary may depend on them:
 * merging the type JSON needs memory for each distinct name (docs/decisions/0014).
 */
const jsonText = "String DEFAULT '{}' CODEC(ZSTD)";

const tuple = (members: Record<string, string>): string =>
  `Tuple(${Object.entries(members).map(([name, type]) => `${name} ${type}`)})`;

const PAGE = {
  url: many,
  origin: few,
  host: few,
  path: many,
  query: many,
  utm: tuple({ source: few, medium: few, campaign: few, term: few, content: few }),
  clickIds: "Map(LowCardinality(String), String)",
  title: many,
  referrer: many,
  referrerHost: few,
};
const DEVICE = {
  device: few,
  os: few,
  osVersion: few,
  browser: few,
  browserVersion: few,
  isBot: "Bool",
};

/** How many tokens of inserts ClickHouse remembers, to recognize an insert that is repeated. */
const INSERT_TOKENS = "non_replicated_deduplication_window = 10000";
/** On replicas tokens also expire, after a week: by then, a page that is retried is compared with the stored events. */
const REPLICATED_INSERT_TOKENS =
  "replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800";

/** Ids as 64-bit hashes. Of ten million ids two have the same hash with a probability of one to 370,000. */
const ID_HASHES = {
  session: "UInt64 MATERIALIZED sipHash64(sessionId)",
  visitor: "UInt64 MATERIALIZED sipHash64(anonymousId)",
};

/** The sequence of an event that its client numbers (docs/api/events.md, Sequences). The first number is 1; 0: not numbered. */
const NUMBERED = {
  sequence:
    "UInt64 MATERIALIZED if(match(eventId, '^[0-9a-f]{32}~1[0-9]{6}$'), sipHash64(substring(eventId, 1, 32)), 0)",
  number: "UInt32 MATERIALIZED if(sequence = 0, 0, toUInt32OrZero(substring(eventId, 34)) - 999999)",
};

/** The fingerprint of each day, which tells whether a rollup is up to date. */
const DAYS = `PROJECTION days
  (SELECT sourceId, toDate(occurredAt), count(), sum(cityHash64(analyticsEventId)) GROUP BY sourceId, toDate(occurredAt))`;

const COLUMNS: Readonly<Record<string, string>> = {
  analyticsEventId: "String",
  eventId: "String",
  type: "LowCardinality(String)",
  name: "LowCardinality(String)",
  occurredAt: time,
  timestamp: "String",
  sessionId: "String",
  anonymousId: "String",
  userId: many,
  page: tuple(PAGE),
  locale: few,
  timezone: few,
  screen: few,
  viewport: few,
  device: tuple(DEVICE),
  properties: jsonText,
  context: jsonText,
  sourceId: "LowCardinality(String)",
  receivedAt: time,
  batchId: many,
  sdkVersion: few,
  country: few,
  region: few,
  city: few,
  sentBy: "LowCardinality(String)",
  passive: "Bool",
  source: few,
  channel: few,
  revenue: "Nullable(Decimal(18, 4))",
  currency: few,
  engagedSeconds: "Float32",
  scrollDepth: "Nullable(UInt8)",
  planViolation: "Bool",
  lost: `Array(${tuple({ eventId: "String", occurredAt: "DateTime64(3, 'UTC')", cause: "LowCardinality(String)" })})`,
  replayedAt: "Nullable(DateTime64(3, 'UTC'))",
  ...ID_HASHES,
  ...NUMBERED,
};

/**
 * Sorted by source and day, because a query reads a range, and then by session, because the values that a session repeats
 * compress well. All events of a session are on one shard. ClickHouse recognizes repeated inserts by their tokens. A new part
 * keeps its columns in one file until it is merged: writing a file for each column took a third of the time of an insert.
 */
export const eventsStatements = (target: ClusterTarget): string[] =>
  tableStatements(target, {
    name: "events",
    columns: COLUMNS,
    projection: DAYS,
    engine: "MergeTree",
    clauses: `PARTITION BY toYYYYMM(occurredAt)
ORDER BY (sourceId, toDate(occurredAt), sessionId, occurredAt, analyticsEventId)`,
    settings: `${target.cluster === null ? INSERT_TOKENS : REPLICATED_INSERT_TOKENS}, min_bytes_for_wide_part = 134217728`,
    shardBy: "cityHash64(sourceId, sessionId)",
  });

/** The values of the event that opens the session. They are read as one tuple, because aggregate functions skip NULL. */
const ENTRY = ["anonymousId", "page", "device", "country", "locale", "timezone"];
const NAMES = ["anonymousId", "entryPage", "entryDevice", "entryCountry", "entryLocale", "entryTimezone"];

/**
 * Sessions are derived from events when they are read, so a late event corrects its session by itself (docs/stats.md).
 */
export const sessionsStatement = (
  target: ClusterTarget,
): string => `CREATE OR REPLACE VIEW ${target.database}.sessions${onCluster(target)} AS
SELECT sourceId, sessionId, startedAt, ${SESSION_ENDED_AT} AS endedAt,
  dateDiff('millisecond', startedAt, endedAt) AS durationMs,
  pageViews, trackEvents,
  pageViews = 1 AND trackEvents = 0 AS isBounce,
  ${NAMES.map((name, index) => `tupleElement(firstEvent, ${index + 1}) AS ${name}`).join(",\n  ")},
  tupleElement(lastPage, 1) AS exitPage,
  tupleElement(lastUser, 1) AS userId
FROM (
  SELECT sourceId, sessionId,
    minIf(occurredAt, ${OPENS_SESSION}) AS startedAt,
    ${SESSION_END_COLUMNS.join(",\n    ")},
    countIf(${IS_PAGE_VIEW}) AS pageViews,
    countIf(${IS_ACTION}) AS trackEvents,
    argMin(tuple(${ENTRY}), (passive, occurredAt, eventId)) AS firstEvent,
    argMax(tuple(page), (${IS_PAGE_VIEW}, occurredAt, eventId)) AS lastPage,
    argMaxIf(tuple(userId), (occurredAt, eventId), userId IS NOT NULL) AS lastUser
  FROM ${target.database}.events
  GROUP BY sourceId, sessionId
  HAVING countIf(${OPENS_SESSION}) > 0
)`;

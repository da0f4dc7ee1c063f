/**
 * What questions read in place of events, for the days of a source that have settled (docs/decisions/0018): a row for each
 * quarter of an hour of a session, and one for each thing that was seen or done in it. Both follow from `events` alone, and
 * may be thrown away at any time.
 */

import { type ClusterTarget, onCluster, storedName } from "../cluster.ts";
import { commonTableStatement, tableStatements } from "./table.ts";

const few = "LowCardinality(Nullable(String))";
const whole = "UInt64 CODEC(ZSTD)";
/** Of what every question reads: larger than with ZSTD by half, and unpacked in a third of the time. */
const often = "UInt64 CODEC(LZ4)";
const count = "UInt32 CODEC(T64, LZ4)";

/** What a session is by its first and last event, under the names that questions have for it. */
export const SESSION_TEXTS = [
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

const OWN = {
  sourceId: "LowCardinality(String)",
  /** UTC; of a session that of its first event. */
  day: "Date CODEC(LZ4)",
  /** Of the settling that wrote the row. */
  version: often,
  quarter: "DateTime('UTC') CODEC(T64, LZ4)",
  session: whole,
  visitor: often,
};

/** Everything but visitors and users can be added up over any quarters; what is the session's own stands in its first. */
const VISITS = {
  ...OWN,
  /** 0: none. */
  user: whole,
  sessions: "UInt8",
  bounces: "UInt8",
  durationMs: "Int64 CODEC(T64, LZ4)",
  pageviews: count,
  events: count,
  ...Object.fromEntries(SESSION_TEXTS.map((name) => [name, few])),
};

const HITS = {
  ...OWN,
  name: "LowCardinality(String)",
  path: few,
  pageviews: count,
  events: count,
};

/** What `isDone` says of a settling; the higher replaces the lower. What is going is not read any more. */
export const SETTLING = { begun: 0, done: 1, going: 2 } as const;

/** `known` is what the events of the day before, the day and the day after came to that were received by `through`. */
const SETTLED_DAYS = {
  sourceId: "LowCardinality(String)",
  day: "Date",
  version: "UInt64",
  through: "DateTime64(3, 'UTC')",
  known: "Array(String)",
  isDone: "UInt8",
};

const ROWS = "PARTITION BY toYYYYMM(day)\nORDER BY (sourceId, day, version, visitor)";

/** What tells one state of a day's events from another: that none was added, and none went. */
export const KNOWN = "concat(toString(count()), ' ', toString(sum(cityHash64(analyticsEventId))))";

const HASHES = { session: "sipHash64(sessionId)", visitor: "sipHash64(anonymousId)" };
const addHashes = Object.entries(HASHES)
  .map(([name, of]) => `ADD COLUMN IF NOT EXISTS ${name} UInt64 MATERIALIZED ${of}`)
  .join(", ");

/** All tables that hold nothing but what can be derived of the events. */
export const DERIVED_TABLES = ["visits", "hits", "settledDays", "looseSessions"] as const;

/** Ids as 64-bit numbers: of ten million of a kind two are one with odds of one to 370,000. */
export function settledStatements(target: ClusterTarget): string[] {
  const alter = (table: string, what: string) =>
    `ALTER TABLE ${target.database}.${table}${onCluster(target)} ${what}`;
  const stored = storedName(target, "events");
  const rows = { engine: "MergeTree", clauses: ROWS, shardBy: "session" } as const;
  return [
    ...new Set([alter(stored, addHashes), alter("events", addHashes)]),
    alter(
      stored,
      `ADD PROJECTION IF NOT EXISTS days
  (SELECT sourceId, toDate(occurredAt), count(), sum(cityHash64(analyticsEventId)) GROUP BY sourceId, toDate(occurredAt))`,
    ),
    // what is there already is written anew in the background; until then it is worked out when it is read
    alter(stored, "MATERIALIZE COLUMN session, MATERIALIZE COLUMN visitor, MATERIALIZE PROJECTION days"),
    ...tableStatements(target, { name: "visits", columns: VISITS, ...rows }),
    ...tableStatements(target, { name: "hits", columns: HITS, ...rows }),
    commonTableStatement(target, {
      name: "settledDays",
      columns: SETTLED_DAYS,
      engine: "ReplacingMergeTree(isDone)",
      clauses: "ORDER BY (sourceId, day, version)",
    }),
    commonTableStatement(target, {
      name: "looseSessions",
      columns: { sourceId: "LowCardinality(String)", session: "UInt64" },
      engine: "ReplacingMergeTree",
      clauses: "ORDER BY (sourceId, session)",
    }),
  ];
}

/** Tables of before get the codecs that questions are fastest with; what is stored already keeps its own until it is merged. */
export function codecStatements(target: ClusterTarget): string[] {
  return Object.entries({ visits: VISITS, hits: HITS }).map(([table, columns]) => {
    const changes = Object.entries(columns)
      .filter(([, type]) => type.includes("CODEC"))
      .map(([name, type]) => `MODIFY COLUMN ${name} ${type}`);
    return `ALTER TABLE ${target.database}.${storedName(target, table)}${onCluster(target)} ${changes.join(", ")}`;
  });
}

/**
 * The tables of the rollups (`stats/rollups`, docs/decisions/0018): precomputed days of a source. Everything in them is
 * derived from `events`, so they may be emptied at any time; the rollup worker fills them again.
 */
import { STATS_EVENT_DIMENSIONS, STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import { type ClusterTarget, onCluster, storedName } from "../cluster.ts";
import { commonTableStatement, tableStatements } from "./table.ts";

const text = "LowCardinality(Nullable(String))";
const hash = "UInt64 CODEC(ZSTD)";
/** For columns that every query reads: half as large again as with ZSTD, and read in a third of the time. */
const hotNumber = "UInt64 CODEC(LZ4)";
const counter = "UInt32 CODEC(T64, LZ4)";

const dimensionColumns = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text]));

const COMMON_COLUMNS = {
  sourceId: "LowCardinality(String)",
  /** UTC: the day of the session's first event, or the day of the event. */
  day: "Date CODEC(LZ4)",
  /** The build that wrote the row. */
  build: hotNumber,
  /** The start of the quarter of an hour. */
  quarter: "DateTime('UTC') CODEC(T64, LZ4)",
  session: hash,
  visitor: hotNumber,
};

/**
 * A row for each quarter of an hour, visitor and user of a session. What a session has once (itself, its bounce, its duration)
 * is in the row of the event that opens it, so that all columns but visitors and users can be added up over any rows.
 */
const SESSION_ROLLUPS = {
  ...COMMON_COLUMNS,
  /** 0: no user. */
  user: hash,
  sessions: "UInt8",
  bounces: "UInt8",
  engagedSessions: "UInt8",
  durationMs: "Int64 CODEC(T64, LZ4)",
  pageviews: counter,
  events: counter,
  passiveEvents: counter,
  ...dimensionColumns(STATS_SESSION_DIMENSIONS),
};

/** A row for each quarter of an hour and visitor of a session, and for each combination of the dimensions of events. */
const EVENT_ROLLUPS = {
  ...COMMON_COLUMNS,
  ...dimensionColumns(STATS_EVENT_DIMENSIONS),
  pageviews: counter,
  events: counter,
  passiveEvents: counter,
  engagedSeconds: "Float64 CODEC(ZSTD)",
  /** The greatest one. */
  scrollDepth: "Nullable(UInt8) CODEC(ZSTD)",
};

/** The states of a build. The higher one replaces the lower one. */
export const BUILD_STATES = { started: 0, done: 1, dropping: 2 } as const;

/** `fingerprints`: of the day before, the day and the day after, for the events received until `receivedUntil`. */
const ROLLUP_BUILDS = {
  sourceId: "LowCardinality(String)",
  day: "Date",
  build: "UInt64",
  receivedUntil: "DateTime64(3, 'UTC')",
  fingerprints: "Array(String)",
  state: "UInt8",
};

export const ROLLUP_TABLES = ["sessionRollups", "eventRollups", "rollupBuilds", "longSessions"] as const;
const SHARDED_TABLES = ["sessionRollups", "eventRollups"];

/** A fingerprint of events: it changes when an event is added or removed. */
export const FINGERPRINT = "concat(toString(count()), ' ', toString(sum(cityHash64(analyticsEventId))))";

/**
 * Drops the rollup tables and creates them empty. A migration that changes a column, such as a new dimension, is one more call
 * of this.
 */
export function recreateRollupsStatements(target: ClusterTarget): string[] {
  const { database, cluster } = target;
  const stored = cluster === null ? [] : SHARDED_TABLES.map((table) => storedName(target, table));
  const drops = [...ROLLUP_TABLES, ...stored].map(
    (table) => `DROP TABLE IF EXISTS ${database}.${table}${onCluster(target)} SYNC`,
  );
  const rollups = {
    engine: "MergeTree",
    clauses: "PARTITION BY toYYYYMM(day)\nORDER BY (sourceId, day, build, visitor)",
    shardBy: "session",
  } as const;
  return [
    ...drops,
    ...tableStatements(target, { name: "sessionRollups", columns: SESSION_ROLLUPS, ...rollups }),
    ...tableStatements(target, { name: "eventRollups", columns: EVENT_ROLLUPS, ...rollups }),
    commonTableStatement(target, {
      name: "rollupBuilds",
      columns: ROLLUP_BUILDS,
      engine: "ReplacingMergeTree(state)",
      clauses: "ORDER BY (sourceId, day, build)",
    }),
    commonTableStatement(target, {
      name: "longSessions",
      columns: { sourceId: "LowCardinality(String)", session: "UInt64" },
      engine: "ReplacingMergeTree",
      clauses: "ORDER BY (sourceId, session)",
    }),
  ];
}

/**
 * The debug history on SQLite: attempts and their counters, in a file of their own. Losing it loses history, never an
 * event, so a commit does not wait for the disk. Synchronous; runs in the attempts thread.
 */
import type { DatabaseSync } from "node:sqlite";
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES } from "@headwater/contract/attempts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { DAY_MS } from "../../core/time.ts";
import {
  type AttemptGroup,
  type AttemptGroupFilter,
  type AttemptGroupRow,
  attemptGroupConditions,
  attemptQuery,
  type Condition,
  toAttemptGroups,
} from "../attempt-filter.ts";
import { compressSync, decompressSync } from "../compression.ts";
import type { AlertLedger, AttemptLedger, ErasureLedger, ErasureSlice } from "../ledger.ts";
import type { AttemptCount, AttemptFilter, AttemptRow, Cursor, StoredAttempt } from "../records.ts";
import { createAttemptFilter } from "../visitor-attempts.ts";
import { sourcesOf, visitorsIn } from "../visitors.ts";
import { createRetention, type Retention, type RetentionFacts } from "./attempt-retention.ts";
import { connect, existingFile, makePrivateFile } from "./database.ts";
import { overwriteDeleted } from "./overwriting.ts";
import { createStatements, type Statements, type Synchronous } from "./statements.ts";

export interface AttemptStore
  extends Synchronous<AttemptLedger>,
    Synchronous<Pick<AlertLedger, "recentAttemptCounts">>,
    Synchronous<Pick<ErasureLedger, "eraseAttempts">> {
  /** Deletes expired rows, a bounded number; true when there are more. */
  maintain(at: { now: number }): boolean;
  close(): void;
}

interface AttemptStoreOptions {
  /** Maximum bytes of the history. Beyond them the oldest attempts are deleted. */
  storeBytes: number;
  /** `existing`: the file was open before, and opening fails if it is missing. Default: it is created if missing. */
  mode?: "create" | "existing";
}

/** A file of another version is emptied: its attempts are a week of history at most. */
const VERSION = 1;
/** `other` is 0 for an attempt that succeeded, and 1 for any other outcome. */
const TABLES = `
  create table attempts (seq integer primary key autoincrement, source_id text not null, kind integer not null,
    other integer not null, outcome integer not null, code text, origin text, session_id text, anonymous_id text,
    attempt_id text not null, received_at integer not null, bytes integer not null, record blob not null);
  create index attempts_source on attempts (source_id, kind, other, seq, outcome, code, bytes);
  create index attempts_succeeded on attempts (seq) where other = 0;
  create table attempt_counts (source_id text not null, hour integer not null, name text not null,
    count integer not null, last_seen_at integer not null, primary key (source_id, hour, name)) without rowid;
  create index attempt_counts_hour on attempt_counts (hour);
  pragma user_version = ${VERSION};
`;
const DROP_TABLES = "drop table if exists attempts; drop table if exists attempt_counts;";
/** A record of 15 KB of JSON takes 2 to 4 KB and fits into a page. The WAL is checkpointed every 16 MiB. */
const PRAGMAS = `
  pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16384;
  pragma wal_autocheckpoint = 2000; pragma journal_size_limit = 67108864; pragma temp_store = memory; pragma secure_delete = fast;
`;

const INSERT = `insert into attempts (source_id, kind, other, outcome, code, origin, session_id, anonymous_id,
  attempt_id, received_at, bytes, record) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_COUNT = `insert into attempt_counts (source_id, hour, name, count, last_seen_at) values (?, ?, ?, ?, ?)
  on conflict (source_id, hour, name) do update
  set count = count + excluded.count, last_seen_at = max(last_seen_at, excluded.last_seen_at)`;
const COUNTS = `select source_id as sourceId, hour, name, count, last_seen_at as lastSeenAt
  from attempt_counts where source_id = ? and hour >= ? order by hour, name`;
const RECENT_COUNTS = `
  select source_id as sourceId, ?1 as hour, name, sum(count) as count, max(last_seen_at) as lastSeenAt
  from attempt_counts where hour >= ?1 and name in ('succeeded', 'failed', 'plan_warning', 'plan_violation') group by source_id, name`;

const COUNT_SLICE_ROWS = 1_000;
const DELETE_COUNTS = `delete from attempt_counts where (source_id, hour, name) in
  (select source_id, hour, name from attempt_counts where hour < ? limit ${COUNT_SLICE_ROWS})`;
const ERASURE_SLICE_ROWS = 200;
const SELECT_ERASURE_CANDIDATES = `select seq, received_at as receivedAt, anonymous_id as anonymousId, record from attempts
  where seq in (select seq from attempts where source_id = ? and kind in (0, 1) and other in (0, 1) and seq > ?
    order by seq limit ${ERASURE_SLICE_ROWS}) order by seq`;

/** Bytes that the columns and indexes of a row take besides its record. */
const ROW_BYTES = 400;
/** Slices that one call of `maintain` deletes. */
const MAINTAIN_SLICES = 10;
const COUNT_RETENTION_MS = SERVER_LIMITS.attemptRetentionSeconds * 1_000 + DAY_MS;

interface RecordRow {
  seq: number;
  kind: number;
  record: Uint8Array;
}
interface ErasableRow {
  seq: number;
  receivedAt: number;
  anonymousId: string | null;
  record: Uint8Array;
}

function prepareFile(database: DatabaseSync): void {
  database.exec(PRAGMAS);
  const version = database.prepare("pragma user_version").get()?.user_version;
  if (version !== VERSION) database.exec(`begin; ${DROP_TABLES} ${TABLES} commit;`);
}

function insertAttempt(sql: Statements, retention: Retention, row: AttemptRow): void {
  const { sourceId, origin, sessionId, anonymousId, attemptId, receivedAt } = row;
  const record = compressSync(row.record);
  const facts: RetentionFacts = {
    sourceId,
    kind: ATTEMPT_KINDS.indexOf(row.kind),
    other: row.outcome === "succeeded" ? 0 : 1,
    code: row.code,
    bytes: ROW_BYTES + record.length,
  };
  const { kind, other, code, bytes } = facts;
  const outcome = ATTEMPT_OUTCOMES.indexOf(row.outcome);
  retention.beforeInsert(facts);
  const filterValues = [sourceId, kind, other, outcome, code, origin, sessionId, anonymousId];
  sql.run(INSERT, ...filterValues, attemptId, receivedAt, bytes, record);
}

function whereOf(conditions: readonly Condition[]) {
  const where = conditions.map(([column, comparison]) => `${column} ${comparison} ?`);
  // columns without a filter get a condition too, so that SQLite uses the index up to `seq`
  for (const column of ["kind", "other"])
    if (!conditions.some(([name]) => name === column)) where.push(`${column} in (0, 1)`);
  return { where: where.join(" and "), values: conditions.map(([, , value]) => value) };
}

/** The inner select finds the rows in an index, so that only the records that are returned are read. */
function selectAttempts(sql: Statements, filter: AttemptFilter): StoredAttempt[] {
  const { conditions, order } = attemptQuery(filter);
  const { where, values } = whereOf(conditions);
  const select = `select seq, kind, record from attempts where seq in (select seq from attempts
    where ${where} order by seq ${order} limit ?) order by seq ${order}`;
  return sql.all<RecordRow>(select, ...values, filter.limit).flatMap(({ seq, kind: number, record }) => {
    const kind = ATTEMPT_KINDS[number];
    return kind ? [{ seq, kind, record: decompressSync(record).toString() }] : [];
  });
}

function groupAttempts(sql: Statements, filter: AttemptGroupFilter): AttemptGroup[] {
  const { where, values } = whereOf(attemptGroupConditions(filter));
  const select = `select origin, outcome, code, count(*) as requests from attempts where ${where}
    group by origin, outcome, code order by requests desc, origin, code`;
  return toAttemptGroups(sql.all<AttemptGroupRow>(select, ...values));
}

/** The visitors' attempts in one slice of a source. */
function findErased(sql: Statements, { visitors, after }: ErasureSlice) {
  const { sourceIndex = 0, afterSeq = 0 } = after ?? {};
  const sourceId = sourcesOf(visitors)[sourceIndex];
  if (sourceId === undefined) return { erased: [], next: null };
  const isTheirs = createAttemptFilter(visitorsIn(visitors, sourceId));
  const slice = sql.all<ErasableRow>(SELECT_ERASURE_CANDIDATES, sourceId, afterSeq);
  const erased = slice.filter((row) => isTheirs({ ...row, record: decompressSync(row.record).toString() }));
  const end = slice.length === ERASURE_SLICE_ROWS ? slice.at(-1) : undefined;
  const next: Cursor = end ? { sourceIndex, afterSeq: end.seq } : { sourceIndex: sourceIndex + 1 };
  return { erased, next };
}

export function openAttempts(path: string, options: AttemptStoreOptions): AttemptStore {
  const { storeBytes, mode = "create" } = options;
  if (mode === "create") makePrivateFile(path);
  const database = connect(mode === "create" ? path : existingFile(path), prepareFile);
  const sql = createStatements(database);
  const retention = createRetention(sql, storeBytes);

  /** A failed transaction leaves retention's totals wrong, so they are reset. */
  const transaction = <T>(work: () => T): T => {
    try {
      return sql.transaction(work);
    } catch (error) {
      retention.reset();
      throw error;
    }
  };
  const deleteSlice = (now: number): boolean => {
    const hasMoreExpired = retention.deleteExpired(now - SERVER_LIMITS.attemptRetentionSeconds * 1_000);
    const hasMoreExcess = retention.deleteExcess();
    const hasMoreCounts = sql.run(DELETE_COUNTS, now - COUNT_RETENTION_MS) === COUNT_SLICE_ROWS;
    return hasMoreExpired || hasMoreExcess || hasMoreCounts;
  };

  return {
    recordAttempts: ({ rows, counts }) =>
      transaction(() => {
        for (const row of rows) insertAttempt(sql, retention, row);
        for (const { sourceId, hour, name, count, lastSeenAt } of counts)
          sql.run(ADD_COUNT, sourceId, hour, name, count, lastSeenAt);
        retention.deleteExcess();
      }),

    attempts: (filter) => selectAttempts(sql, filter),
    attemptGroups: (filter) => groupAttempts(sql, filter),

    attemptCounts: ({ sourceId, sinceHour }) =>
      sql.all<AttemptCount>(COUNTS, sourceId, sinceHour).map((count) => ({ ...count })),

    recentAttemptCounts: ({ sinceHour }) => sql.all<AttemptCount>(RECENT_COUNTS, sinceHour),

    eraseAttempts(asked) {
      const { erased, next } = findErased(sql, asked);
      using _ = overwriteDeleted(database);
      transaction(() => {
        for (const { seq } of erased) sql.run("delete from attempts where seq = ?", seq);
      });
      if (erased.length > 0) retention.reset();
      return { next };
    },

    maintain({ now }) {
      let hasMore = true;
      for (let slice = 0; hasMore && slice < MAINTAIN_SLICES; slice++)
        hasMore = transaction(() => deleteSlice(now));
      return hasMore;
    },

    close: () => database.close(),
  };
}

/**
 * The debug history on SQLite: attempts and their counters, and kept events, in a file of their own. Losing it loses
 * history, never an accepted event, so a commit does not wait for the disk. Runs in the attempts thread.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { SERVER_LIMITS } from "../../core/limits.ts";
import {
  ATTEMPT_COUNTS,
  ATTEMPT_ROW_BYTES,
  type AttemptGroup,
  attemptGroupQuery,
  attemptQuery,
  attemptSums,
  expiryTimes,
  IS_ANY_KIND,
  MAX_EXPIRY_SLICES,
  RECENT_COUNTS,
} from "../attempt-queries.ts";
import { compressSync, decompressSync } from "../compression.ts";
import { createKeptEvents, type KeptDatabase } from "../kept-events.ts";
import { keptTables } from "../kept-queries.ts";
import type { AttemptLedger, Ledger, QuarantineLedger } from "../ledger.ts";
import type { AttemptCount, AttemptRow, Cursor, StoredAttempt } from "../records.ts";
import { createAttemptFilter, type RecordedAttempt } from "../visitor-attempts.ts";
import { type ErasureSlice, sourcesOf, visitorsIn } from "../visitors.ts";
import { AttemptRetention } from "./attempt-retention.ts";
import { connect, existingFile, makePrivateFile } from "./database.ts";
import { overwriteDeleted, Statements, type Synchronous } from "./statements.ts";

type AttemptReads = AttemptLedger & Pick<Ledger, "recentAttemptCounts">;
export interface AttemptStore
  extends Synchronous<AttemptReads & Pick<Ledger, "eraseAttempts">>,
    QuarantineLedger {
  /** Deletes expired rows, a bounded number; true when there are more. */
  maintain(at: { now: number }): boolean;
  close(): void;
}

interface AttemptStoreOptions {
  /** Maximum bytes of the history. Beyond them the oldest attempts are deleted. */
  storeBytes: number;
  /** Maximum bytes of the kept events. */
  quarantineBytes?: number;
  /** `existing`: the file was open before, and opening fails if it is missing. Default: it is created if missing. */
  mode?: "create" | "existing";
}

/** A file of another version is emptied: it has a week of history, and kept events of a month at most. */
const VERSION = 2;
/** `other` is 0 for an attempt that succeeded, and 1 for any other outcome. */
const TABLES = `
  create table attempts (seq integer primary key autoincrement, source_id text not null, kind text not null,
    other integer not null, outcome text not null, code text, origin text, session_id text, anonymous_id text,
    attempt_id text not null, received_at integer not null, bytes integer not null, record blob not null);
  create index attempts_source on attempts (source_id, kind, other, seq, outcome, code, bytes);
  create index attempts_succeeded on attempts (seq) where other = 0;
  create table attempt_counts (source_id text not null, hour integer not null, name text not null,
    count integer not null, last_seen_at integer not null, primary key (source_id, hour, name)) without rowid;
  create index attempt_counts_hour on attempt_counts (hour);
  ${keptTables("integer primary key autoincrement", "blob").join("; ")};
  pragma user_version = ${VERSION};
`;
const DROP_TABLES = ["attempts", "attempt_counts", "kept_events", "kept_totals"]
  .map((table) => `drop table if exists ${table};`)
  .join(" ");
/** A record of 15 KB of JSON takes 2 to 4 KB and fits into a page. The WAL is checkpointed every 16 MiB. */
const PRAGMAS = `
  pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16384;
  pragma wal_autocheckpoint = 2000; pragma journal_size_limit = 67108864; pragma temp_store = memory; pragma secure_delete = fast;
`;

const INSERT = `insert into attempts (source_id, kind, outcome, other, code, origin, session_id, anonymous_id,
  attempt_id, received_at, bytes, record) values (?1, ?2, ?3, ?3 <> 'succeeded', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`;
const ADD_COUNT = `insert into attempt_counts (source_id, hour, name, count, last_seen_at) values (?, ?, ?, ?, ?)
  on conflict (source_id, hour, name) do update
  set count = count + excluded.count, last_seen_at = max(last_seen_at, excluded.last_seen_at)`;

const ATTEMPT_SUMS = {
  outcomes: attemptSums("json_each(?1)", "outcomes"),
  all: attemptSums("json_each(?1)", "all"),
};

const COUNT_SLICE_ROWS = 1_000;
const DELETE_COUNTS = `delete from attempt_counts where (source_id, hour, name) in
  (select source_id, hour, name from attempt_counts where hour < ? limit ${COUNT_SLICE_ROWS})`;
const ERASURE_SLICE_ROWS = 200;
const ERASURE_CANDIDATES = `select seq, received_at as receivedAt, anonymous_id as anonymousId, record from attempts
  where seq in (select seq from attempts where source_id = ? and ${IS_ANY_KIND} and other in (0, 1) and seq > ?
    order by seq limit ${ERASURE_SLICE_ROWS}) order by seq`;

/** A stored attempt, whose record is compressed. */
type Packed<Row> = Omit<Row, "record"> & { record: Uint8Array };
const unpack = <Row>({ record, ...row }: Packed<Row>) => ({
  ...row,
  record: decompressSync(record).toString(),
});

/** SQLite's rows have no prototype. */
const copyAll = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));

function prepareFile(database: DatabaseSync): void {
  database.exec(PRAGMAS);
  const version = database.prepare("pragma user_version").get()?.user_version;
  if (version !== VERSION) database.exec(`begin; ${DROP_TABLES} ${TABLES} commit;`);
}

/** @returns the bytes that the row takes */
function insertAttempt(sql: Statements, row: AttemptRow): number {
  const { sourceId, kind, outcome, code, origin, sessionId, anonymousId, attemptId, receivedAt } = row;
  const record = compressSync(row.record);
  const bytes = ATTEMPT_ROW_BYTES + record.length;
  const filterValues = [sourceId, kind, outcome, code, origin, sessionId, anonymousId];
  sql.run(INSERT, ...filterValues, attemptId, receivedAt, bytes, record);
  return bytes;
}

const createReads = (sql: Statements): Omit<Synchronous<AttemptReads>, "recordAttempts"> => ({
  attempts(filter) {
    const { sql: select, values } = attemptQuery(filter);
    return sql.all<Packed<StoredAttempt>>(select, ...values).map((row) => unpack<StoredAttempt>(row));
  },
  attemptGroups(filter) {
    const { sql: select, values } = attemptGroupQuery(filter);
    return copyAll(sql.all<AttemptGroup>(select, ...values));
  },
  attemptCounts: ({ sourceId, sinceHour }) =>
    copyAll(sql.all<AttemptCount>(ATTEMPT_COUNTS, sourceId, sinceHour)),
  attemptSums: ({ sourceIds, sinceHour, names }) =>
    copyAll(sql.all<AttemptCount>(ATTEMPT_SUMS[names], JSON.stringify(sourceIds), sinceHour)),
  recentAttemptCounts: ({ sinceHour }) => sql.all<AttemptCount>(RECENT_COUNTS, sinceHour),
});

/** The visitors' attempts in one slice of a source. */
function findErased(sql: Statements, { visitors, after }: ErasureSlice) {
  const { sourceIndex = 0, afterSeq = 0 } = after ?? {};
  const sourceId = sourcesOf(visitors)[sourceIndex];
  if (sourceId === undefined) return { erased: [], next: null };
  const isTheirs = createAttemptFilter(visitorsIn(visitors, sourceId));
  const slice = sql.all<Packed<RecordedAttempt> & { seq: number }>(ERASURE_CANDIDATES, sourceId, afterSeq);
  const erased = slice.filter((row) => isTheirs(unpack<RecordedAttempt>(row)));
  const end = slice.length === ERASURE_SLICE_ROWS ? slice.at(-1) : undefined;
  const next: Cursor = end ? { sourceIndex, afterSeq: end.seq } : { sourceIndex: sourceIndex + 1 };
  return { erased, next };
}

function createKeptMethods(
  sql: Statements,
  database: DatabaseSync,
  quarantineBytes: number,
): QuarantineLedger {
  const keptDatabase: KeptDatabase = {
    all: async <Row>(statement: string, values: readonly SQLInputValue[]) =>
      sql.all<Row>(statement, ...values),
    // the thread runs one call at a time, so nothing comes between the statements
    transaction: (work) => sql.asyncTransaction(() => work(keptDatabase)),
  };
  const methods = createKeptEvents(keptDatabase, quarantineBytes);
  return {
    ...methods,
    async eraseKept(asked) {
      using _ = overwriteDeleted(database);
      await methods.eraseKept(asked);
    },
  };
}

export function openAttempts(path: string, options: AttemptStoreOptions): AttemptStore {
  const { storeBytes, quarantineBytes = SERVER_LIMITS.quarantineBytes, mode = "create" } = options;
  if (mode === "create") makePrivateFile(path);
  const database = connect(mode === "create" ? path : existingFile(path), prepareFile);
  const sql = new Statements(database);
  const retention = new AttemptRetention(sql, storeBytes);

  const transaction = <T>(work: () => T): T => {
    try {
      return sql.transaction(work);
    } catch (error) {
      retention.forgetBytes();
      throw error;
    }
  };
  const deleteSlice = (now: number): boolean => {
    const before = expiryTimes(now);
    const hasMoreExpired = retention.deleteExpired(before.attempts);
    const hasMoreExcess = retention.fit();
    const hasMoreCounts = sql.run(DELETE_COUNTS, before.counts) === COUNT_SLICE_ROWS;
    return hasMoreExpired || hasMoreExcess || hasMoreCounts;
  };

  return {
    recordAttempts: ({ rows, counts }) =>
      transaction(() => {
        const addedBytes = rows.reduce((sum, row) => sum + insertAttempt(sql, row), 0);
        for (const { sourceId, hour, name, count, lastSeenAt } of counts)
          sql.run(ADD_COUNT, sourceId, hour, name, count, lastSeenAt);
        retention.makeRoom(rows, addedBytes);
      }),

    ...createReads(sql),
    ...createKeptMethods(sql, database, quarantineBytes),

    eraseAttempts(asked) {
      const { erased, next } = findErased(sql, asked);
      using _ = overwriteDeleted(database);
      transaction(() => {
        for (const { seq } of erased) sql.run("delete from attempts where seq = ?", seq);
      });
      if (erased.length > 0) retention.forgetBytes();
      return { next };
    },

    maintain({ now }) {
      let hasMore = true;
      for (let slice = 0; hasMore && slice < MAX_EXPIRY_SLICES; slice++)
        hasMore = transaction(() => deleteSlice(now));
      return hasMore;
    },

    close: () => database.close(),
  };
}

/**
 * Attempts and their counters in a SQLite file of their own: what is lost with it is history, never an event,
 * so that it may commit without waiting for the disk. Synchronous; it belongs into a thread.
 */

import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES } from "@headwater/contract/attempts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { AttemptCount, AttemptFilter, AttemptRow, Cursor, StoredAttempt } from "../../core/records.ts";
import { attemptQuery } from "../attempt-filter.ts";
import { compressSync, decompressSync } from "../compression.ts";
import type { ErasureSlice } from "../ledger.ts";
import { createAttemptFilter } from "../visitor-attempts.ts";
import { sourcesOf, visitorsIn } from "../visitors.ts";
import { createRetention, type KeptRow, type Retention } from "./attempts-kept.ts";
import { connect, existingFile, makeFolder } from "./database.ts";
import { inTransaction } from "./transaction.ts";

export interface AttemptStore {
  /** One transaction; what it makes superfluous is deleted in it. */
  recordAttempts(batch: { rows: AttemptRow[]; counts: AttemptCount[] }): void;
  /** Newest first, or with `after` oldest first. */
  attempts(filter: AttemptFilter): StoredAttempt[];
  attemptCounts(asked: { sourceId: string; sinceHour: number }): AttemptCount[];
  recentAttemptCounts(asked: { sinceHour: number }): AttemptCount[];
  eraseAttempts(slice: ErasureSlice): { next: Cursor | null };
  /** Deletes what is past its time, some slices of it; true when there is more to do. */
  maintain(now: number): boolean;
  close(): void;
}

/** Another version's file is emptied: its attempts are a week's history at most. */
const VERSION = 2;
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
const DROP = "drop table if exists attempts; drop table if exists attempt_counts;";
/** Rows of 15 KB of JSON take 2 to 4 KB and then fit into a page; the log is copied back every 16 MiB and never grows far beyond. */
const PRAGMAS = `
  pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16384;
  pragma wal_autocheckpoint = 2000; pragma journal_size_limit = 67108864; pragma temp_store = memory;
`;
/** What the columns and indexes of a row take beside its record. */
const ROW_BYTES = 400;
const MAINTAIN_SLICES = 10;
const ERASE_SLICE = 200;
const COUNT_RETENTION_MS = (SERVER_LIMITS.attemptRetentionSeconds + 86_400) * 1_000;

type PackedAttempt = { seq: number; receivedAt: number; anonymousId: string | null; record: Uint8Array };

/** @param again it was open before: a file that is missing is not made anew */
export function openAttempts(
  path: string,
  options: { storeBytes: number },
  again: "again" | null = null,
): AttemptStore {
  if (!again) makeFolder(dirname(path));
  const db = connect(again ? existingFile(path) : path, prepareFile);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const retention = createRetention(prepared, options.storeBytes);

  /** After a failure what was counted in memory is read anew. */
  const transaction = <T>(work: () => T): T => {
    try {
      return inTransaction(db, work);
    } catch (error) {
      retention.forget();
      throw error;
    }
  };

  return {
    recordAttempts: ({ rows, counts }) =>
      transaction(() => {
        retention.load();
        for (const row of rows) insert(prepared, retention, row);
        for (const count of counts) addCount(prepared, count);
        retention.prune();
      }),

    attempts: (filter) => select(prepared, filter),

    attemptCounts({ sourceId, sinceHour }) {
      const sql = `select source_id as sourceId, hour, name, count, last_seen_at as lastSeenAt
        from attempt_counts where source_id = ? and hour >= ? order by hour, name`;
      const counts = prepared(sql).all(sourceId, sinceHour) as unknown as AttemptCount[];
      return counts.map((count) => ({ ...count }));
    },

    recentAttemptCounts({ sinceHour }) {
      const sql = `select source_id as sourceId, ?1 as hour, name, sum(count) as count, max(last_seen_at) as lastSeenAt
        from attempt_counts where hour >= ?1 and name in ('succeeded', 'failed') group by source_id, name`;
      return prepared(sql).all(sinceHour) as unknown as AttemptCount[];
    },

    eraseAttempts({ visitors, after }) {
      const { sourceIndex = 0, afterSeq = 0 } = after ?? {};
      const sourceId = sourcesOf(visitors)[sourceIndex];
      if (sourceId === undefined) return { next: null };
      const isWanted = createAttemptFilter(visitorsIn(visitors, sourceId));
      const sql = `select seq, received_at as receivedAt, anonymous_id as anonymousId, record from attempts
        where seq in (select seq from attempts where source_id = ? and kind in (0, 1) and other in (0, 1) and seq > ?
          order by seq limit ${ERASE_SLICE}) order by seq`;
      const rows = prepared(sql).all(sourceId, afterSeq) as unknown as PackedAttempt[];
      const gone = rows.filter((row) => isWanted({ ...row, record: decompressSync(row.record).toString() }));
      transaction(() => {
        for (const { seq } of gone) prepared("delete from attempts where seq = ?").run(seq);
      });
      // what is left is counted anew
      if (gone.length > 0) retention.forget();
      const last = rows.length < ERASE_SLICE ? undefined : rows.at(-1);
      return { next: last ? { sourceIndex, afterSeq: last.seq } : { sourceIndex: sourceIndex + 1 } };
    },

    maintain(now) {
      const slice = () => {
        retention.load();
        const expired = retention.expire(now - SERVER_LIMITS.attemptRetentionSeconds * 1_000);
        const over = retention.prune();
        return [expired, over, expireCounts(prepared, now - COUNT_RETENTION_MS)].includes(true);
      };
      let more = true;
      for (let done = 0; more && done < MAINTAIN_SLICES; done++) more = transaction(slice);
      return more;
    },

    close: () => db.close(),
  };
}

type Prepared = (sql: string) => StatementSync;

function prepareFile(db: DatabaseSync): void {
  db.exec(PRAGMAS);
  const version = db.prepare("pragma user_version").get() as { user_version: number };
  if (version.user_version !== VERSION) db.exec(`begin; ${DROP} ${TABLES} commit;`);
}

function insert(prepared: Prepared, retention: Retention, row: AttemptRow): void {
  const record = compressSync(row.record);
  const kept: KeptRow = {
    source_id: row.sourceId,
    kind: ATTEMPT_KINDS.indexOf(row.kind),
    other: row.outcome === "succeeded" ? 0 : 1,
    code: row.code,
    bytes: ROW_BYTES + record.length,
  };
  const sql = `insert into attempts (source_id, kind, other, outcome, code, origin, session_id, anonymous_id,
    attempt_id, received_at, bytes, record) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  const { origin, sessionId, anonymousId, attemptId, receivedAt } = row;
  const outcome = ATTEMPT_OUTCOMES.indexOf(row.outcome);
  const facts = [kept.source_id, kept.kind, kept.other, outcome, kept.code, origin, sessionId, anonymousId];
  prepared(sql).run(...facts, attemptId, receivedAt, kept.bytes, record);
  retention.added(kept);
}

function addCount(prepared: Prepared, { sourceId, hour, name, count, lastSeenAt }: AttemptCount): void {
  const sql = `insert into attempt_counts (source_id, hour, name, count, last_seen_at) values (?, ?, ?, ?, ?)
    on conflict (source_id, hour, name) do update
    set count = count + excluded.count, last_seen_at = max(last_seen_at, excluded.last_seen_at)`;
  prepared(sql).run(sourceId, hour, name, count, lastSeenAt);
}

function expireCounts(prepared: Prepared, before: number): boolean {
  const sql = `delete from attempt_counts where (source_id, hour, name) in
    (select source_id, hour, name from attempt_counts where hour < ? limit 1000)`;
  return prepared(sql).run(before).changes === 1_000;
}

/** The rows are chosen by the index first, so that no record is read that is not answered. */
function select(prepared: Prepared, filter: AttemptFilter): StoredAttempt[] {
  const { conditions, order } = attemptQuery(filter);
  const where = conditions.map(([column, comparison]) => `${column} ${comparison} ?`);
  // what is not asked for is named all the same, so that the index goes on to the number
  if (filter.kind === undefined) where.push("kind in (0, 1)");
  if (filter.outcome === undefined) where.push("other in (0, 1)");
  const values = conditions.map(([, , value]) => value);
  const sql = `select seq, kind, record from attempts where seq in (select seq from attempts
    where ${where.join(" and ")} order by seq ${order} limit ?) order by seq ${order}`;
  const rows = prepared(sql).all(...values, filter.limit) as {
    seq: number;
    kind: number;
    record: Uint8Array;
  }[];
  return rows.map(({ seq, kind, record }) => ({
    seq,
    kind: ATTEMPT_KINDS[kind]!,
    record: decompressSync(record).toString(),
  }));
}

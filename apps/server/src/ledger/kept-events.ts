/**
 * Events that sources keep although they did not store them, for both engines. On SQLite they are in the file of the debug
 * history. When they take too many bytes, the oldest events of the source that takes the most are deleted: a flood of one
 * source leaves the events of the others.
 */
import { compressSync, decompressSync } from "./compression.ts";
import {
  ADD_EVICTED,
  ADD_KEPT,
  ADD_SKIPPED,
  DELETE_EMPTY_TOTALS,
  DELETE_OLDEST,
  deleteKept,
  ERASE_KEPT,
  EXPIRE_EVICTED,
  EXPIRE_KEPT,
  EXPIRE_SKIPPED,
  KEPT_BYTES,
  KEPT_COLUMNS,
  KEPT_GROUPS,
  KEPT_SLICE_ROWS,
  KEPT_SOURCES,
  KEPT_TOTALS,
  keptCountQuery,
  keptPageQuery,
  LARGEST_SOURCE,
  RECODE_KEPT,
  SUBTRACT_KEPT,
} from "./kept-queries.ts";
import type { QuarantineLedger } from "./ledger.ts";
import type { KeptGroupRecord, KeptRow, KeptTotals, StoredKeptEvent, VisitorToErase } from "./records.ts";

export type KeptValue = string | number | null | Uint8Array;

/** The database of an engine. */
export interface KeptDatabase {
  /** Runs a statement and returns its rows. */
  all<Row extends object>(sql: string, values: readonly KeptValue[]): Promise<Row[]>;
  /** Runs a transaction. One runs at a time over all nodes. */
  transaction<T>(work: (database: KeptDatabase) => Promise<T>): Promise<T>;
}

/** Bytes that the columns and indexes of a row take besides its record. */
const ROW_BYTES = 400;
const INSERTED_AT_ONCE = 50;
/** A full quarantine deletes this many events at once. */
const EVICTED_AT_ONCE = 100;
/** How often one call does so: it frees more than a call adds. */
const MAX_EVICTIONS = 20;

const toValues = ({ record, ...row }: KeptRow): KeptValue[] => {
  const { sourceId, code, name, origin, anonymousId, userId, receivedAt } = row;
  const packed = compressSync(record);
  return [sourceId, code, name, origin, anonymousId, userId, receivedAt, ROW_BYTES + packed.length, packed];
};

const insertStatement = (rows: number): string => {
  const tuple = (_: unknown, row: number) =>
    `(${KEPT_COLUMNS.map((__, column) => `?${row * KEPT_COLUMNS.length + column + 1}`).join()})`;
  return `insert into kept_events (${KEPT_COLUMNS.join()}) values ${Array.from({ length: rows }, tuple).join()}
    returning source_id as "sourceId", bytes`;
};

interface RowBytes {
  bytes: number;
}
const sumOf = (rows: readonly RowBytes[]) => rows.reduce((sum, { bytes }) => sum + bytes, 0);

async function insertAll(database: KeptDatabase, rows: readonly KeptRow[]): Promise<void> {
  const inserted: (RowBytes & { sourceId: string })[] = [];
  for (let start = 0; start < rows.length; start += INSERTED_AT_ONCE) {
    const some = rows.slice(start, start + INSERTED_AT_ONCE);
    inserted.push(
      ...(await database.all<(typeof inserted)[number]>(
        insertStatement(some.length),
        some.flatMap(toValues),
      )),
    );
  }
  for (const [sourceId, own] of Map.groupBy(inserted, (row) => row.sourceId))
    await database.all(ADD_KEPT, [sourceId, own.length, sumOf(own)]);
}

/** Deletes the oldest events of the largest source while all events take too many bytes. */
async function evict(database: KeptDatabase, storeBytes: number, now: number): Promise<void> {
  for (let round = 0; round < MAX_EVICTIONS; round++) {
    const [total] = await database.all<RowBytes>(KEPT_BYTES, []);
    const [largest] = await database.all<{ sourceId: string }>(LARGEST_SOURCE, []);
    if (!total || !largest || total.bytes <= storeBytes) return;
    const { sourceId } = largest;
    const deleted = await database.all<RowBytes>(DELETE_OLDEST, [sourceId, EVICTED_AT_ONCE]);
    await database.all(SUBTRACT_KEPT, [sourceId, deleted.length, sumOf(deleted)]);
    await database.all(ADD_EVICTED, [sourceId, deleted.length, now]);
  }
}

async function eraseVisitor(
  database: KeptDatabase,
  { kind, id, until, sourceIds }: VisitorToErase,
): Promise<void> {
  if (sourceIds.length === 0) return;
  const inSources = sourceIds.map((_, index) => `?${index + 3}`).join();
  const sql = `${ERASE_KEPT[kind]} and source_id in (${inSources}) returning source_id as "sourceId", bytes`;
  const erased = await database.all<RowBytes & { sourceId: string }>(sql, [id, until, ...sourceIds]);
  for (const [sourceId, own] of Map.groupBy(erased, (row) => row.sourceId))
    await database.all(SUBTRACT_KEPT, [sourceId, own.length, sumOf(own)]);
}

type PackedEvent = Omit<StoredKeptEvent, "record"> & { record: Uint8Array };

/** @param storeBytes the maximum bytes of all kept events */
export const createKeptEvents = (database: KeptDatabase, storeBytes: number): QuarantineLedger => ({
  keepEvents: ({ rows, skipped, now }) =>
    database.transaction(async (transaction) => {
      await insertAll(transaction, rows);
      for (const [sourceId, requests] of Object.entries(skipped))
        await transaction.all(ADD_SKIPPED, [sourceId, requests, now]);
      await evict(transaction, storeBytes, now);
    }),

  async keptTotals({ sourceId }) {
    const [totals] = await database.all<KeptTotals>(KEPT_TOTALS, [sourceId]);
    return totals ? { ...totals } : null;
  },

  async keptGroups({ sourceId, limit }) {
    const groups = await database.all<KeptGroupRecord>(KEPT_GROUPS, [sourceId, limit]);
    return groups.map((group) => ({ ...group }));
  },

  async keptEvents(page) {
    const { sql, values } = keptPageQuery(page);
    const events = await database.all<PackedEvent>(sql, values);
    return events.map(({ record, ...event }) => ({ ...event, record: decompressSync(record).toString() }));
  },

  async countKept(selection) {
    const { sql, values } = keptCountQuery(selection);
    const [count] = await database.all<{ events: number; lastSeq: number }>(sql, values);
    return { events: count?.events ?? 0, lastSeq: count?.lastSeq ?? 0 };
  },

  settleKept: ({ sourceId, stored, recoded }) =>
    database.transaction(async (transaction) => {
      if (stored.length > 0) {
        const deleted = await transaction.all<RowBytes>(deleteKept(stored.length), [sourceId, ...stored]);
        await transaction.all(SUBTRACT_KEPT, [sourceId, deleted.length, sumOf(deleted)]);
      }
      for (const { seq, code } of recoded) await transaction.all(RECODE_KEPT, [sourceId, seq, code]);
    }),

  async keptSources() {
    const rows = await database.all<{ sourceId: string }>(KEPT_SOURCES, []);
    return rows.map(({ sourceId }) => sourceId);
  },

  expireKept: ({ sourceId, before }) =>
    database.transaction(async (transaction) => {
      const expired = await transaction.all<RowBytes>(EXPIRE_KEPT, [sourceId, before]);
      await transaction.all(SUBTRACT_KEPT, [sourceId, expired.length, sumOf(expired)]);
      for (const sql of [EXPIRE_EVICTED, EXPIRE_SKIPPED]) await transaction.all(sql, [sourceId, before]);
      await transaction.all(DELETE_EMPTY_TOTALS, [sourceId]);
      return expired.length === KEPT_SLICE_ROWS;
    }),

  eraseKept: ({ visitors }) =>
    database.transaction(async (transaction) => {
      for (const visitor of visitors) await eraseVisitor(transaction, visitor);
    }),
});

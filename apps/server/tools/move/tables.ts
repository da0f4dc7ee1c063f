/** What a move copies: one TableCopy for each table, or for each group of tables that become one. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { decompressSync } from "../../src/ledger/compression.ts";
import { buildPayload, joinLines, parseEvent, readLinesSync } from "../../src/ledger/outbox-payload.ts";
import { ATTEMPT_ROW_BYTES } from "../../src/ledger/postgres/attempts.ts";
import type { Queryable } from "../../src/ledger/postgres/connections.ts";

const PAGE_ROWS = 2_000;
/** Rows of these two tables are large. */
const PAGE_OUTBOX_ROWS = 20;
const PAGE_RECENT_KEY_ROWS = 100;
const KEY_BYTES = 16;

export type LedgerRow = Record<string, SQLOutputValue>;
/** The ordering columns of the last row of a page, as JSON can store them. */
export type MovePosition = (string | number)[];

export interface TableCopy {
  /** Progress is stored under this name. */
  name: string;
  /** Reads the page after a position. An empty page is the end. */
  readPage(after: MovePosition | null): { rows: LedgerRow[]; last: MovePosition };
  writePage(rows: LedgerRow[]): Promise<unknown>;
}

/** Both ends of a copy. */
export interface CopyEnds {
  database: DatabaseSync;
  target: Queryable;
}

const toPositionValue = (value: SQLOutputValue | undefined): string | number =>
  typeof value === "number" ? value : String(value);
const toBytes = (value: SQLOutputValue | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array(0);

/** PostgreSQL does not accept NUL in text; SQLite does. */
const replaceNul = (_: string, value: unknown) =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;

/** Copies a table that is the same in both engines. @param order the columns of a unique key */
export function copyTable({ database, target }: CopyEnds, name: string, order: readonly string[]): TableCopy {
  const columns = order.join(", ");
  const marks = order.map(() => "?").join(", ");
  const rest = `order by ${columns} limit ${PAGE_ROWS}`;
  const first = database.prepare(`select * from ${name} ${rest}`);
  const next = database.prepare(`select * from ${name} where (${columns}) > (${marks}) ${rest}`);
  return {
    name,
    readPage: (after) => {
      const rows = after ? next.all(...after) : first.all();
      const last = rows.at(-1);
      return { rows, last: last ? order.map((column) => toPositionValue(last[column])) : [] };
    },
    writePage: (rows) =>
      target.query(
        `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1)`,
        [JSON.stringify(rows, replaceNul)],
      ),
  };
}

/** SQLite stores records of attempts compressed, PostgreSQL stores them as text. */
export function copyAttempts(ends: CopyEnds): TableCopy {
  const copy = copyTable(ends, "attempts", ["seq"]);
  const unpack = (row: LedgerRow): LedgerRow => {
    const record = decompressSync(toBytes(row.record)).toString();
    return { ...row, record, bytes: ATTEMPT_ROW_BYTES + Buffer.byteLength(record) };
  };
  return { ...copy, writePage: (rows) => copy.writePage(rows.map(unpack)) };
}

const writeKeys = (target: Queryable, keys: readonly string[]) =>
  target.query("insert into moved_keys select unnest($1::uuid[]) on conflict do nothing", [
    `{${keys.join()}}`,
  ]);

/** Copies the keys of a generation. They do not name their source, so they get a table of their own. */
export function copyKeys({ database, target }: CopyEnds, table: string): TableCopy {
  const first = database.prepare(`select hex(key) as key from ${table} order by key limit ${PAGE_ROWS}`);
  const next = database.prepare(
    `select hex(key) as key from ${table} where key > unhex(?) order by key limit ${PAGE_ROWS}`,
  );
  return {
    name: table,
    readPage: (after) => {
      const rows = after ? next.all(...after) : first.all();
      return { rows, last: [toPositionValue(rows.at(-1)?.key)] };
    },
    writePage: (rows) =>
      writeKeys(
        target,
        rows.map(({ key }) => String(key)),
      ),
  };
}

/** The keys in a row of `recent_keys`, 32 hex digits each. */
export function readRecentKeys({ keys }: LedgerRow): string[] {
  const hex = Buffer.from(toBytes(keys)).toString("hex");
  return hex.match(new RegExp(`.{${2 * KEY_BYTES}}`, "g")) ?? [];
}

/** Copies the newest keys, which are in no generation yet. */
export function copyRecentKeys({ database, target }: CopyEnds): TableCopy {
  const next = database.prepare(
    `select seq, keys from recent_keys where seq > ? order by seq limit ${PAGE_RECENT_KEY_ROWS}`,
  );
  return {
    name: "recent_keys",
    readPage: (after) => {
      const rows = next.all(after?.[0] ?? 0);
      return { rows, last: [toPositionValue(rows.at(-1)?.seq)] };
    },
    writePage: (rows) => writeKeys(target, rows.flatMap(readRecentKeys)),
  };
}

const INSERT_OUTBOX = `
  with added as (insert into outbox (source_id, events, created_at, skipped, payload) values ($1, $2, $3, '{}', $4))
  insert into outbox_totals values ($1, $2, length($4))
  on conflict (source_id) do update
  set events = outbox_totals.events + excluded.events, bytes = outbox_totals.bytes + excluded.bytes`;

/** A row of the outbox holds events of several sources in SQLite, and of one source in PostgreSQL. */
export function copyOutbox({ database, target }: CopyEnds): TableCopy {
  const next = database.prepare(`select * from outbox where seq > ? order by seq limit ${PAGE_OUTBOX_ROWS}`);
  return {
    name: "outbox",
    readPage: (after) => {
      const rows = next.all(after?.[0] ?? 0);
      return { rows, last: [toPositionValue(rows.at(-1)?.seq)] };
    },
    writePage: async (rows) => {
      for (const { created_at: createdAt, payload } of rows) {
        const lines = readLinesSync({ payload: toBytes(payload), skipped: [] });
        for (const [sourceId, own] of Map.groupBy(lines, ({ json }) => parseEvent(json).sourceId)) {
          const packed = await buildPayload(joinLines(own));
          await target.query(INSERT_OUTBOX, [sourceId, own.length, createdAt, packed]);
        }
      }
    },
  };
}

/** How each table is copied when a ledger moves from SQLite to PostgreSQL: one `TableCopy` for each table of SQLite. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { ATTEMPT_ROW_BYTES } from "../../src/ledger/attempt-queries.ts";
import { decompressSync } from "../../src/ledger/compression.ts";
import { readHead } from "../../src/ledger/outbox-line.ts";
import { buildPayload, joinLines, readLinesSync } from "../../src/ledger/outbox-payload.ts";
import type { Queryable } from "../../src/ledger/postgres/connections.ts";

/** Rows that are read at once. */
const PAGE_ROWS = 2_000;
/** Fewer, because rows of the outbox and of the recent keys are large. */
const OUTBOX_PAGE_ROWS = 20;
const RECENT_KEYS_PAGE_ROWS = 100;
const KEY_BYTES = 16;

type LedgerRow = Record<string, SQLOutputValue>;
/** The values of the ordering columns in the last row of a page, as JSON values. */
export type MovePosition = (string | number)[];

/** Reads a table of SQLite page by page, and writes each page to PostgreSQL. */
export interface TableCopy {
  /** Progress is stored under this name. */
  name: string;
  /** Reads the page after a position; null: the first page. An empty page is the end. */
  readPage(after: MovePosition | null): { rows: LedgerRow[]; last: MovePosition };
  writePage(rows: LedgerRow[]): Promise<unknown>;
}

/** The databases that a copy reads and writes. */
interface CopyEnds {
  sqlite: DatabaseSync;
  postgres: Queryable;
}

const toPositionValue = (value: SQLOutputValue | undefined): string | number =>
  typeof value === "number" ? value : String(value);
const toBytes = (value: SQLOutputValue | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array(0);

/** For a table that is the same in both engines. @param order the columns of a unique key */
export function tableCopy({ sqlite, postgres }: CopyEnds, name: string, order: readonly string[]): TableCopy {
  const columns = order.join(", ");
  const placeholders = order.map(() => "?").join(", ");
  const rest = `order by ${columns} limit ${PAGE_ROWS}`;
  const first = sqlite.prepare(`select * from ${name} ${rest}`);
  const next = sqlite.prepare(`select * from ${name} where (${columns}) > (${placeholders}) ${rest}`);
  return {
    name,
    readPage: (after) => {
      const rows = after ? next.all(...after) : first.all();
      const last = rows.at(-1);
      return { rows, last: last ? order.map((column) => toPositionValue(last[column])) : [] };
    },
    writePage: (rows) =>
      postgres.query(
        `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1)`,
        [JSON.stringify(rows)],
      ),
  };
}

/** For attempts. SQLite stores their records compressed, PostgreSQL stores them as text. */
export function attemptsCopy(ends: CopyEnds): TableCopy {
  const copy = tableCopy(ends, "attempts", ["seq"]);
  const unpack = (row: LedgerRow): LedgerRow => {
    const record = decompressSync(toBytes(row.record)).toString();
    return { ...row, record, bytes: ATTEMPT_ROW_BYTES + Buffer.byteLength(record) };
  };
  return { ...copy, writePage: (rows) => copy.writePage(rows.map(unpack)) };
}

/** For kept events, whose records both engines store compressed. */
export function keptCopy(ends: CopyEnds): TableCopy {
  const copy = tableCopy(ends, "kept_events", ["seq"]);
  const toText = (row: LedgerRow): LedgerRow => ({
    ...row,
    record: `\\x${Buffer.from(toBytes(row.record)).toString("hex")}`,
  });
  return { ...copy, writePage: (rows) => copy.writePage(rows.map(toText)) };
}

/** The generation that takes new keys, as for events that are accepted. */
export const NEWEST_SLOT = "select slot from key_generations order by generation desc limit 1";

const writeKeys = (postgres: Queryable, keys: readonly string[]) =>
  postgres.query(`select add_keys((${NEWEST_SLOT}), $1, '{}')`, [`{${keys.join()}}`]);

/** For a generation of dedup keys. */
export function generationCopy({ sqlite, postgres }: CopyEnds, table: string): TableCopy {
  const first = sqlite.prepare(`select hex(key) as key from ${table} order by key limit ${PAGE_ROWS}`);
  const next = sqlite.prepare(
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
        postgres,
        rows.map(({ key }) => String(key)),
      ),
  };
}

/** The keys in a row of `recent_keys`, 32 hex digits each. */
export function readRecentKeys({ keys }: LedgerRow): string[] {
  const hex = Buffer.from(toBytes(keys)).toString("hex");
  return hex.match(new RegExp(`.{${2 * KEY_BYTES}}`, "g")) ?? [];
}

/** For the newest dedup keys, which are in no generation yet. */
export function recentKeysCopy({ sqlite, postgres }: CopyEnds): TableCopy {
  const next = sqlite.prepare(
    `select seq, keys from recent_keys where seq > ? order by seq limit ${RECENT_KEYS_PAGE_ROWS}`,
  );
  return {
    name: "recent_keys",
    readPage: (after) => {
      const rows = next.all(after?.[0] ?? 0);
      return { rows, last: [toPositionValue(rows.at(-1)?.seq)] };
    },
    writePage: (rows) => writeKeys(postgres, rows.flatMap(readRecentKeys)),
  };
}

const INSERT_OUTBOX = `
  with added as (insert into outbox (source_id, events, created_at, skipped, payload) values ($1, $2, $3, '{}', $4))
  insert into outbox_totals values ($1, $2, length($4))
  on conflict (source_id) do update
  set events = outbox_totals.events + excluded.events, bytes = outbox_totals.bytes + excluded.bytes`;

/** For the outbox. A row holds events of several sources in SQLite, and of one source in PostgreSQL. */
export function outboxCopy({ sqlite, postgres }: CopyEnds): TableCopy {
  const next = sqlite.prepare(`select * from outbox where seq > ? order by seq limit ${OUTBOX_PAGE_ROWS}`);
  return {
    name: "outbox",
    readPage: (after) => {
      const rows = next.all(after?.[0] ?? 0);
      return { rows, last: [toPositionValue(rows.at(-1)?.seq)] };
    },
    writePage: async (rows) => {
      for (const { created_at: createdAt, payload } of rows) {
        const lines = readLinesSync({ payload: toBytes(payload), skipped: [] });
        for (const [sourceId, sourceLines] of Map.groupBy(lines, ({ bytes }) => readHead(bytes).sourceId)) {
          const packed = await buildPayload(joinLines(sourceLines));
          await postgres.query(INSERT_OUTBOX, [sourceId, sourceLines.length, createdAt, packed]);
        }
      }
    },
  };
}

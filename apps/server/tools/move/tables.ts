/** What a move takes along, one kind of thing after the other, each page by page. */
import type { DatabaseSync } from "node:sqlite";
import { decompressSync } from "../../src/ledger/compression.ts";
import { buildPayload, joinLines, parseEvent, readLinesSync } from "../../src/ledger/outbox-payload.ts";
import { ROW_BYTES } from "../../src/ledger/postgres/attempts.ts";
import type { Connection } from "../../src/ledger/postgres/connections.ts";

const PAGE_ROWS = 2_000;
export const KEY_BYTES = 16;

export type Row = Record<string, string | number | null | Uint8Array>;
export type Place = (string | number)[];

/** The file may hold what no other store takes. */
const withoutNul = (_: string, value: unknown) =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;

/** One kind of thing, page by page. `page` reads what follows a place; `put` writes it. */
export interface Course {
  name: string;
  page(after: Place | null): { rows: Row[]; last: Place };
  put(rows: Row[]): Promise<unknown>;
}

export function tableCourse(
  database: DatabaseSync,
  target: Connection,
  name: string,
  order: readonly string[],
): Course {
  const columns = order.join(", ");
  const marks = order.map(() => "?").join(", ");
  const rest = `order by ${columns} limit ${PAGE_ROWS}`;
  const first = database.prepare(`select * from ${name} ${rest}`);
  const next = database.prepare(`select * from ${name} where (${columns}) > (${marks}) ${rest}`);
  return {
    name,
    page: (after) => {
      const rows = (after ? next.all(...after) : first.all()) as Row[];
      const last = rows.at(-1);
      return { rows, last: last ? order.map((column) => last[column] as string | number) : [] };
    },
    put: (rows) =>
      target.query(
        `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1)`,
        [JSON.stringify(rows, withoutNul)],
      ),
  };
}

/** The file holds records packed, the database as they are. */
export function attemptsCourse(database: DatabaseSync, target: Connection): Course {
  const course = tableCourse(database, target, "attempts", ["seq"]);
  const unpacked = (row: Row): Row => {
    const record = decompressSync(row.record as Uint8Array).toString();
    return { ...row, record, bytes: ROW_BYTES + Buffer.byteLength(record) };
  };
  return { ...course, put: (rows) => course.put(rows.map(unpacked)) };
}

const putKeys = (target: Connection, keys: string[]) =>
  target.query("insert into moved_keys select unnest($1::uuid[]) on conflict do nothing", [
    `{${keys.join()}}`,
  ]);

/** The keys of a generation; their source is not known any more, so they are kept by themselves for as long as promised. */
export function keysCourse(database: DatabaseSync, target: Connection, table: string): Course {
  const first = database.prepare(`select hex(key) as key from ${table} order by key limit ${PAGE_ROWS}`);
  const next = database.prepare(
    `select hex(key) as key from ${table} where key > unhex(?) order by key limit ${PAGE_ROWS}`,
  );
  return {
    name: table,
    page: (after) => {
      const rows = (after ? next.all(...after) : first.all()) as Row[];
      return { rows, last: [rows.at(-1)?.key as string] };
    },
    put: (rows) =>
      putKeys(
        target,
        rows.map(({ key }) => key as string),
      ),
  };
}

/** The newest keys, many a row. */
export function recentKeysCourse(database: DatabaseSync, target: Connection): Course {
  const after = database.prepare("select seq, keys from recent_keys where seq > ? order by seq limit 100");
  const keysOf = ({ keys }: Row) => {
    const text = Buffer.from(keys as Uint8Array).toString("hex");
    return text.match(new RegExp(`.{${2 * KEY_BYTES}}`, "g")) ?? [];
  };
  return {
    name: "recent_keys",
    page: (place) => {
      const rows = after.all(place?.[0] ?? 0) as Row[];
      return { rows, last: [rows.at(-1)?.seq as number] };
    },
    put: (rows) => putKeys(target, rows.flatMap(keysOf)),
  };
}

/** A row of the embedded outbox holds events of several sources, one of PostgreSQL those of one. */
export function outboxCourse(database: DatabaseSync, target: Connection): Course {
  const after = database.prepare("select * from outbox where seq > ? order by seq limit 20");
  const put = async ({ created_at: createdAt, payload }: Row) => {
    const lines = readLinesSync({ payload: payload as Uint8Array, skipped: [] });
    for (const [sourceId, own] of Map.groupBy(lines, ({ json }) => parseEvent(json).sourceId)) {
      const bytes = await buildPayload(joinLines(own));
      await target.query(
        `with put as (insert into outbox (source_id, events, created_at, skipped, payload) values ($1, $2, $3, '{}', $4))
         insert into outbox_totals values ($1, $2, length($4))
         on conflict (source_id) do update
         set events = outbox_totals.events + excluded.events, bytes = outbox_totals.bytes + excluded.bytes`,
        [sourceId, own.length, createdAt, bytes],
      );
    }
  };
  return {
    name: "outbox",
    page: (place) => {
      const rows = after.all(place?.[0] ?? 0) as Row[];
      return { rows, last: [rows.at(-1)?.seq as number] };
    },
    put: async (rows) => {
      for (const row of rows) await put(row);
    },
  };
}

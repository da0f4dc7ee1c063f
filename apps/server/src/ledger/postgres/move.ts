/**
 * An embedded ledger taken to PostgreSQL, a page a transaction. How far it came is written in the same transaction, so
 * that a move that was interrupted goes on where it stopped, and nothing is there twice.
 */
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompressSync } from "node:zlib";
import type pg from "pg";
import { type Connection, connectAlone } from "./connections.ts";
import { storageErrorOf } from "./failure.ts";
import { openFirstGeneration } from "./generations.ts";
import { migrate } from "./migrations.ts";

const compress = promisify(zstdCompress);
const PAGE_ROWS = 2_000;
const KEY_BYTES = 16;

export class TargetInUse extends Error {
  override readonly name = "TargetInUse";
}

/** What was in the ledger and what is in PostgreSQL, for one kind of thing. */
export interface Moved {
  name: string;
  from: number;
  to: number;
}

interface Parts {
  ledger: DatabaseSync;
  /** The debug history; null: there is none. */
  attempts: DatabaseSync | null;
  target: Connection;
  now: number;
  /** Told after each page. */
  onPage(name: string, rows: number): void;
}

/** Tables that are the same in both engines, with what orders their rows. */
const OF_LEDGER: Readonly<Record<string, readonly string[]>> = {
  organizations: ["organization_id"],
  members: ["organization_id", "user_id"],
  tokens: ["token_id"],
  sign_in_codes: ["hash"],
  sources: ["source_id"],
  source_keys: ["public_key"],
  source_activity: ["source_id"],
  usage: ["source_id", "day"],
  audit: ["seq"],
  sessions: ["source_id", "session_id"],
};
const OF_ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  attempts: ["seq"],
  attempt_counts: ["source_id", "hour", "name"],
};

type Row = Record<string, string | number | null | Uint8Array>;
type Place = (string | number)[];

/** The file may hold what no other store takes. */
const withoutNul = (_: string, value: unknown) =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;

/** One kind of thing, page by page. `page` reads what follows a place; `put` writes it. */
interface Course {
  name: string;
  page(after: Place | null): { rows: Row[]; last: Place };
  put(rows: Row[]): Promise<unknown>;
}

function tableCourse(
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

const putKeys = (target: Connection, keys: string[]) =>
  target.query("insert into moved_keys select unnest($1::uuid[]) on conflict do nothing", [
    `{${keys.join()}}`,
  ]);

/** The keys of a generation; their source is not known any more, so they are kept by themselves for as long as promised. */
function keysCourse(database: DatabaseSync, target: Connection, table: string): Course {
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
function recentKeysCourse(database: DatabaseSync, target: Connection): Course {
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
function outboxCourse(database: DatabaseSync, target: Connection): Course {
  const after = database.prepare("select * from outbox where seq > ? order by seq limit 20");
  const put = async ({ created_at: createdAt, payload }: Row) => {
    const lines = zstdDecompressSync(payload as Uint8Array)
      .toString()
      .split("\n");
    const bySource = Map.groupBy(lines, (line) => (JSON.parse(line) as { sourceId: string }).sourceId);
    for (const [sourceId, own] of bySource) {
      const bytes = await compress(own.join("\n"));
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

async function follow({ target, onPage }: Parts, course: Course): Promise<void> {
  const found = await target.query("select place from move_progress where name = $1", [course.name]);
  let place = found.rows[0] ? (JSON.parse(found.rows[0].place) as Place) : null;
  for (;;) {
    const { rows, last } = course.page(place);
    if (rows.length === 0) return;
    await target.query("begin");
    try {
      await course.put(rows);
      await target.query(
        "insert into move_progress values ($1, $2) on conflict (name) do update set place = excluded.place",
        [course.name, JSON.stringify(last)],
      );
      await target.query("commit");
    } catch (error) {
      await target.query("rollback").catch(() => undefined);
      throw error;
    }
    place = last;
    onPage(course.name, rows.length);
  }
}

const keyTables = (ledger: DatabaseSync): string[] =>
  ledger
    .prepare("select generation from key_generations where retired = 0 order by generation")
    .all()
    .map(({ generation }) => `event_keys_${generation}`);

/** A database that somebody works with is no target, and one that another ledger moved to is none either. */
async function claim({ target, now }: Parts): Promise<void> {
  const { rows } = await target.query(`select (select count(*) from move_progress) as pages,
    (select count(*) from organizations) as workspaces,
    (select count(*) from nodes where seen_at > clock_timestamp() - interval '10 s') as nodes`);
  const { pages, workspaces, nodes } = rows[0];
  if (nodes > 0) throw new TargetInUse("A service works with that database. Stop it first.");
  if (pages === 0 && workspaces > 0)
    throw new TargetInUse("That database holds a ledger already. Give one that is empty.");
  await target.query("insert into moves select $1 where not exists (select from moves)", [now]);
}

/** Numbers go on after the highest that came along; what is summed up is summed up anew. */
async function finish({ target }: Parts): Promise<void> {
  for (const table of ["audit", "attempts"]) {
    await target.query(
      `select setval(pg_get_serial_sequence('${table}', 'seq'), greatest((select max(seq) from ${table}), 1))`,
    );
  }
  await target.query("update attempt_totals set bytes = (select coalesce(sum(bytes), 0) from attempts)");
}

async function compare({ ledger, attempts, target }: Parts): Promise<Moved[]> {
  const here = (database: DatabaseSync, sql: string) => Number(database.prepare(sql).get()!.n);
  const there = async (sql: string) => Number((await target.query(sql)).rows[0].n);
  const rows = async (database: DatabaseSync, name: string): Promise<Moved> => {
    const sql = `select count(*) as n from ${name}`;
    return { name, from: here(database, sql), to: await there(sql) };
  };
  const filed = keyTables(ledger).map((table) => `select key from ${table}`);
  const all: Moved[] = [];
  for (const name of Object.keys(OF_LEDGER)) all.push(await rows(ledger, name));
  all.push({
    name: "keys of events",
    from: here(ledger, `select count(*) as n from (${filed.join(" union ")})`) + recentOnly(ledger),
    to: await there("select count(*) as n from moved_keys"),
  });
  all.push({
    name: "events not shipped",
    from: here(ledger, "select coalesce(sum(events), 0) as n from outbox"),
    to: await there("select coalesce(sum(events), 0) as n from outbox"),
  });
  for (const name of attempts ? Object.keys(OF_ATTEMPTS) : []) all.push(await rows(attempts!, name));
  return all;
}

/** Recent keys that are in no generation yet. */
function recentOnly(ledger: DatabaseSync): number {
  const lookUps = keyTables(ledger).map((table) => ledger.prepare(`select 1 from ${table} where key = ?`));
  const seen = new Set<string>();
  for (const { keys } of ledger.prepare("select keys from recent_keys").iterate() as Iterable<Row>) {
    const bytes = Buffer.from(keys as Uint8Array);
    for (let at = 0; at < bytes.length; at += KEY_BYTES) {
      const key = bytes.subarray(at, at + KEY_BYTES);
      if (!lookUps.some((lookUp) => lookUp.get(key))) seen.add(key.toString("hex"));
    }
  }
  return seen.size;
}

/** A database whose schema is up to date, and that may take its time. */
export async function openTarget(url: string): Promise<pg.Client> {
  try {
    const target = await connectAlone(url);
    await migrate(target);
    await openFirstGeneration(target);
    return target;
  } catch (error) {
    throw storageErrorOf(error);
  }
}

/**
 * Nobody else may write to either of the two meanwhile.
 * @returns what there is on both sides, to be compared
 * @throws TargetInUse
 */
export const moveLedger = (parts: Parts): Promise<Moved[]> =>
  moveAll(parts).catch((error: unknown) => {
    throw storageErrorOf(error);
  });

async function moveAll(parts: Parts): Promise<Moved[]> {
  const { ledger, attempts, target } = parts;
  await claim(parts);
  const courses = [
    ...Object.entries(OF_LEDGER).map(([name, order]) => tableCourse(ledger, target, name, order)),
    ...keyTables(ledger).map((table) => keysCourse(ledger, target, table)),
    recentKeysCourse(ledger, target),
    outboxCourse(ledger, target),
    ...(attempts
      ? Object.entries(OF_ATTEMPTS).map(([name, order]) => tableCourse(attempts, target, name, order))
      : []),
  ];
  for (const course of courses) await follow(parts, course);
  await finish(parts);
  return compare(parts);
}

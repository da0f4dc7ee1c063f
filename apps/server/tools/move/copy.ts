/**
 * An embedded ledger taken to PostgreSQL, a page a transaction. How far it came is written in the same transaction, so
 * that a move that was interrupted goes on where it stopped, and nothing is there twice.
 */
import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { admitMove, finishMove } from "../../src/ledger/postgres/admission.ts";
import { connectAlone } from "../../src/ledger/postgres/connections.ts";
import { storageErrorOf } from "../../src/ledger/postgres/failure.ts";
import { openFirstGeneration } from "../../src/ledger/postgres/generations.ts";
import { migrate } from "../../src/ledger/postgres/migrations.ts";
import {
  attemptsCourse,
  type Course,
  KEY_BYTES,
  keysCourse,
  outboxCourse,
  type Place,
  type Row,
  recentKeysCourse,
  tableCourse,
} from "./tables.ts";

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
  target: pg.Client;
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
  erasures: ["receipt_id"],
  sessions: ["source_id", "session_id"],
};
const OF_ATTEMPTS = {
  attempts: ["seq"],
  attempt_counts: ["source_id", "hour", "name"],
} as const satisfies Record<string, readonly string[]>;

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

/** Numbers go on after the highest that came along; what is summed up is summed up anew. */
async function sumUp({ target }: Parts): Promise<void> {
  for (const table of ["audit", "attempts"]) {
    await target.query(
      `select setval(pg_get_serial_sequence('${table}', 'seq'), greatest((select max(seq) from ${table}), 1))`,
    );
  }
  // pages were opened on the way, and are sealed anew
  await target.query("update erasures set status = 'ledger', pages = '[]' where finished_at is null");
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
 * Nobody else may write to either of the two meanwhile. The move is finished, and the database may be served from, when
 * the same is on both sides.
 * @returns what there is on both sides
 * @throws TargetInUse
 */
export const moveLedger = (parts: Parts): Promise<Moved[]> =>
  moveAll(parts).catch((error: unknown) => {
    throw storageErrorOf(error);
  });

async function moveAll(parts: Parts): Promise<Moved[]> {
  const { ledger, attempts, target } = parts;
  await admitMove(parts);
  const courses = [
    ...Object.entries(OF_LEDGER).map(([name, order]) => tableCourse(ledger, target, name, order)),
    ...keyTables(ledger).map((table) => keysCourse(ledger, target, table)),
    recentKeysCourse(ledger, target),
    outboxCourse(ledger, target),
    ...(attempts
      ? [
          attemptsCourse(attempts, target),
          tableCourse(attempts, target, "attempt_counts", OF_ATTEMPTS.attempt_counts),
        ]
      : []),
  ];
  for (const course of courses) await follow(parts, course);
  await sumUp(parts);
  const moved = await compare(parts);
  if (moved.every(({ from, to }) => from === to)) await finishMove(parts);
  return moved;
}

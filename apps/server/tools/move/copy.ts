/**
 * Copies an embedded ledger to PostgreSQL, one page per transaction. Each transaction also stores the position, so an
 * interrupted move continues where it stopped, and no row is copied twice.
 */
import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { openConnection } from "../../src/ledger/postgres/connections.ts";
import { toStorageError } from "../../src/ledger/postgres/failure.ts";
import { createFirstGeneration } from "../../src/ledger/postgres/maintenance.ts";
import { migrate } from "../../src/ledger/postgres/migrations.ts";
import { beginMove, finishMove } from "../../src/ledger/postgres/move-lock.ts";
import {
  attemptsCopy,
  generationCopy,
  keptCopy,
  type MovePosition,
  NEWEST_SLOT,
  outboxCopy,
  readRecentKeys,
  recentKeysCopy,
  type TableCopy,
  tableCopy,
} from "./tables.ts";

/** How many rows (or events, or keys) of a name the ledger has, and how many PostgreSQL has after the move. */
interface MovedCount {
  name: string;
  from: number;
  to: number;
}

interface MoveDeps {
  dataDir: string;
  ledger: DatabaseSync;
  /** The debug history; null: there is none. */
  attempts: DatabaseSync | null;
  target: pg.Client;
  /** Called after each page. */
  onPage(name: string, rows: number): void;
}

/** Tables that are the same in both engines, with their unique keys. */
const LEDGER_TABLES = {
  organizations: ["organization_id"],
  members: ["organization_id", "user_id"],
  tokens: ["token_id"],
  remembered_sign_ins: ["remembered_id"],
  refreshed_tokens: ["hash"],
  sign_in_codes: ["hash"],
  passkeys: ["passkey_id"],
  profiles: ["user_id"],
  identities: ["issuer", "subject"],
  invitations: ["invitation_id"],
  sources: ["source_id"],
  source_keys: ["public_key"],
  source_activity: ["source_id"],
  event_catalog: ["source_id", "name"],
  tracking_plans: ["source_id", "version"],
  saved_items: ["saved_id"],
  reports: ["report_id"],
  report_links: ["hash"],
  usage: ["source_id", "day"],
  shipped_days: ["source_id", "day"],
  audit: ["seq"],
  erasures: ["receipt_id"],
  replays: ["replay_id"],
  sessions: ["source_id", "session_id"],
} as const satisfies Record<string, readonly string[]>;
const ATTEMPT_TABLES = ["attempts", "attempt_counts", "kept_events", "kept_totals"] as const;

const SAVE_POSITION =
  "insert into move_progress values ($1, $2) on conflict (name) do update set place = excluded.place";

async function readPosition(target: pg.Client, name: string): Promise<MovePosition | null> {
  const { rows } = await target.query<{ place: string }>("select place from move_progress where name = $1", [
    name,
  ]);
  return rows[0] ? JSON.parse(rows[0].place) : null;
}

async function copyAll({ target, onPage }: MoveDeps, copy: TableCopy): Promise<void> {
  let position = await readPosition(target, copy.name);
  for (;;) {
    const { rows, last } = copy.readPage(position);
    if (rows.length === 0) return;
    await target.query("begin");
    try {
      await copy.writePage(rows);
      await target.query(SAVE_POSITION, [copy.name, JSON.stringify(last)]);
      await target.query("commit");
    } catch (error) {
      await target.query("rollback").catch(() => undefined);
      throw error;
    }
    position = last;
    onPage(copy.name, rows.length);
  }
}

const keyTables = (ledger: DatabaseSync): string[] =>
  ledger
    .prepare("select generation from key_generations where retired = 0 order by generation")
    .all()
    .map(({ generation }) => `event_keys_${generation}`);

function tableCopies({ ledger, attempts, target }: MoveDeps): TableCopy[] {
  const ends = { sqlite: ledger, postgres: target };
  const copies = [
    ...Object.entries(LEDGER_TABLES).map(([name, order]) => tableCopy(ends, name, order)),
    ...keyTables(ledger).map((table) => generationCopy(ends, table)),
    recentKeysCopy(ends),
    outboxCopy(ends),
  ];
  if (!attempts) return copies;
  const history = { sqlite: attempts, postgres: target };
  const counts = tableCopy(history, "attempt_counts", ["source_id", "hour", "name"]);
  const kept = [keptCopy(history), tableCopy(history, "kept_totals", ["source_id"])];
  return [...copies, attemptsCopy(history), counts, ...kept];
}

/** Sets sequences after the highest copied number, and computes totals. */
async function updateTotals({ target }: MoveDeps): Promise<void> {
  for (const table of ["audit", "attempts", "kept_events"]) {
    await target.query(
      `select setval(pg_get_serial_sequence('${table}', 'seq'), greatest((select max(seq) from ${table}), 1))`,
    );
  }
  // the move dissolved the sealed pages, so unfinished erasures must start again
  await target.query("update erasures set status = 'ledger', pages = '[]' where finished_at is null");
  await target.query("update attempt_totals set bytes = (select coalesce(sum(bytes), 0) from attempts)");
}

/** The number of recent keys that are in no generation. */
function countUnmergedKeys(ledger: DatabaseSync): number {
  const searches = keyTables(ledger).map((table) => ledger.prepare(`select 1 from ${table} where key = ?`));
  const missing = new Set<string>();
  for (const row of ledger.prepare("select keys from recent_keys").iterate()) {
    for (const key of readRecentKeys(row))
      if (!searches.some((search) => search.get(Buffer.from(key, "hex")))) missing.add(key);
  }
  return missing.size;
}

async function countBoth({ ledger, attempts, target }: MoveDeps): Promise<MovedCount[]> {
  const countHere = (database: DatabaseSync, sql: string) => Number(database.prepare(sql).get()?.n ?? 0);
  const countThere = async (sql: string) => Number((await target.query(sql)).rows[0].n);
  const countTable = async (database: DatabaseSync, name: string): Promise<MovedCount> => {
    const sql = `select count(*) as n from ${name}`;
    return { name, from: countHere(database, sql), to: await countThere(sql) };
  };
  const generationKeys = keyTables(ledger).map((table) => `select key from ${table}`);
  const { slot } = (await target.query(NEWEST_SLOT)).rows[0];
  const unshipped = "select coalesce(sum(events), 0) as n from outbox";
  const counts: MovedCount[] = [];
  for (const name of Object.keys(LEDGER_TABLES)) counts.push(await countTable(ledger, name));
  counts.push({
    name: "keys of events",
    from:
      countHere(ledger, `select count(*) as n from (${generationKeys.join(" union ")})`) +
      countUnmergedKeys(ledger),
    to: await countThere(`select count(*) as n from event_keys_${slot}`),
  });
  counts.push({
    name: "events not shipped",
    from: countHere(ledger, unshipped),
    to: await countThere(unshipped),
  });
  if (attempts) for (const name of ATTEMPT_TABLES) counts.push(await countTable(attempts, name));
  return counts;
}

/** Opens a database without statement timeouts, and brings its schema up to date. */
export async function openTarget(url: string): Promise<pg.Client> {
  try {
    const target = await openConnection(url);
    await migrate(target);
    await createFirstGeneration(target);
    return target;
  } catch (error) {
    throw toStorageError(error);
  }
}

/**
 * Moves the ledger. Nothing else may write to either side meanwhile. The move is finished, and the database can be served
 * from, when both sides have the same counts.
 * @throws TargetInUse
 */
export async function moveLedger(deps: MoveDeps): Promise<MovedCount[]> {
  try {
    await beginMove(deps);
    for (const copy of tableCopies(deps)) await copyAll(deps, copy);
    await updateTotals(deps);
    const counts = await countBoth(deps);
    if (counts.every(({ from, to }) => from === to)) await finishMove(deps);
    return counts;
  } catch (error) {
    throw toStorageError(error);
  }
}

/** A database for each test that wants one, on the cluster that `npm test` started, or on one of this process. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { migrateDatabase } from "../../src/ledger/postgres/migrations.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { type Cluster, query, startCluster } from "./cluster.ts";

let own: Promise<Cluster> | null = null;

/** The URL of the maintenance database. */
async function adminUrl(): Promise<string> {
  const shared = process.env.TEST_POSTGRES_URL;
  if (shared) return shared;
  own ??= startCluster();
  return (await own).url();
}

const withDatabase = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`);

export interface Database {
  url: string;
  remove(): Promise<void>;
}

const TEMPLATE = "headwater_template";
let copying: Promise<string> | null = null;

/** A database with the schema in it is copied faster than the schema is made. */
function copyOfTemplate(admin: string): Promise<string> {
  copying ??= makeTemplate(admin).then(() => howToCopy(admin));
  return copying;
}

/** From PostgreSQL 15 on a copy goes through the log, which takes six times the processor time, unless it is asked for files. */
async function howToCopy(admin: string): Promise<string> {
  const [row] = await query<{ version: number }>(
    admin,
    "select current_setting('server_version_num')::int as version",
  );
  return `template ${TEMPLATE}${row!.version >= 150_000 ? " strategy file_copy" : ""}`;
}

async function makeTemplate(admin: string): Promise<void> {
  const found = await query(admin, "select from pg_database where datname = $1 and datistemplate", [
    TEMPLATE,
  ]);
  if (found.length > 0) return;
  const draft = `${TEMPLATE}_${randomBytes(6).toString("hex")}`;
  await query(admin, `create database ${draft}`);
  await migrateDatabase(withDatabase(admin, draft));
  // another file's process may have been faster
  await query(admin, `alter database ${draft} rename to ${TEMPLATE}`).catch(() => undefined);
  await query(admin, `alter database ${TEMPLATE} is_template true`);
}

export async function createDatabase(name = `test_${randomBytes(6).toString("hex")}`): Promise<Database> {
  const admin = await adminUrl();
  await query(admin, `create database ${name} ${await copyOfTemplate(admin)}`);
  return {
    url: withDatabase(admin, name),
    remove: async () => void (await query(admin, `drop database ${name} with (force)`)),
  };
}

/** A database without the schema. */
export async function createEmptyDatabase(): Promise<Database> {
  const admin = await adminUrl();
  const name = `empty_${randomBytes(6).toString("hex")}`;
  await query(admin, `create database ${name}`);
  return {
    url: withDatabase(admin, name),
    remove: async () => void (await query(admin, `drop database ${name} with (force)`)),
  };
}

const ADDRESS = "database-url";

/** The address of the database that stands for a folder; null: there is none, the ledger is in the folder itself. */
export function addressIn(dataDir: string): string | null {
  const file = join(dataDir, ADDRESS);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

const standFor = (dataDir: string, url: string) => writeFileSync(join(dataDir, ADDRESS), url);

/** The database that stands for a folder, made when it is asked for first. */
export async function databaseOf(dataDir: string): Promise<string> {
  const known = addressIn(dataDir);
  if (known) return known;
  const { url } = await createDatabase();
  standFor(dataDir, url);
  return url;
}

export async function removeDatabaseOf(dataDir: string): Promise<void> {
  const url = addressIn(dataDir);
  if (url) await query(await adminUrl(), `drop database ${url.split("/").at(-1)} with (force)`);
}

/**
 * From now on the database's clock stands there, as far as the ledger asks it.
 * Two nodes of a test may set it at once: PostgreSQL refuses to replace a function twice at a time.
 */
export async function setClock(url: string, now: number): Promise<void> {
  await query(
    url,
    `select pg_advisory_xact_lock(hashtext('ledger_now'));
     create or replace function ledger_now() returns bigint language sql as 'select ${now}::bigint'`,
  );
}

/** A ledger whose database has the time that its upkeep is called at. */
const withClock = (ledger: Ledger, url: string): Ledger => ({
  ...ledger,
  maintain: async (at) => {
    await setClock(url, at.now);
    await ledger.maintain(at);
  },
});

export async function openAt(url: string, now: number, attemptStoreBytes?: number): Promise<Ledger> {
  await setClock(url, now);
  return withClock(
    await openPostgresLedger({ url, ...(attemptStoreBytes ? { attemptStoreBytes } : {}) }),
    url,
  );
}

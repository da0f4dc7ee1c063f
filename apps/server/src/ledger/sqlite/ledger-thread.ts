/** The ledger's thread: the only connection that writes to `ledger.sqlite`, one method at a time (docs/decisions/0001). */
import type { DatabaseSync } from "node:sqlite";
import { serveThread, type ThreadMethod } from "../../core/thread-calls.ts";
import type { CatalogMethods } from "../catalog/methods.ts";
import { createCommit } from "./commit.ts";
import { type Durability, LEDGER_FILE, openDatabase, reopenDatabase } from "./database.ts";
import { openDedupKeys } from "./dedup-keys.ts";
import { createErasureMethods } from "./erasures.ts";
import { describeError } from "./failure.ts";
import { createOutboxMethods, type OutboxStatus, readOutboxStatus } from "./outbox.ts";
import { createReadMethods, createSessionSweep } from "./reads.ts";
import { createStatements, type Statements } from "./statements.ts";

export interface LedgerOpening {
  dataDir: string;
  durability: Durability;
  now: number;
  /** How often the file is checked for changes by other processes. */
  pollMs: number;
}

/** Sent when another process may have changed the ledger; the thread sends nothing else. */
const REMOTE_CHANGE = "remote-change";

/** Writes, so that a full or read-only disk is noticed before a client's commit fails on it. */
function probe(sql: Statements, now: number): OutboxStatus {
  sql.run("insert into heartbeat values (1, ?) on conflict do update set at = excluded.at", now);
  return readOutboxStatus(sql);
}

function createMethods(sql: Statements, now: number) {
  const keys = openDedupKeys(sql, now);
  return {
    commit: createCommit(sql, keys),
    rotateKeys: keys.rotate,
    fillKeyFilters: keys.fillFilters,
    deleteRetiredKeys: keys.deleteRetired,
    probe: (at: { now: number }) => probe(sql, at.now),
    ...createSessionSweep(sql),
    ...createReadMethods(sql),
    ...createOutboxMethods(sql),
    ...createErasureMethods(sql),
  };
}

/** The methods that the thread serves. The main thread calls them through `Calls<LedgerThreadMethods>`. */
export type LedgerThreadMethods = ReturnType<typeof createMethods> & CatalogMethods;

interface Connection {
  database: DatabaseSync;
  sql: Statements;
  methods: Record<string, ThreadMethod>;
  /** null: no method of the catalog has been called yet. */
  catalog: Record<string, ThreadMethod> | null;
  /** SQLite's count of the commits of other processes. */
  dataVersion: number;
}

let opening: LedgerOpening | null = null;
let connection: Connection | null = null;

const readDataVersion = (sql: Statements): number =>
  sql.get<{ data_version: number }>("pragma data_version")?.data_version ?? 0;

function connect(database: DatabaseSync, now: number): Connection {
  try {
    const sql = createStatements(database);
    const dataVersion = readDataVersion(sql);
    return { database, sql, methods: createMethods(sql, now), catalog: null, dataVersion };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Called after an error, because the connection may be broken. The next call opens a new one. */
function disconnect(): void {
  try {
    connection?.database.close();
  } catch {
    // the connection is not used again, so the error does not matter
  }
  connection = null;
}

function connected(): Connection {
  if (connection) return connection;
  if (!opening) throw new Error("the ledger's thread was called before it was opened");
  connection = connect(reopenDatabase(opening.dataDir, opening.durability), opening.now);
  // changes that others made while there was no connection were not counted
  notify(REMOTE_CHANGE);
  return connection;
}

/** Notifies when another process, such as a command, has changed the ledger, so that caches here are dropped. */
function watchRemoteChanges(pollMs: number): void {
  const timer = setInterval(() => {
    if (!connection) return;
    try {
      const dataVersion = readDataVersion(connection.sql);
      if (dataVersion !== connection.dataVersion) notify(REMOTE_CHANGE);
      connection.dataVersion = dataVersion;
    } catch {
      // an error thrown from a timer would end the thread
      disconnect();
    }
  }, pollMs);
  timer.unref();
}

/** The catalog loads Kysely, so it is loaded at its first call: the start does not wait for it. */
async function catalogOf(open: Connection): Promise<Record<string, ThreadMethod>> {
  const { openCatalogOn } = await import("./catalog.ts");
  open.catalog ??= { ...openCatalogOn(open.database) };
  return open.catalog;
}

const notify = serveThread({
  open(given: LedgerOpening) {
    opening = given;
    connection = connect(openDatabase(given.dataDir, given.durability), given.now);
    watchRemoteChanges(given.pollMs);
  },
  find: async (name) => {
    const open = connected();
    return open.methods[name] ?? (await catalogOf(open))[name];
  },
  close: disconnect,
  describeError(thrown) {
    disconnect();
    return describeError(thrown, LEDGER_FILE);
  },
});

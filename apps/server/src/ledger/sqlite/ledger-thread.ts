/** The ledger's thread: the only connection that writes to `ledger.sqlite`, one method at a time (docs/decisions/0001). */
import type { DatabaseSync } from "node:sqlite";
import { serveThread, type ThreadMethod } from "../../core/thread-calls.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type OutboxStatus, StorageError } from "../ledger.ts";
import { createCommit } from "./commit.ts";
import { type Durability, LEDGER_FILE, openDatabase, reopenDatabase } from "./database.ts";
import { DedupKeys } from "./dedup-keys.ts";
import { createErasureMethods } from "./erasures.ts";
import { describeDamage, describeError, toStorageError } from "./failure.ts";
import { createSpaceMethods } from "./free-space.ts";
import { LedgerFiles } from "./ledger-files.ts";
import { createOutboxMethods, readOutboxStatus } from "./outbox.ts";
import { createReadMethods, createSessionSweep } from "./reads.ts";
import { overwriteDeleted, Statements } from "./statements.ts";

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

/** Only one process uses a ledger on SQLite, so a claim that exists at the start belongs to a process that has ended. */
function clearClaims(sql: Statements): void {
  for (const table of ["outbox_pages", "warehouse_checks", "erasures", "replays"])
    sql.run(`update ${table} set claimed_until = 0 where claimed_until > 0`);
}

function createMethods(sql: Statements, now: number) {
  const keys = new DedupKeys(sql, now);
  return {
    commit: createCommit(sql, keys),
    rotateKeys: (at: { now: number }) => keys.rotate(at),
    fillKeyFilters: () => keys.fillFilters(),
    deleteRetiredKeys: () => keys.deleteRetired(),
    probe: (at: { now: number }) => probe(sql, at.now),
    outboxStatus: () => readOutboxStatus(sql),
    ...createSessionSweep(sql),
    ...createReadMethods(sql),
    ...createOutboxMethods(sql),
    ...createErasureMethods(sql),
    ...createSpaceMethods(sql, () => performance.now()),
  };
}

/** The methods that the thread serves. The main thread calls them through `Calls<LedgerThreadMethods>`. */
export type LedgerThreadMethods = ReturnType<typeof createMethods> & typeof ownMethods & Catalog;

/** The methods of a connection. They remember stored data, so they are made anew when a write was undone. */
interface ServedMethods {
  sql: Statements;
  methods: Record<string, ThreadMethod>;
  /** null: no method of the catalog has been called yet. */
  catalog: Record<string, ThreadMethod> | null;
  isOutdated: boolean;
}

interface Connection extends ServedMethods {
  database: DatabaseSync;
  /** SQLite's count of the commits of other processes. */
  dataVersion: number;
  /** Whether SQLite refuses writes. */
  isReadOnly: boolean;
}

/**
 * Methods that may change a ledger whose files were lost or are damaged. It accepts nothing more, but ships the events that
 * can be read.
 */
const SHIPPING: ReadonlySet<string> = new Set(["claimPage", "deletePage", "releasePage"]);

/** Methods whose deleted data, with the id of the visitor, must not stay in unused pages. */
const ERASING: ReadonlySet<string> = new Set(["eraseSessions", "eraseOutbox", "advanceErasures"]);

let opening: LedgerOpening | null = null;
let files: LedgerFiles | null = null;
let connection: Connection | null = null;
/** Why the files in DATA_DIR are not the ledger, until they are again. */
let loss: StorageError | null = null;
/** The first damage that was found. Only a new process, on repaired files, accepts events again. */
let damage: StorageError | null = null;

/** Methods that need no connection. */
const ownMethods = {
  /** A check in another process has found that the file is damaged. */
  reportDamage({ description }: { description: string }): void {
    damage ??= new StorageError(describeDamage(LEDGER_FILE, description), "damaged");
  },
};

const readDataVersion = (sql: Statements): number =>
  sql.get<{ data_version: number }>("pragma data_version")?.data_version ?? 0;

function serveOn(database: DatabaseSync, now: number): ServedMethods {
  const sql = new Statements(database);
  return { sql, methods: createMethods(sql, now), catalog: null, isOutdated: false };
}

function connect(database: DatabaseSync, now: number): Connection {
  try {
    const serving = serveOn(database, now);
    const dataVersion = readDataVersion(serving.sql);
    files?.remember();
    return { ...serving, database, dataVersion, isReadOnly: false };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The next call opens a new connection. */
function disconnect(): void {
  try {
    connection?.database.close();
  } catch {
    // the connection is not used again, so the error does not matter
  }
  connection = null;
}

/**
 * Called after an error, because the connection may be broken. That of a lost ledger is kept: it cannot be opened again. That of
 * a full disk is kept too: it still reads, and a new one needs files of its own, for which there is no room.
 */
function distrustConnection(error: unknown): void {
  if (!connection || loss || damage) return;
  const isFull = error instanceof StorageError && error.kind === "full";
  // a transaction that could not be rolled back ends with its connection
  if (isFull && !connection.database.isTransaction) connection.isOutdated = true;
  else disconnect();
}

function connected(): Connection {
  if (connection && !connection.isOutdated) return connection;
  if (!opening) throw new Error("the ledger's thread was called before it was opened");
  if (connection) return Object.assign(connection, serveOn(connection.database, opening.now));
  files?.requireKept();
  loss = null;
  connection = connect(reopenDatabase(opening.dataDir, opening.durability), opening.now);
  // changes that others made while there was no connection were not counted
  notify(REMOTE_CHANGE);
  return connection;
}

/** A `-wal` that is missing can still be read by this process: its content is saved, and the next call creates a new one. */
function reconnectWhenWalIsLost(): void {
  const problem = connection && files?.findConnectionLoss();
  if (!connection || !problem) return;
  const saved = connection.sql.get<{ log: number; checkpointed: number }>("pragma wal_checkpoint(passive)");
  if (saved?.log === saved?.checkpointed) disconnect();
  throw new StorageError(
    `${problem}. Its content is saved in ${LEDGER_FILE}, and a new one is created`,
    "lost",
  );
}

/** Called once a second, before the probe. @throws StorageError while the ledger may accept nothing */
function examineFiles(): void {
  const hadLoss = loss !== null;
  loss = null;
  try {
    files?.requireKept();
    files?.requireWritable();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    loss = error;
    files?.renameOrphans();
    throw error;
  }
  // the files are back: nothing of the old connection is kept
  if (hadLoss) disconnect();
  else reconnectWhenWalIsLost();
  if (damage) throw damage;
}

/** While the ledger may accept nothing, it is read and shipped. */
function guardWrites(open: Connection, method: string): void {
  const reason = loss ?? damage;
  if (reason && method === "commit") throw reason;
  const isReadOnly = reason !== null && !SHIPPING.has(method);
  if (isReadOnly === open.isReadOnly) return;
  open.database.exec(`pragma query_only = ${isReadOnly ? 1 : 0}`);
  open.isReadOnly = isReadOnly;
}

/** Notifies when another process, such as a command, has changed the ledger, so that caches here are dropped. */
function watchRemoteChanges(pollMs: number): void {
  const timer = setInterval(() => {
    if (!connection) return;
    try {
      const dataVersion = readDataVersion(connection.sql);
      if (dataVersion !== connection.dataVersion) notify(REMOTE_CHANGE);
      connection.dataVersion = dataVersion;
    } catch (error) {
      // an error thrown from a timer would end the thread
      distrustConnection(toStorageError(error));
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

const erasing =
  (database: DatabaseSync, method: ThreadMethod): ThreadMethod =>
  async (argument) => {
    using _ = overwriteDeleted(database);
    return await method(argument);
  };

const notify = serveThread({
  open(given: LedgerOpening) {
    opening = given;
    files = new LedgerFiles(given.dataDir);
    connection = connect(openDatabase(given.dataDir, given.durability), given.now);
    clearClaims(connection.sql);
    watchRemoteChanges(given.pollMs);
  },
  find: async (name) => {
    if (name === "reportDamage") return ownMethods.reportDamage;
    if (name === "probe") examineFiles();
    const open = connected();
    guardWrites(open, name);
    const method = open.methods[name] ?? (await catalogOf(open))[name];
    return method && ERASING.has(name) ? erasing(open.database, method) : method;
  },
  close: disconnect,
  describeError(thrown) {
    const error = toStorageError(thrown, LEDGER_FILE);
    const isStorage = error instanceof StorageError;
    if (isStorage && error.kind === "damaged") damage ??= error;
    distrustConnection(error);
    // every failure of a lost or damaged ledger is explained by that
    return describeError(isStorage ? (loss ?? damage ?? error) : error, LEDGER_FILE);
  },
});

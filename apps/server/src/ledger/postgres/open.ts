/** The ledger on PostgreSQL, shared by any number of nodes (docs/decisions/0009). */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import { createCatalogDb } from "../catalog/database.ts";
import { createCommitQueue } from "../commit-queue.ts";
import type { GroupObserver, Ledger, LedgerLoad, LedgerStatus } from "../ledger.ts";
import { attemptMethods, expireAttempts } from "./attempts.ts";
import { commitGroup } from "./commit.ts";
import {
  CONFIGURED_SYNCHRONOUS_COMMIT,
  openConnection,
  openPool,
  requireSynchronousCommit,
} from "./connections.ts";
import { postgresDialect } from "./dialect.ts";
import { erasureMethods } from "./erasures.ts";
import { toServingError, toStorageError } from "./failure.ts";
import { keptMethods } from "./kept-events.ts";
import { KeyFilters } from "./key-filters.ts";
import { createFirstGeneration, maintainDatabase } from "./maintenance.ts";
import { migrate } from "./migrations.ts";
import { registerNode } from "./move-lock.ts";
import { outboxMethods } from "./outbox.ts";
import { readMethods } from "./reads.ts";
import { RemoteChanges } from "./remote-changes.ts";
import { saltMethods } from "./visitor-salts.ts";
import { holdsPlace, WarehousePlaceStore } from "./warehouse-place.ts";

/** Connections of a node, beside the one that reads changes. A server with 100 connections has room for eight nodes. */
const DATABASE_CONNECTIONS = 10;
/** How many of these connections are used for commits. While some wait for the disk, the others work. */
const DATABASE_COMMIT_CONNECTIONS = 4;

interface PostgresOptions {
  url: string;
  attemptStoreBytes?: number;
  quarantineBytes?: number;
  onGroup?: GroupObserver | undefined;
}

interface PostgresLedger extends Ledger {
  load(): LedgerLoad;
}

const loadOf = (name: string, { totalCount, idleCount, waitingCount }: pg.Pool) => ({
  name,
  total: totalCount,
  idle: idleCount,
  waiting: waitingCount,
});

/** Writes, so that a read-only server is noticed before a commit fails on it. Also counts the nodes. */
const PROBE = `with beat as (
    update nodes set seen_at = clock_timestamp() where node_id = $1
  ), seen as (
    select count(*) + 1 as nodes from nodes where node_id <> $1 and seen_at > clock_timestamp() - $2 * interval '1 ms'
  ), waiting as (
    select coalesce(sum(events), 0)::bigint as events, coalesce(sum(bytes), 0)::bigint as bytes from outbox_totals
  ), oldest as (
    select least((select min(created_at) from outbox where page_id is null), (select min(created_at) from outbox_pages)) as oldest
  ), server as (${CONFIGURED_SYNCHRONOUS_COMMIT})
  select events as "outboxEvents", bytes as "outboxBytes", oldest as "outboxOldestAt", nodes,
    (select url from warehouse_place) as "warehouseUrl", not ${holdsPlace("$3")} as "isWarehouseLost",
    reset_val as synchronous from waiting, seen, oldest, server`;

async function probe(pool: pg.Pool, nodeId: string, holder: string | null): Promise<LedgerStatus> {
  const { rows } = await pool.query(PROBE, [nodeId, SERVER_LIMITS.nodeTimeoutMs, holder]);
  const { synchronous, ...status } = rows[0];
  requireSynchronousCommit(synchronous);
  return status;
}

/** Turns the errors of every method into StorageError. */
function withStorageErrors<T extends object>(methods: T): T {
  const wrapped: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(methods)) {
    wrapped[name] = async (argument: unknown) => {
      try {
        return await method(argument);
      } catch (error) {
        throw toServingError(error);
      }
    };
  }
  // the same methods under the same names
  return wrapped as T;
}

/** @returns the oldest transaction that had not ended when the node was registered */
async function prepareDatabase(url: string, nodeId: string): Promise<string> {
  const client = await openConnection(url);
  try {
    await migrate(client);
    await createFirstGeneration(client);
    return await registerNode(client, nodeId);
  } finally {
    await client.end();
  }
}

/** Methods that store what a node found in its warehouse. They check that no other node has taken it over meanwhile. */
const warehouseMethods = (catalog: Catalog, place: WarehousePlaceStore) =>
  ({
    advanceErasures: (step) =>
      step.from === "ledger"
        ? catalog.advanceErasures(step)
        : place.whileHeld(() => catalog.advanceErasures(step)),
    addShippedDays: (counted) => place.whileHeld(() => catalog.addShippedDays(counted)),
    expireShippedDays: (expired) => place.whileHeld(() => catalog.expireShippedDays(expired)),
    saveWarehouseReport: (outcome) => place.whileHeld(() => catalog.saveWarehouseReport(outcome)),
  }) satisfies Partial<Catalog>;

/** @throws UnfitPostgres, NewerLedger, or StorageError when the server cannot be reached */
export async function openPostgresLedger(options: PostgresOptions): Promise<PostgresLedger> {
  const { url, attemptStoreBytes = SERVER_LIMITS.attemptStoreBytes, onGroup } = options;
  const { quarantineBytes = SERVER_LIMITS.quarantineBytes } = options;
  const nodeId = randomBytes(8).toString("hex");
  const oldest = await prepareDatabase(url, nodeId).catch((error: unknown) => {
    throw toStorageError(error);
  });
  const commitPool = openPool(url, DATABASE_COMMIT_CONNECTIONS);
  const pool = openPool(url, DATABASE_CONNECTIONS - DATABASE_COMMIT_CONNECTIONS);
  const keyFilters = new KeyFilters(pool);
  const place = new WarehousePlaceStore(pool, nodeId);
  const catalog = createCatalog(createCatalogDb(postgresDialect(pool)), () => sql<number>`ledger_now()`);
  const changes = new RemoteChanges({ url, nodeId, oldest, onGap: () => keyFilters.clear() });
  const commits = createCommitQueue((group) => commitGroup(commitPool, keyFilters, group), {
    maxGroups: DATABASE_COMMIT_CONNECTIONS,
    onGroup,
  });

  return {
    ...withStorageErrors({
      ...catalog,
      ...warehouseMethods(catalog, place),
      ...readMethods(pool),
      ...outboxMethods(pool, place),
      ...erasureMethods(pool),
      ...attemptMethods(pool, attemptStoreBytes),
      ...keptMethods(pool, quarantineBytes),
      ...saltMethods(pool),
      ...place.methods(),
      commit: commits.commit,
      isSetUp: async () => (await pool.query("select from organizations limit 1")).rowCount === 1,
      maintain: async ({ now }) => {
        await maintainDatabase(pool, now);
        await expireAttempts(pool, now, attemptStoreBytes);
        await keyFilters.fill();
      },
      // PostgreSQL's autovacuum makes deleted rows reusable by itself
      releaseSpace: async () => undefined,
      probe: () => probe(pool, nodeId, place.holder),
      // the disk belongs to the database server
      freeBytes: async () => Number.POSITIVE_INFINITY,
      outboxStatus: () => probe(pool, nodeId, place.holder),
    } satisfies Omit<Ledger, "notifySessionChanged" | "onRemoteChange" | "close">),
    load: () => ({
      queue: commits.load(),
      pools: [loadOf("commit", commitPool), loadOf("query", pool)],
    }),
    notifySessionChanged: (session) => changes.tell(session),
    onRemoteChange: (listener) => changes.onChange(listener),
    close: async () => {
      // it could write the row again that is deleted next
      await changes.close();
      await pool.query("delete from nodes where node_id = $1", [nodeId]).catch(() => undefined);
      await Promise.all([commitPool.end(), pool.end()]);
    },
  };
}

/** The ledger on PostgreSQL: any number of nodes, one truth. */

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { createCatalog } from "../catalog/catalog.ts";
import { createCatalogDb } from "../catalog/database.ts";
import { createCommitQueue } from "../commit-queue.ts";
import type { Ledger, LedgerStatus } from "../ledger.ts";
import { admitNode } from "./admission.ts";
import { attemptMethods, expireAttempts } from "./attempts.ts";
import { commitAll } from "./commit.ts";
import { checkSynchronous, connectAlone, openPool, SYNCHRONOUS } from "./connections.ts";
import { postgresDialect } from "./dialect.ts";
import { erasureMethods } from "./erasures.ts";
import { servingErrorOf, storageErrorOf } from "./failure.ts";
import { databaseNow, keepUp, openFirstGeneration } from "./generations.ts";
import { createLearnedKeys } from "./learned-keys.ts";
import { migrate } from "./migrations.ts";
import { outboxVerbs } from "./outbox.ts";
import { readMethods } from "./reads.ts";
import { listenForChanges } from "./remote-changes.ts";
import { createTeller } from "./session-notices.ts";

export interface PostgresOptions {
  url: string;
  attemptStoreBytes?: number;
}

/** Writes, so that a server that recovers or only reads is noticed before a client's commit meets it. */
const PROBE = `with beat as (
    insert into nodes values ($1, clock_timestamp()) on conflict (node_id) do update set seen_at = excluded.seen_at
  ), seen as (
    select count(*) + 1 as nodes from nodes where node_id <> $1 and seen_at > clock_timestamp() - $2 * interval '1 ms'
  ), waiting as (
    select coalesce(sum(events), 0)::bigint as events, coalesce(sum(bytes), 0)::bigint as bytes from outbox_totals
  ), oldest as (
    select least((select min(created_at) from outbox where page_id is null), (select min(created_at) from outbox_pages)) as oldest
  ), server as (${SYNCHRONOUS})
  select events, bytes, nodes, oldest, reset_val as synchronous from waiting, seen, oldest, server`;

async function probe(pool: pg.Pool, nodeId: string): Promise<LedgerStatus> {
  const query = { name: "probe", text: PROBE, values: [nodeId, SERVER_LIMITS.nodeSilenceMs] };
  const { events, bytes, nodes, oldest, synchronous } = (await pool.query(query)).rows[0];
  checkSynchronous(synchronous);
  // the disk is the database server's, which says itself when it is full
  return {
    outboxEvents: events,
    outboxBytes: bytes,
    outboxOldestAt: oldest,
    freeBytes: Number.POSITIVE_INFINITY,
    nodes,
  };
}

/** Every verb says of a failure what the port says of it. */
function withStorageErrors<T extends object>(verbs: T): T {
  const entries = Object.entries(verbs).map(([name, verb]) => {
    const run = async (argument: unknown) => {
      try {
        return await (verb as (argument: unknown) => Promise<unknown>)(argument);
      } catch (error) {
        throw servingErrorOf(error);
      }
    };
    return [name, run];
  });
  return Object.fromEntries(entries) as T;
}

async function prepare(url: string, nodeId: string): Promise<void> {
  const client = await connectAlone(url);
  try {
    await migrate(client);
    await openFirstGeneration(client);
    await admitNode(client, nodeId);
  } finally {
    await client.end();
  }
}

/** @throws UnfitPostgres, NewerLedger, or StorageError when it cannot be reached */
export async function openPostgresLedger(options: PostgresOptions): Promise<Ledger> {
  const { url, attemptStoreBytes = SERVER_LIMITS.attemptStoreBytes } = options;
  const nodeId = randomBytes(8).toString("hex");
  await prepare(url, nodeId).catch((error: unknown) => {
    throw storageErrorOf(error);
  });
  const commits = openPool(url, SERVER_LIMITS.databaseCommits);
  const others = openPool(url, SERVER_LIMITS.databaseConnections - SERVER_LIMITS.databaseCommits);
  const changes = listenForChanges(url, nodeId);
  const catalog = createCatalog(createCatalogDb(postgresDialect(others)), () => sql<number>`ledger_now()`);
  /** One that is late must not say of a node that has gone that it is there. */
  let probing: Promise<unknown> = Promise.resolve();
  const teller = createTeller(others, nodeId);
  const learned = createLearnedKeys(others);
  // notifications stopped, so the server may be another by now
  changes.onChange(({ kind }) => kind === "everything" && learned.forget());
  const commit = createCommitQueue(
    (group) => commitAll(commits, learned, group),
    SERVER_LIMITS.databaseCommits,
  );

  return {
    ...withStorageErrors({
      ...catalog,
      ...readMethods(others),
      ...outboxVerbs(others),
      ...erasureMethods(others),
      ...attemptMethods(others, attemptStoreBytes),
      commit,
      isSetUp: async () => (await others.query("select from organizations limit 1")).rowCount === 1,
      // by the one clock that all nodes share, not by the caller's
      maintain: async () => {
        const now = await databaseNow(others);
        await keepUp(others, now);
        await expireAttempts(others, now, attemptStoreBytes);
        await learned.learn();
      },
      probe: () => {
        const status = probe(others, nodeId);
        probing = status.catch(() => undefined);
        return status;
      },
    } satisfies Omit<Ledger, "notifySessionChanged" | "onRemoteChange" | "close">),
    notifySessionChanged: teller.tell,
    onRemoteChange: changes.onChange,
    close: async () => {
      await changes.close();
      await teller.close();
      await probing;
      await others.query("delete from nodes where node_id = $1", [nodeId]).catch(() => undefined);
      await Promise.all([commits.end(), others.end()]);
    },
  };
}

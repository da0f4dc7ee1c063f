/** The inside of the ledger's thread: one connection, one verb at a time. */
import type { DatabaseSync } from "node:sqlite";
import type { Catalog, PageClaim } from "../ledger.ts";
import { prepareAlerts } from "./alerts.ts";
import { prepareCommit } from "./commit.ts";
import { type Durability, openDatabase, reopenDatabase } from "./database.ts";
import { prepareErasures } from "./erasures.ts";
import { openGenerations } from "./generations.ts";
import { refuseMoved } from "./move-mark.ts";
import { prepareOutbox } from "./outbox.ts";
import type { PackedGroup } from "./packing.ts";
import { prepareReads } from "./reads.ts";
import { serveThread } from "./rpc.ts";

export interface Opening {
  dataDir: string;
  durability: Durability;
  now: number;
  pollMs: number;
}

function openStore(database: DatabaseSync, now: number) {
  const generations = openGenerations(database, now);
  return {
    database,
    generations,
    catalog: null as Catalog | null,
    commit: prepareCommit(database, generations),
    ...prepareReads(database),
    ...prepareOutbox(database),
    further: { ...prepareErasures(database), ...prepareAlerts(database) },
  };
}
type Store = ReturnType<typeof openStore>;

/** Its query builder is a quarter of the thread's memory; a server that only takes events never loads it. */
async function openCatalog(database: DatabaseSync): Promise<Catalog> {
  const { openCatalogOn } = await import("./catalog.ts");
  return openCatalogOn(database);
}

let opening: Opening;
let store: Store | null = null;
let version = 0;

/** After an error the connection is not to be trusted: it is dropped, and opened anew by the next verb. */
function drop(): void {
  try {
    store?.database.close();
  } catch {
    // it is being thrown away
  }
  store = null;
}

const dataVersion = (database: DatabaseSync) =>
  (database.prepare("pragma data_version").get() as { data_version: number }).data_version;

/** From here on a change of others is noticed: the count means nothing across connections. */
function take(database: DatabaseSync): Store {
  try {
    refuseMoved(database);
    version = dataVersion(database);
    store = openStore(database, opening.now);
    return store;
  } catch (error) {
    database.close();
    throw error;
  }
}

function opened(): Store {
  if (store) return store;
  const reopened = take(reopenDatabase(opening.dataDir, opening.durability));
  // what others changed while there was no connection, nobody counted
  notify("remote-change");
  return reopened;
}

/** SQLite counts the commits of others; that is how this process learns of a command line's changes. */
function watchRemoteChanges(): void {
  const timer = setInterval(() => {
    if (!store) return;
    try {
      const seen = dataVersion(store.database);
      if (seen !== version) notify("remote-change");
      version = seen;
    } catch {
      // nobody asked, so nobody can be told; thrown, it would end the thread
      drop();
    }
  }, opening.pollMs);
  timer.unref();
}

/** Writes, so that a full or read-only disk is noticed before a client's commit meets it. */
function probe(now: number): { outboxEvents: number; outboxBytes: number; outboxOldestAt: number | null } {
  const { database, outboxOldestAt } = opened();
  database.prepare("insert into heartbeat values (1, ?) on conflict do update set at = excluded.at").run(now);
  const { events, bytes } = database.prepare("select events, bytes from outbox_totals").get() as {
    events: number;
    bytes: number;
  };
  return { outboxEvents: events, outboxBytes: bytes, outboxOldestAt: outboxOldestAt() };
}

const verbs: Record<string, (argument: never) => unknown> = {
  open: (given: Opening) => {
    opening = given;
    take(openDatabase(opening.dataDir, opening.durability));
    watchRemoteChanges();
  },
  commit: (group: PackedGroup) => opened().commit(group),
  sourceByKey: (asked: { publicKey: string; now: number }) => opened().sourceByKey(asked),
  isSetUp: () => opened().isSetUp(),
  session: (asked: { sourceId: string; sessionId: string }) => opened().session(asked),
  turnKeys: ({ now }: { now: number }) => opened().generations.turn(now),
  learnKeys: () => opened().generations.learn(),
  sweepKeys: () => opened().generations.sweep(),
  sweepSessions: ({ now }: { now: number }) => opened().sweepSessions(now),
  claimPage: (asked: PageClaim) => opened().claimPage(asked),
  deletePage: (done: { pageId: string }) => opened().deletePage(done),
  releasePage: (given: { pageId: string; now: number; waitMs: number }) => opened().releasePage(given),
  readOutbox: (asked: { after: number; limit: number }) => opened().readOutbox(asked),
  expireOutbox: (at: { before: number }) => opened().expireOutbox(at),
  probe: ({ now }: { now: number }) => probe(now),
  close: drop,
};

const notify = serveThread(async (verb, argument) => {
  const own = verbs[verb];
  if (own) return own(argument as never);
  const open = opened();
  const further = open.further[verb as keyof typeof open.further] as
    | ((argument: unknown) => unknown)
    | undefined;
  if (further) return further(argument);
  open.catalog ??= await openCatalog(open.database);
  const found = open.catalog[verb as keyof Catalog] as (argument: unknown) => Promise<unknown>;
  return found(argument);
}, drop);

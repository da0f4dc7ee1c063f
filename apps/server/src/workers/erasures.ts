/**
 * Erases visitors: first from the ledger (outbox, sessions, debug history), then, once the pages that were sealed before
 * have been shipped, from the warehouse. The ledger keeps each erasure's status, so that any node can resume it after a
 * restart. Every step may run twice (docs/decisions/0015).
 */
import { createHash } from "node:crypto";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { countDeletions, type Deletion, deleteEvents, literal } from "../clickhouse/deletion.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Cursor, OpenErasure } from "../ledger/records.ts";
import type { DayCount } from "../ledger/warehouse-report.ts";
import { maskString } from "../masking/mask.ts";
import { dropOutdatedRollups } from "../stats/rollups/drop.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** Erasures that share one pass over the ledger and one change of the warehouse. */
const ERASURE_BATCH_SIZE = 50;
/** One node works on an erasure. Another node takes over when it has not renewed its lease for this long. */
const ERASURE_LEASE_MS = 60_000;
const ERASE_IDLE_MS = 1_000;

interface ErasureDeps {
  ledger: Pick<
    Ledger,
    | "claimErasures"
    | "renewErasureLeases"
    | "advanceErasures"
    | "eraseSessions"
    | "eraseOutbox"
    | "eraseAttempts"
    | "eraseKept"
    | "sealedPages"
    | "isErasingWarehouse"
  >;
  warehouse: Pick<Warehouse, "client">;
  /** Whether there is no warehouse and, as far as this node can see, never was one that holds events. */
  isWithoutWarehouse(): boolean;
  /** Resolves when the attempts and the kept events so far are in the ledger. */
  flushAttempts(): Promise<void>;
  /** Resolves when the kept events that are being replayed are in the outbox. */
  replayedSlice(): Promise<void>;
  /** Drops an erased session from the caches of every node. */
  forgetSession(session: { sourceId: string; sessionId: string }): void;
  clock(): number;
  log: WorkerLog;
}

/** How often a long walk renews its lease. */
const RENEW_MS = ERASURE_LEASE_MS / 6;

/** The visitor's id is hashed, because ClickHouse keeps and shows the text of a mutation. */
function toDeletion({ receiptId, visitor }: OpenErasure): Deletion {
  const { sourceIds, kind, id, until } = visitor;
  const hash = createHash("sha256").update(id).digest("hex").toUpperCase();
  const sources = sourceIds.map(literal).join();
  const isVisitor = `hex(SHA256(ifNull(${kind}, ''))) = '${hash}' AND receivedAt <= fromUnixTimestamp64Milli(${until}, 'UTC')`;
  return { name: receiptId, condition: sources === "" ? "0" : `sourceId IN (${sources}) AND ${isVisitor}` };
}

const withStatus = (erasures: readonly OpenErasure[], status: OpenErasure["status"]) =>
  erasures.filter((erasure) => erasure.status === status);

/** The ledger's methods for claimed erasures. */
function createLeases({ ledger, clock }: Pick<ErasureDeps, "ledger" | "clock">) {
  const idsOf = (erasures: readonly OpenErasure[]) => erasures.map(({ receiptId }) => receiptId);
  const hold = async (erasures: readonly OpenErasure[], leaseMs: number) => {
    if (erasures.length === 0) return;
    await ledger.renewErasureLeases({ receiptIds: idsOf(erasures), now: clock(), leaseMs });
  };
  return {
    renew: (erasures: readonly OpenErasure[]) => hold(erasures, ERASURE_LEASE_MS),
    /** A lease that cannot be released ends by itself. */
    release: (erasures: readonly OpenErasure[]) => hold(erasures, 0).catch(() => undefined),
    async move(
      erasures: readonly OpenErasure[],
      from: OpenErasure["status"],
      status: OpenErasure["status"],
      { pages = [], removed }: { pages?: string[]; removed?: DayCount[] } = {},
    ) {
      if (erasures.length === 0) return;
      const step = { receiptIds: idsOf(erasures), from, status, pages, now: clock() };
      await ledger.advanceErasures(removed ? { ...step, removed } : step);
    },
  };
}
type ErasureLeases = ReturnType<typeof createLeases>;

/** Calls `step` for one slice of the ledger after the other, and renews the lease meanwhile. */
async function walkLedger(
  deps: Pick<ErasureDeps, "clock"> & { leases: ErasureLeases; stopping: AbortSignal },
  erasures: readonly OpenErasure[],
  step: (after: Cursor | null) => Promise<{ next: Cursor | null }>,
): Promise<void> {
  let cursor: Cursor | null = null;
  let renewedAt = Number.NEGATIVE_INFINITY;
  do {
    deps.stopping.throwIfAborted();
    if (deps.clock() - renewedAt > RENEW_MS) {
      await deps.leases.renew(erasures);
      renewedAt = deps.clock();
    }
    ({ next: cursor } = await step(cursor));
  } while (cursor !== null);
}

/** @param includeSealed whether to erase from sealed pages too; only without a warehouse, where no page is ever shipped */
async function eraseFromLedger(
  deps: ErasureDeps & { leases: ErasureLeases; stopping: AbortSignal },
  erasures: readonly OpenErasure[],
  includeSealed: boolean,
): Promise<void> {
  const { ledger } = deps;
  const visitors = erasures.map(({ visitor }) => visitor);
  const eraseSessions = () =>
    walkLedger(deps, erasures, async (after) => {
      const { erased, next } = await ledger.eraseSessions({ visitors, after });
      for (const session of erased) deps.forgetSession(session);
      return { next };
    });
  // before the outbox, so that no replay can put an event there afterwards
  await ledger.eraseKept({ visitors });
  await deps.replayedSlice();
  await eraseSessions();
  await walkLedger(deps, erasures, (after) => ledger.eraseOutbox({ visitors, after, sealed: includeSealed }));
  // a commit that read a session just before it was erased may have written it again
  await eraseSessions();
  await deps.flushAttempts();
  await ledger.eraseKept({ visitors });
  // the debug history has ids masked
  const masked = visitors.map((visitor) => ({ ...visitor, id: maskString(visitor.id) }));
  await walkLedger(deps, erasures, (after) => ledger.eraseAttempts({ visitors: masked, after }));
}

const MAX_COUNT_TRIES = 3;

/**
 * Moves erasures whose pages are shipped to the step `warehouse`, when no others are there. The ledger subtracts the events that
 * will be deleted, so that the comparison of the warehouse does not take them for missing ones.
 */
function createWarehouseStep({ ledger, warehouse, log }: ErasureDeps, leases: ErasureLeases) {
  let failures = 0;
  /** An erasure never fails because its events cannot be counted. */
  const countRemoved = async (
    client: WarehouseClient,
    shipped: readonly OpenErasure[],
    cutOff: AbortSignal,
  ) => {
    try {
      const removed = await countDeletions(client, shipped.map(toDeletion), cutOff);
      failures = 0;
      return removed;
    } catch (error) {
      failures += 1;
      if (failures < MAX_COUNT_TRIES) throw error;
      failures = 0;
      log.warn(
        { err: error, receiptIds: shipped.map(({ receiptId }) => receiptId) },
        "the events of erased visitors could not be counted; the warehouse may be reported as incomplete by them",
      );
      return [];
    }
  };
  /** @returns how many erasures were moved */
  return async (shipped: readonly OpenErasure[], cutOff: AbortSignal): Promise<number> => {
    const client = warehouse.client();
    if (!client || shipped.length === 0 || (await ledger.isErasingWarehouse())) return 0;
    await leases.move(shipped, "shipping", "warehouse", {
      removed: await countRemoved(client, shipped, cutOff),
    });
    return shipped.length;
  };
}

/**
 * Deletes visitors from the warehouse, one group at a time: a group fits into the hundred finished mutations that
 * ClickHouse remembers. The group's erasures stay leased until they are done.
 */
function createWarehouseErasure({ warehouse }: ErasureDeps, leases: ErasureLeases) {
  let group: OpenErasure[] = [];
  return {
    group: () => group,
    /** Starts or continues a group. @returns how many erasures are done */
    async advance(ready: OpenErasure[], cutOff: AbortSignal): Promise<number> {
      const client = warehouse.client();
      if (!client) group = [];
      else if (group.length === 0) group = ready;
      if (!client || group.length === 0) return 0;
      const finished = await deleteEvents(client, group.map(toDeletion), cutOff);
      const deleted = group.filter(({ receiptId }) => finished.has(receiptId));
      const sourceIds = [...new Set(deleted.flatMap(({ visitor }) => visitor.sourceIds))];
      const done = (await dropOutdatedRollups(client, sourceIds)) ? deleted : [];
      await leases.move(done, "warehouse", "done");
      group = group.filter((erasure) => !done.includes(erasure));
      return done.length;
    },
  };
}

export function startErasureWorker(deps: ErasureDeps): Worker {
  const { ledger, clock, log } = deps;
  const leases = createLeases(deps);
  const inWarehouse = createWarehouseErasure(deps, leases);
  const enterWarehouse = createWarehouseStep(deps, leases);

  /** Moves each erasure one step forward if possible. @returns whether any moved */
  const advance = async (erasures: readonly OpenErasure[], cutOff: AbortSignal, stopping: AbortSignal) => {
    const walkDeps = { ...deps, leases, stopping };
    if (deps.isWithoutWarehouse()) {
      await eraseFromLedger(walkDeps, erasures, true);
      for (const from of ["ledger", "shipping", "warehouse"] as const)
        await leases.move(withStatus(erasures, from), from, "done");
      return true;
    }
    const fresh = withStatus(erasures, "ledger");
    if (fresh.length > 0) {
      await eraseFromLedger(walkDeps, fresh, false);
      // pages that are sealed from now on do not include these visitors
      await leases.move(fresh, "ledger", "shipping", { pages: await ledger.sealedPages() });
    }
    const waiting = withStatus(erasures, "shipping");
    const unshipped = new Set(waiting.length > 0 ? await ledger.sealedPages() : []);
    const shipped = waiting.filter(({ pages }) => !pages.some((page) => unshipped.has(page)));
    const entered = await enterWarehouse(shipped, cutOff);
    const done = await inWarehouse.advance(withStatus(erasures, "warehouse"), cutOff);
    return fresh.length + entered + done > 0;
  };

  const round = async (cutOff: AbortSignal, stopping: AbortSignal): Promise<boolean> => {
    await leases.renew(inWarehouse.group());
    const taken = await ledger.claimErasures({
      now: clock(),
      leaseMs: ERASURE_LEASE_MS,
      limit: ERASURE_BATCH_SIZE,
    });
    const erasures = [...inWarehouse.group(), ...taken];
    if (erasures.length === 0) return false;
    try {
      return await advance(erasures, cutOff, stopping);
    } finally {
      await leases.release(erasures.filter((erasure) => !inWarehouse.group().includes(erasure)));
    }
  };

  const worker = startWorker({
    name: "erasures",
    round,
    idleMs: ERASE_IDLE_MS,
    consequence: "visitors cannot be erased at the moment",
    log,
  });
  const stop = () => worker.stop().then(() => leases.release(inWarehouse.group()));
  return { ...worker, stop, [Symbol.asyncDispose]: stop };
}

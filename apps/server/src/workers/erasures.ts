/**
 * Erases visitors: out of what waits in the ledger, its sessions and its debug history; then, when the pages that were
 * sealed before have been shipped, out of the warehouse. Where it stands is in the ledger, so that it goes on after a
 * restart, on any node; each step may be done again.
 */

import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Deletion, deleteEvents, literal } from "../clickhouse/deletion.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { Cursor, OpenErasure } from "../core/records.ts";
import type { ErasureLedger } from "../ledger/ledger.ts";
import { forgetChanged } from "../stats/rollups/drop.ts";

export interface EraserDeps {
  ledger: ErasureLedger;
  warehouse: Pick<Warehouse, "client">;
  /** There is none and there was none, as far as can be seen here: nothing was shipped, nothing will be. */
  isWithoutWarehouse(): boolean;
  /** What was recorded for the debug view is in the ledger when it resolves. */
  flushAttempts(): Promise<void>;
  /** How the debug view writes a text of a client. */
  asRecorded(text: string): string;
  /** The session is gone: nobody is to remember it, on any node. */
  forgetSession(session: { sourceId: string; sessionId: string }): void;
  clock(): number;
  log: { warn(fields: object, message: string): void };
}

export interface Eraser {
  /** What is under way has some time to end; the rest goes on after the next start. */
  stop(): Promise<void>;
}

/** A lease is renewed when so much of it has passed. */
const RENEW_MS = SERVER_LIMITS.erasureLeaseMs / 6;

/** By hash, because the warehouse keeps and shows the text of what it was told. */
function deletionOf({ receiptId, visitor }: OpenErasure): Deletion {
  const { sourceIds, kind, id, until } = visitor;
  const hash = createHash("sha256").update(id).digest("hex").toUpperCase();
  const sources = sourceIds.map(literal).join();
  const own = `hex(SHA256(ifNull(${kind}, ''))) = '${hash}' AND receivedAt <= fromUnixTimestamp64Milli(${until}, 'UTC')`;
  return { name: receiptId, condition: sources === "" ? "0" : `sourceId IN (${sources}) AND ${own}` };
}

const idsOf = (erasures: readonly OpenErasure[]) => erasures.map(({ receiptId }) => receiptId);

export function startEraser(deps: EraserDeps): Eraser {
  const { ledger, warehouse, clock, log } = deps;
  const stopping = new AbortController();
  const cutting = new AbortController();
  let isFailing = false;
  /** What the warehouse deletes just now; claimed until that is done. */
  let told: OpenErasure[] = [];

  const hold = (erasures: readonly OpenErasure[], leaseMs: number) =>
    ledger.renewErasureLeases({ receiptIds: idsOf(erasures), now: clock(), leaseMs });
  type Status = OpenErasure["status"];
  const letGo = async (erasures: readonly OpenErasure[]) => {
    if (erasures.length > 0) await hold(erasures, 0).catch(() => undefined);
  };
  const move = (erasures: readonly OpenErasure[], from: Status, status: Status, pages: string[] = []) =>
    erasures.length === 0
      ? undefined
      : ledger.advanceErasures({ receiptIds: idsOf(erasures), from, status, pages, now: clock() });

  /** To the end of the walk, keeping what was claimed. */
  const walk = async (
    erasures: readonly OpenErasure[],
    step: (after: Cursor | null) => Promise<{ next: Cursor | null }>,
  ) => {
    let cursor: Cursor | null = null;
    let heldAt = Number.NEGATIVE_INFINITY;
    do {
      stopping.signal.throwIfAborted();
      if (clock() - heldAt > RENEW_MS) {
        await hold(erasures, SERVER_LIMITS.erasureLeaseMs);
        heldAt = clock();
      }
      ({ next: cursor } = await step(cursor));
    } while (cursor !== null);
  };

  /** @param sealed what is in a sealed page too, where none is ever shipped */
  const cleanLedger = async (erasures: readonly OpenErasure[], sealed: boolean) => {
    const visitors = erasures.map(({ visitor }) => visitor);
    const walkSessions = () =>
      walk(erasures, async (after) => {
        const { erased, next } = await ledger.eraseSessions({ visitors, after });
        for (const session of erased) deps.forgetSession(session);
        return { next };
      });
    await walkSessions();
    await walk(erasures, (after) => ledger.eraseOutbox({ visitors, after, sealed }));
    // a commit that saw one just before may have written it anew
    await walkSessions();
    await deps.flushAttempts();
    const recorded = visitors.map((visitor) => ({ ...visitor, id: deps.asRecorded(visitor.id) }));
    await walk(erasures, (after) => ledger.eraseAttempts({ visitors: recorded, after }));
  };

  /** How many are done. As few as one statement holds are under way: of many that are done the warehouse forgets some. */
  const deleteTold = async (ready: OpenErasure[]): Promise<number> => {
    const client = warehouse.client();
    if (told.length === 0 || !client) told = client ? ready : [];
    if (!client || told.length === 0) return 0;
    const gone = await deleteEvents(client, told.map(deletionOf), cutting.signal);
    const deleted = told.filter(({ receiptId }) => gone.has(receiptId));
    const sourceIds = [...new Set(deleted.flatMap(({ visitor }) => visitor.sourceIds))];
    const done = (await forgetChanged(client, sourceIds)) ? deleted : [];
    await move(done, "warehouse", "done");
    told = told.filter((one) => !done.includes(one));
    return done.length;
  };

  /** Each takes one step, where it can; true when one did. */
  const advance = async (erasures: readonly OpenErasure[]): Promise<boolean> => {
    const at = (status: OpenErasure["status"]) => erasures.filter((one) => one.status === status);
    if (deps.isWithoutWarehouse()) {
      await cleanLedger(erasures, true);
      for (const from of ["ledger", "shipping", "warehouse"] as const) await move(at(from), from, "done");
      return true;
    }
    const fresh = at("ledger");
    if (fresh.length > 0) {
      await cleanLedger(fresh, false);
      // what was not sealed by now is sealed without the visitors
      await move(fresh, "ledger", "shipping", await ledger.sealedPages());
    }
    const sealed = new Set(at("shipping").length > 0 ? await ledger.sealedPages() : []);
    const shipped = at("shipping").filter(({ pages }) => !pages.some((page) => sealed.has(page)));
    await move(shipped, "shipping", "warehouse");
    const done = await deleteTold(at("warehouse"));
    return fresh.length + shipped.length + done > 0;
  };

  const round = async (): Promise<boolean> => {
    const { erasureLeaseMs: leaseMs, erasuresAtOnce: limit } = SERVER_LIMITS;
    if (told.length > 0) await hold(told, leaseMs);
    const erasures = [...told, ...(await ledger.claimErasures({ now: clock(), leaseMs, limit }))];
    if (erasures.length === 0) return false;
    try {
      return await advance(erasures);
    } finally {
      await letGo(erasures.filter((one) => !told.includes(one)));
    }
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      const hasAdvanced = await round().then(
        (advanced) => {
          isFailing = false;
          return advanced;
        },
        (error: Error) => {
          // said once, not every second for as long as it lasts
          if (!isFailing && !stopping.signal.aborted)
            log.warn({ err: error }, "visitors cannot be erased just now; it is tried again");
          isFailing = true;
          return false;
        },
      );
      if (hasAdvanced) continue;
      await pause(SERVER_LIMITS.eraseIdleMs, undefined, { signal: stopping.signal, ref: false }).catch(
        () => undefined,
      );
    }
    await letGo(told);
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      const patience = setTimeout(() => cutting.abort(), SERVER_LIMITS.shipStopMs);
      await running;
      clearTimeout(patience);
    },
  };
}

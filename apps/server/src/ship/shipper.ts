/**
 * From the outbox to the warehouse: a page at a time, as long as there are any. Nothing waits for it but the outbox.
 */
import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "@headwater/contract/limits";
import type { OutboxLedger } from "../ledger/ledger.ts";
import type { OutboxPage } from "../ledger/records.ts";
import type { WarehouseClient } from "../warehouse/client.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { blocksOf } from "./block.ts";
import { Refused, store } from "./store.ts";

export interface ShipperDeps {
  ledger: OutboxLedger;
  warehouse: Pick<Warehouse, "client">;
  clock(): number;
  newId(prefix: string): string;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

export interface ShipperTotals {
  events: number;
  failures: number;
  /** Pages that the warehouse would not take. */
  refused: number;
}

export interface Shipper {
  totals(): Readonly<ShipperTotals>;
  /** What is under way has some time to end; what does not is found out by the next start. */
  stop(): Promise<void>;
}

export function startShipper({ ledger, warehouse, clock, newId, log }: ShipperDeps): Shipper {
  const startedAt = clock();
  const totals: ShipperTotals = { events: 0, failures: 0, refused: 0 };
  const stopping = new AbortController();
  const cutting = new AbortController();
  let retryMs: number = LIMITS.shipRetryMs;

  const wait = (ms: number) =>
    pause(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);

  const ship = async (client: WarehouseClient, page: OutboxPage) => {
    // what was accepted before this start may have been shipped, by a ledger of which this is a copy
    const isFirst = page.tries === 0 && page.createdAt >= startedAt;
    for await (const block of blocksOf(page)) await store(client, block, isFirst, cutting.signal);
    await ledger.deletePage(page);
    totals.events += page.events;
  };

  const keepForLater = async (page: OutboxPage, error: Error) => {
    totals.failures += 1;
    const isRefused = error instanceof Refused;
    const { pageId, events } = page;
    if (isRefused) {
      totals.refused += 1;
      log.error({ err: error, pageId, events }, "the warehouse refuses events; they stay in the ledger");
    } else if (!stopping.signal.aborted) {
      log.warn({ err: error, pageId, events, retryInMs: retryMs }, "events could not be shipped");
    }
    const waitMs = isRefused ? LIMITS.pageRefusedMs : 0;
    await ledger.releasePage({ pageId, now: clock(), waitMs }).catch(() => undefined);
    if (isRefused) return;
    await wait(retryMs);
    retryMs = Math.min(2 * retryMs, LIMITS.shipRetryMostMs);
  };

  const take = () =>
    ledger
      .takePage({
        pageId: newId("pag"),
        now: clock(),
        maxEvents: LIMITS.pageEvents,
        leaseMs: LIMITS.pageLeaseMs,
      })
      // the ledger's trouble is known, and told, where it is asked for more
      .catch(() => null);

  const run = async () => {
    while (!stopping.signal.aborted) {
      const client = warehouse.client();
      const page = client && (await take());
      if (!client || !page) {
        await wait(LIMITS.shipIdleMs);
        continue;
      }
      try {
        await ship(client, page);
        retryMs = LIMITS.shipRetryMs;
      } catch (error) {
        await keepForLater(page, error as Error);
      }
    }
  };
  const running = run();

  return {
    totals: () => totals,
    stop: async () => {
      stopping.abort();
      const patience = setTimeout(() => cutting.abort(), LIMITS.shipStopMs);
      await running;
      clearTimeout(patience);
    },
  };
}

/**
 * From the outbox to the warehouse: pages, and the next one while one is stored, as long as there are any. Nothing waits
 * for it but the outbox.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { WarehouseClient } from "../clickhouse/client.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { OutboxPage } from "../core/records.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import { blocksOf } from "../shipping/block.ts";
import { Refused } from "../shipping/insert.ts";
import { type Past, store } from "../shipping/store.ts";

export interface ShipperDeps {
  ledger: OutboxLedger;
  warehouse: Pick<Warehouse, "client">;
  clock(): number;
  newId(prefix: string): string;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /** What had waited since before the start is shipped; called once, if there was anything. */
  onCaughtUp?(): void;
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

/** One is read by the engine while the other is written to the disk. */
const PAGES_AT_ONCE = 2;

/** Does more wait, for all that this page says? A page ends where the next commit would not fit. */
const isFull = ({ events, parts }: OutboxPage): boolean =>
  events > SERVER_LIMITS.pageEvents / 2 ||
  parts.length === SERVER_LIMITS.pageRows ||
  parts.reduce((sum, { payload }) => sum + payload.length, 0) > SERVER_LIMITS.pageBytes / 2;

export function startShipper(deps: ShipperDeps): Shipper {
  const { ledger, warehouse, clock, newId, log, onCaughtUp = () => undefined } = deps;
  const startedAt = clock();
  const totals: ShipperTotals = { events: 0, failures: 0, refused: 0 };
  const stopping = new AbortController();
  const cutting = new AbortController();
  const underWay = new Set<Promise<void>>();
  let retryMs: number = SERVER_LIMITS.shipRetryMs;
  let isBehind = false;

  const wait = (ms: number) =>
    pause(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);

  const isOld = ({ createdAt }: OutboxPage) => createdAt < startedAt;

  const ship = async (client: WarehouseClient, page: OutboxPage) => {
    // what was accepted before this start may have been shipped, by a ledger of which this is a copy
    const untried: Past = isOld(page) ? "old" : "new";
    const past = page.tries > 0 ? "tried" : untried;
    for (const block of blocksOf(page)) await store(client, block, past, cutting.signal);
    await ledger.deletePage(page);
    totals.events += page.events;
    retryMs = SERVER_LIMITS.shipRetryMs;
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
    const waitMs = isRefused ? SERVER_LIMITS.pageRefusedMs : 0;
    const pauseMs = isRefused ? 0 : retryMs;
    retryMs = Math.min(retryMs + pauseMs, SERVER_LIMITS.shipRetryMostMs);
    await wait(pauseMs);
    await ledger.releasePage({ pageId, now: clock(), waitMs }).catch(() => undefined);
  };

  const take = () =>
    ledger
      .claimPage({
        pageId: newId("pag"),
        now: clock(),
        maxEvents: SERVER_LIMITS.pageEvents,
        leaseMs: SERVER_LIMITS.pageLeaseMs,
      })
      // the ledger's trouble is known, and told, where it is asked for more
      .catch(() => null);

  const begin = (client: WarehouseClient, page: OutboxPage) => {
    const shipping = ship(client, page)
      .catch((error: Error) => keepForLater(page, error))
      .finally(() => underWay.delete(shipping));
    underWay.add(shipping);
  };

  /** What fails is tried a page at a time, so that no more is sealed meanwhile. */
  const isBusy = () => underWay.size >= (retryMs > SERVER_LIMITS.shipRetryMs ? 1 : PAGES_AT_ONCE);

  const run = async () => {
    while (!stopping.signal.aborted) {
      if (isBusy()) {
        await Promise.race(underWay);
        continue;
      }
      const client = warehouse.client();
      const page = client && (await take());
      if (client && page) begin(client, page);
      if (page && isOld(page)) isBehind = true;
      else if (isBehind && client && underWay.size === 0) {
        isBehind = false;
        onCaughtUp();
      }
      if (!page || !isFull(page)) await wait(SERVER_LIMITS.shipIdleMs);
    }
    await Promise.all(underWay);
  };
  const running = run();

  return {
    totals: () => totals,
    stop: async () => {
      stopping.abort();
      const patience = setTimeout(() => cutting.abort(), SERVER_LIMITS.shipStopMs);
      await running;
      clearTimeout(patience);
    },
  };
}

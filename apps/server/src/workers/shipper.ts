/** Ships accepted events: takes pages from the outbox and inserts them into the warehouse. Requests never wait for it. */
import type { WarehouseClient } from "../clickhouse/client.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import type { OutboxPage } from "../ledger/records.ts";
import { blocksOf } from "../shipping/block.ts";
import { countDays } from "../shipping/count-days.ts";
import { EventsRefused } from "../shipping/insert.ts";
import { type DeliveryHistory, store } from "../shipping/store.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** Size of a page of the outbox: large enough to be cheap per event, small enough for one block of an insert. */
const PAGE_EVENTS = 20_000;
/** How often the shipper looks for events when few are waiting. */
const SHIP_IDLE_MS = 1_000;
/** Wait after the first failure to ship; doubled by each further one. */
const SHIP_RETRY_MS = 500;
const MAX_SHIP_RETRY_MS = 30_000;
/** Wait before a page that the warehouse refused is tried again. */
const PAGE_REFUSED_MS = 600_000;
/** Longer than an attempt to ship takes; then another node may claim the page. */
const PAGE_LEASE_MS = 180_000;

interface ShipperDeps {
  ledger: OutboxLedger;
  warehouse: Pick<Warehouse, "client">;
  clock(): number;
  newId(prefix: string): string;
  log: WorkerLog & { error(fields: object, message: string): void };
}

export interface ShipperTotals {
  events: number;
  failures: number;
  /** Pages that the warehouse refused because of their data. */
  refused: number;
}

interface Shipper {
  workers: readonly Worker[];
  totals(): Readonly<ShipperTotals>;
}

/** While ClickHouse writes one page to the disk it can read the next. */
const PAGES_AT_ONCE = 2;

/** Whether more events are likely to wait: a page is sealed when the next commit would not fit. */
const isAlmostFull = ({ events, parts }: OutboxPage): boolean =>
  events > PAGE_EVENTS / 2 ||
  parts.length === SERVER_LIMITS.pageRows ||
  parts.reduce((sum, { payload }) => sum + payload.length, 0) > SERVER_LIMITS.pageBytes / 2;

/** Claims, ships and puts back pages. */
function createPageShipper(
  { ledger, clock, newId, log }: ShipperDeps,
  startedAt: number,
  totals: ShipperTotals,
) {
  const historyOf = (page: OutboxPage): DeliveryHistory => {
    if (page.tries > 0) return "retried";
    return page.createdAt < startedAt ? "restored" : "new";
  };
  /** @throws the error, unless the warehouse refused the page: then others are shipped meanwhile */
  const putBack = async ({ pageId, events }: OutboxPage, error: unknown) => {
    totals.failures += 1;
    const isRefused = error instanceof EventsRefused;
    const waitMs = isRefused ? PAGE_REFUSED_MS : 0;
    await ledger.releasePage({ pageId, now: clock(), waitMs }).catch(() => undefined);
    if (!isRefused) throw error;
    totals.refused += 1;
    log.error({ err: error, pageId, events }, "the warehouse refused events; they stay in the ledger");
  };
  return {
    claim: () =>
      ledger
        .claimPage({
          pageId: newId("pag"),
          now: clock(),
          maxEvents: PAGE_EVENTS,
          leaseMs: PAGE_LEASE_MS,
        })
        // readiness reports a ledger that fails; shipping goes on within a second of its recovery
        .catch(() => null),
    async ship(client: WarehouseClient, page: OutboxPage, cutOff: AbortSignal) {
      try {
        for (const block of blocksOf(page)) await store(client, block, historyOf(page), cutOff);
        await ledger.deletePage({ pageId: page.pageId, shipped: await countDays(page) });
        totals.events += page.events;
      } catch (error) {
        await putBack(page, error);
      }
    },
  };
}

export function startShipper(deps: ShipperDeps): Shipper {
  const { warehouse, clock, log } = deps;
  const totals: ShipperTotals = { events: 0, failures: 0, refused: 0 };
  const pages = createPageShipper(deps, clock(), totals);
  /** Whether the latest page was almost full. */
  let isBehind = false;
  let pagesInWork = 0;

  const round = async (cutOff: AbortSignal): Promise<boolean> => {
    const client = warehouse.client();
    if (!client) return false;
    const page = await pages.claim();
    const hasMore = page !== null && isAlmostFull(page);
    isBehind = hasMore;
    if (!page) return false;
    pagesInWork += 1;
    try {
      await pages.ship(client, page, cutOff);
    } finally {
      pagesInWork -= 1;
    }
    return hasMore;
  };

  const start = (number: number) =>
    startWorker({
      name: number === 1 ? "shipper" : `shipper ${number}`,
      // while few events wait one worker ships them all, so that the warehouse gets fewer and larger inserts
      round: async (cutOff) => (number === 1 || isBehind || pagesInWork > 0) && round(cutOff),
      idleMs: SHIP_IDLE_MS,
      retryMs: SHIP_RETRY_MS,
      maxRetryMs: MAX_SHIP_RETRY_MS,
      consequence: "events could not be shipped and wait in the ledger",
      log,
    });
  return {
    workers: Array.from({ length: PAGES_AT_ONCE }, (_, index) => start(index + 1)),
    totals: () => totals,
  };
}

/** Stores imported events, each once: recent ones through the ledger, old ones directly in the warehouse. */
import { CommandFailed } from "../../src/cli/errors.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { DAY_MS } from "../../src/core/time.ts";
import { analyticsEventId, type Candidate } from "../../src/ingest/evaluate-event.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { sumEvents } from "../../src/ledger/warehouse-report.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { findStoredIds, storeMissing } from "../../src/shipping/store.ts";
import type { ImportedEvent } from "./evaluate-row.ts";

/** Events that occurred in this time before the oldest event of the outbox, or later, go into the ledger. */
const RECENT_MS = 7 * DAY_MS;
/** The ledger keeps deduplication keys for longer than both together. */
const MAX_SHIPPING_DELAY_MS = 4 * DAY_MS;

export interface ImportStores {
  ledger: Ledger;
  /** null: there is no warehouse. */
  client: WarehouseClient | null;
  sourceId: string;
  now: number;
  newId(prefix: string): string;
}

interface StoreOutcome {
  accepted: number;
  duplicates: number;
  /** Events that only a warehouse could store, when there is none. */
  tooOld: ReadonlySet<ImportedEvent>;
}

/**
 * Events that were received before this time have left the outbox. Those that were received later have their keys in the
 * ledger. See docs/decisions/0016.
 * @throws CommandFailed when the outbox is so old that this is unknown
 */
export async function findWarehouseBoundary({ ledger, now }: ImportStores): Promise<number> {
  const { outboxOldestAt } = await ledger.probe({ now });
  const oldestAt = Math.min(now, outboxOldestAt ?? now);
  if (now - oldestAt > MAX_SHIPPING_DELAY_MS)
    throw new CommandFailed(
      "Some events were accepted more than four days ago and are not in the warehouse yet. Start the service and let it ship them first.",
    );
  return oldestAt - RECENT_MS;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

async function storeInLedger(
  { ledger, sourceId, now }: ImportStores,
  events: readonly ImportedEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  const outcomes = await ledger.commit({
    sourceId,
    receivedAt: now,
    bootstrap: false,
    bytes: sumOf(events.map(({ candidate }) => candidate.line.length)),
    open: [],
    touch: [],
    entries: events.map(({ candidate: { key, line, day } }) => ({ key, line, day })),
  });
  return sumOf([...outcomes]);
}

const linesOf = (candidates: readonly Candidate[]): string =>
  candidates.map(({ line }) => line.toString("utf8")).join("\n");

async function storeInWarehouse(
  client: WarehouseClient,
  { ledger, sourceId, newId }: ImportStores,
  events: readonly ImportedEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  // of events with the same key the first one counts
  const byKey = new Map(events.toReversed().map(({ candidate }) => [candidate.key, candidate]));
  const block = blockOf(newId("imp"), linesOf([...byKey.values()]));
  const { revision } = await ledger.shippedDays({ sourceIds: [sourceId] });
  const days = await storeMissing(client, block, "imported", new AbortController().signal);
  // otherwise a comparison may have counted them, or else the next one does
  if (days.length > 0) await ledger.addShippedDays({ days, revision });
  return sumEvents(days);
}

/** The events that the warehouse does not hold. An earlier import may have written them to it, without the ledger's knowledge. */
async function withoutStored(
  client: WarehouseClient,
  events: readonly ImportedEvent[],
): Promise<readonly ImportedEvent[]> {
  if (events.length === 0) return events;
  const block = blockOf("", linesOf(events.map(({ candidate }) => candidate)));
  const stored = await findStoredIds(client, block, new AbortController().signal);
  return events.filter(({ candidate }) => !stored.has(analyticsEventId(candidate.key)));
}

/** @param boundary the result of `findWarehouseBoundary` */
export async function storeEvents(
  stores: ImportStores,
  events: readonly ImportedEvent[],
  boundary: number,
): Promise<StoreOutcome> {
  const { client } = stores;
  const {
    late = [],
    old = [],
    recent = [],
  } = Object.groupBy(events, ({ occurredAt, receivedAt }) => {
    if (occurredAt >= boundary) return "recent";
    return receivedAt !== null && receivedAt >= boundary ? "late" : "old";
  });
  const lateUnknown = client === null ? late : await withoutStored(client, late);
  const acceptedByLedger = await storeInLedger(stores, [...recent, ...lateUnknown]);
  const acceptedByWarehouse = client === null ? 0 : await storeInWarehouse(client, stores, old);
  const accepted = acceptedByLedger + acceptedByWarehouse;
  const tooOld = new Set(client === null ? old : []);
  return { accepted, duplicates: events.length - tooOld.size - accepted, tooOld };
}

/** Events of a file into the stores, each once: young ones through the ledger, old ones straight into the warehouse. */
import { LIMITS } from "@headwater/contract";
import { CommandFailed } from "../../src/cli/failure.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { DAY_MS } from "../../src/core/time.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { storeMissing } from "../../src/shipping/store.ts";
import type { Imported } from "./normalize.ts";

const AGE_MS = LIMITS.maxEventAgeSeconds * 1_000;
/** Keys are remembered longer than an event's age by so much, whatever the generation: the day ahead and some of the next. */
const MOST_LAG_MS = 4 * DAY_MS;

export interface Stores {
  ledger: Ledger;
  /** null: there is no warehouse. */
  client: WarehouseClient | null;
  sourceId: string;
  now: number;
  newId(prefix: string): string;
}

export interface Taken {
  accepted: number;
  duplicates: number;
  /** Those that no store is there for. */
  tooOld: Imported[];
}

/**
 * What happened before then is in no store but the warehouse: it is older than ingest takes, and older than all that waits
 * to be shipped was when it came. See docs/decisions/0016.
 * @throws CommandFailed when what waits has waited for so long that neither is known
 */
export async function oldBefore({ ledger, now }: Pick<Stores, "ledger" | "now">): Promise<number> {
  const { outboxOldestAt } = await ledger.probe({ now });
  const oldestAt = Math.min(now, outboxOldestAt ?? now);
  if (now - oldestAt > MOST_LAG_MS)
    throw new CommandFailed(
      "Events that were accepted over four days ago still wait for the warehouse: let the service ship them first.",
    );
  return oldestAt - AGE_MS;
}

const firstOfEach = (events: Imported[]): Imported[] => [
  ...new Map(events.toReversed().map((event) => [event.candidate.key, event])).values(),
];

async function intoLedger({ ledger, sourceId, now }: Stores, events: Imported[]): Promise<number> {
  if (events.length === 0) return 0;
  const entries = events.map(({ candidate: { key, json } }) => ({ key, json }));
  const outcomes = await ledger.commit({
    sourceId,
    receivedAt: now,
    bootstrap: false,
    open: null,
    touch: [],
    entries,
  });
  return outcomes.reduce((sum, outcome) => sum + outcome, 0);
}

async function intoWarehouse(
  client: WarehouseClient,
  { newId }: Stores,
  events: Imported[],
): Promise<number> {
  if (events.length === 0) return 0;
  const lines = firstOfEach(events).map(({ candidate }) => candidate.json);
  const block = blockOf(newId("imp"), lines.join("\n"));
  return storeMissing(client, block, "imported", new AbortController().signal);
}

/** @param before of `oldBefore` */
export async function take(stores: Stores, events: Imported[], before: number): Promise<Taken> {
  const old = events.filter(({ at }) => at < before);
  const young = events.filter(({ at }) => at >= before);
  const { client } = stores;
  const accepted =
    (await intoLedger(stores, young)) + (client === null ? 0 : await intoWarehouse(client, stores, old));
  const tooOld = client === null ? old : [];
  return { accepted, duplicates: events.length - tooOld.length - accepted, tooOld };
}

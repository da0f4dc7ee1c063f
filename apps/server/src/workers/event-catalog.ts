/** Adds what this node has learned of events to the event catalogue of each source. */
import type { EventLearner } from "../event-catalog/learner.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { CatalogEventRecord } from "../ledger/records.ts";

/** Events of one source in a transaction. */
const CATALOG_FLUSH_EVENTS = 100;

interface CatalogFlushDeps {
  readonly ledger: Pick<Catalog, "addToEventCatalog">;
  readonly takeLearned: EventLearner["take"];
}

/** Stores what was learned. What could not be stored is stored first in the next round, so that counts stay true. */
export function createCatalogFlush({ ledger, takeLearned }: CatalogFlushDeps): () => Promise<void> {
  const waiting: { sourceId: string; events: CatalogEventRecord[] }[] = [];
  let running: Promise<void> | null = null;

  const flush = async () => {
    if (waiting.length === 0)
      for (const [sourceId, events] of takeLearned())
        for (let at = 0; at < events.length; at += CATALOG_FLUSH_EVENTS)
          waiting.push({ sourceId, events: events.slice(at, at + CATALOG_FLUSH_EVENTS) });
    for (let next = waiting[0]; next; next = waiting[0]) {
      await ledger.addToEventCatalog(next);
      waiting.shift();
    }
  };
  return async () => {
    // two rounds at once would store the first entry twice
    await running?.catch(() => undefined);
    running = flush();
    await running;
  };
}

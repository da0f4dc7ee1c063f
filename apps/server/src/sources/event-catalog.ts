/** The event catalogue of a source, as the API shows it (docs/api/tracking-plan.md). */
import { CATALOG_TYPES, type CatalogEvent } from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";
import type { CatalogHandler } from "../http/handler.ts";
import { OTHER_EVENTS } from "../ledger/merge-events.ts";
import type { CatalogEventRecord } from "../ledger/records.ts";

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

const renderEvent = (record: CatalogEventRecord): CatalogEvent => ({
  name: record.name,
  events: record.count,
  firstSeenAt: toIsoTime(record.firstSeenAt),
  lastSeenAt: toIsoTime(record.lastSeenAt),
  sampledEvents: record.sampled,
  properties: record.properties.toSorted(byName).map(({ name, sampled, types, examples }) => ({
    name,
    types: CATALOG_TYPES.filter((type) => types[type]).toSorted(
      (one, other) => (types[other] ?? 0) - (types[one] ?? 0),
    ),
    coverage: record.sampled === 0 ? 0 : Math.min(1, sampled / record.sampled),
    examples: [...examples],
  })),
  clientVersions: [...record.clientVersions],
  pages: [...record.pages],
});

export const getEventCatalog: CatalogHandler<"getEventCatalog"> = async (
  { source: { sourceId } },
  { catalog },
) => {
  const records = await catalog.eventCatalog({ sourceId });
  const named = records.filter(({ name }) => name !== OTHER_EVENTS);
  const otherEvents = records.find(({ name }) => name === OTHER_EVENTS)?.count ?? 0;
  return { body: { events: named.toSorted(byName).map(renderEvent), otherEvents } };
};

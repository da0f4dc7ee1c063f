/** The operations on the kept events of a source (docs/api/quarantine.md). */
import { LIMITS } from "@headwater/contract/limits";
import { parseExactJson } from "../core/exact-json.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { SNAPSHOT_BYTES } from "../debug/render.ts";
import { snapshotOf } from "../debug/snapshot.ts";
import type { Handler } from "../http/handler.ts";
import type { QuarantineLedger } from "../ledger/ledger.ts";
import type { KeptGroupRecord, StoredKeptEvent } from "../ledger/records.ts";
import { readRecord } from "./kept-row.ts";

const PAGE_SIZE = 50;

export interface QuarantineServices {
  readonly ledger: Pick<QuarantineLedger, "keptTotals" | "keptGroups" | "keptEvents">;
  readonly keeper: { flush(): Promise<void> };
}

const NOTHING_KEPT = { events: 0, bytes: 0, evicted: 0, evictedAt: null, skipped: 0, skippedAt: null };

const renderGroup = ({ firstReceivedAt, lastReceivedAt, origin, ...group }: KeptGroupRecord) => ({
  ...group,
  origin: origin || null,
  firstReceivedAt: toIsoTime(firstReceivedAt),
  lastReceivedAt: toIsoTime(lastReceivedAt),
});

export const getQuarantine =
  ({ ledger, keeper }: QuarantineServices): Handler<"getQuarantine"> =>
  async ({ source: { sourceId } }) => {
    await keeper.flush();
    const { events, bytes, ...counts } = (await ledger.keptTotals({ sourceId })) ?? NOTHING_KEPT;
    const groups = await ledger.keptGroups({ sourceId, limit: LIMITS.maxKeptGroups });
    return {
      body: {
        events,
        bytes,
        groups: groups.map(renderGroup),
        evictedEvents: counts.evicted,
        lastEvictedAt: toIsoTimeOrNull(counts.evictedAt),
        skippedRequests: counts.skipped,
        lastSkippedAt: toIsoTimeOrNull(counts.skippedAt),
      },
    };
  };

/** The event as the debug view would show it. */
export function maskEvent({ record }: Pick<StoredKeptEvent, "record">): unknown {
  const [event] = readRecord(record).body.events;
  return parseExactJson(snapshotOf(JSON.stringify(event), SNAPSHOT_BYTES).json);
}

const renderEvent = ({ code, name, origin, receivedAt, record }: StoredKeptEvent) => ({
  code,
  name,
  origin: origin || null,
  receivedAt: toIsoTime(receivedAt),
  event: maskEvent({ record }),
});

export const listKeptEvents =
  ({ ledger, keeper }: QuarantineServices): Handler<"listKeptEvents"> =>
  async ({ source: { sourceId }, query: { code, name, origin, limit = PAGE_SIZE, cursor } }) => {
    await keeper.flush();
    const before = cursor === undefined ? undefined : Number(cursor);
    const found = await ledger.keptEvents({ sourceId, code, name, origin, before, limit: limit + 1 });
    const events = found.slice(0, limit);
    const nextCursor = found.length > limit ? String(events.at(-1)?.seq ?? 0) : null;
    return { body: { events: events.map(renderEvent), nextCursor } };
  };

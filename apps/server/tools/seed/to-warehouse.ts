/** Made-up visits straight into the warehouse: as the normal forms that ingest would have made of them then. */
import { LIMITS } from "@headwater/contract";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { toIsoTime } from "../../src/core/time.ts";
import { type BatchContext, evaluateEvent } from "../../src/ingest/evaluate-event.ts";
import { deviceOf } from "../../src/ingest/visitor.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { type DeliveryHistory, store } from "../../src/shipping/store.ts";
import type { Visit } from "./traffic.ts";

/** As large as one insert may well be. */
const BLOCK_EVENTS = 50_000;
/** A batch leaves the browser so long after its last event. */
const SENT_AFTER_MS = 1_000;
const NO_SESSIONS: BatchContext["otherSessions"] = new Map();

/** A batch of the visit, as it would have come. */
function contextOf({ visitor, sessionId, events }: Visit, sourceId: string, site: string): BatchContext {
  const { anonymousId, userId, userAgent, country, locale, timezone } = visitor;
  const startedAt = events[0]!.at;
  const receivedAt = events.at(-1)!.at + SENT_AFTER_MS;
  return {
    sourceId,
    receivedAt,
    shared: {
      sourceId,
      receivedAt: toIsoTime(receivedAt),
      batchId: `batch-${sessionId}`,
      sdkVersion: "seed",
      country,
    },
    clockSkewMs: 0,
    session: { sourceId, sessionId, anonymousId, userId, startedAt, lastActivityAt: startedAt, landing: "" },
    otherSessions: NO_SESSIONS,
    anonymousId,
    userId,
    context: { locale, timezone },
    origin: site,
    device: deviceOf(userAgent),
    deviceOf,
    maxEventBytes: LIMITS.maxEventBytes,
    bots: "apart",
    excludesPath: () => false,
  };
}

/** A line each. */
export function rowsOf(visit: Visit, sourceId: string, site: string): string[] {
  const context = contextOf(visit, sourceId, site);
  return visit.events.map(({ at, event }) => {
    const outcome = evaluateEvent(
      { event, time: { time: at, zoned: true, canonical: true }, warnings: [] },
      context,
    );
    if (outcome.status === "rejected") throw new Error(`a made-up event is not one: ${outcome.message}`);
    return outcome.json;
  });
}

export interface WarehouseSink {
  take(visit: Visit): Promise<void>;
  end(): Promise<void>;
  /** So many events were given to it. */
  stored(): number;
}

/**
 * Writes while the next block is made. Where the source has events already, each is looked for first: what was seeded
 * before is not there twice.
 */
export async function openSink(
  client: WarehouseClient,
  sourceId: string,
  site: string,
  newId: (prefix: string) => string,
): Promise<WarehouseSink> {
  const query = "SELECT 1 FROM events WHERE sourceId = {sourceId:String} LIMIT 1";
  const found = await client.query({ query, query_params: { sourceId }, format: "JSONEachRow" });
  const past: DeliveryHistory = (await found.json()).length === 0 ? "new" : "restored";
  const { signal } = new AbortController();
  let lines: string[] = [];
  let stored = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    if (lines.length === 0) return;
    const block = blockOf(newId("seed"), lines.join("\n"));
    lines = [];
    writing = store(client, block, past, signal);
    // it is waited for before the next is begun
    writing.catch(() => undefined);
  };
  return {
    take: async (visit) => {
      lines.push(...rowsOf(visit, sourceId, site));
      stored += visit.events.length;
      if (lines.length >= BLOCK_EVENTS) await flush();
    },
    end: async () => {
      await flush();
      await writing;
    },
    stored: () => stored,
  };
}

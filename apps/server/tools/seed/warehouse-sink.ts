/** Writes generated visits to the warehouse, as the events that ingest would have stored. */
import { LIMITS, SOURCE_DEFAULTS } from "@headwater/contract";
import { createSourceLists } from "../../src/channels/source-lists.ts";
import { createVisitClassifier } from "../../src/channels/visit-classifier.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { toIsoTime } from "../../src/core/time.ts";
import { compileAddressRules } from "../../src/ingest/address-rules.ts";
import { type BatchContext, evaluateEvent } from "../../src/ingest/evaluate-event.ts";
import { createDeviceOf, readSurroundings } from "../../src/ingest/visitor.ts";
import { createLineBuilder } from "../../src/ledger/outbox-line.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { type DeliveryHistory, store } from "../../src/shipping/store.ts";
import type { GeneratedVisit } from "./traffic.ts";

const deviceOf = createDeviceOf();
const BLOCK_EVENTS = 50_000;
/** Time from the last event of a visit until its batch arrives. */
const SENT_AFTER_MS = 1_000;
const classifyVisit = createVisitClassifier(createSourceLists(), SOURCE_DEFAULTS);
const ADDRESS_RULES = compileAddressRules(SOURCE_DEFAULTS);
const NO_SESSIONS: BatchContext["otherSessions"] = new Map();

/** The context of the batch with which the visit would have arrived. */
function buildContext(visit: GeneratedVisit, sourceId: string, site: string): BatchContext {
  const { visitor, sessionId, startedAt, events } = visit;
  const { anonymousId, userId, userAgent, country, region, city, locale, timezone } = visitor;
  const device = deviceOf(userAgent);
  const receivedAt = (events.at(-1)?.at ?? startedAt) + SENT_AFTER_MS;
  return {
    sourceId,
    hasToken: false,
    receivedAt,
    evaluatedAt: receivedAt,
    buildLine: createLineBuilder({
      sourceId,
      receivedAt: toIsoTime(receivedAt),
      batchId: `batch-${sessionId}`,
      sdkVersion: "seed",
      country,
      region,
      city,
      sentBy: "browser",
    }),
    clockSkewMs: 0,
    session: {
      sourceId,
      sessionId,
      anonymousId,
      userId,
      startedAt,
      lastActivityAt: startedAt,
      landing: "{}",
    },
    otherSessions: NO_SESSIONS,
    anonymousId,
    userId,
    surroundings: readSurroundings({ locale, timezone }, device),
    origin: site,
    device,
    deviceOf,
    maxEventBytes: LIMITS.maxEventBytes,
    bots: "apart",
    isFromDataCentre: false,
    isSpamReferrer: () => false,
    retentionDays: null,
    excludesPath: () => false,
    isAddressExcluded: false,
    addressRules: ADDRESS_RULES,
    classifyVisit,
    plan: null,
    violatedPlan: false,
    clientVersion: null,
  };
}

/** The stored form of each event, as a line of JSON. */
function renderEvents(visit: GeneratedVisit, sourceId: string, site: string): string[] {
  const context = buildContext(visit, sourceId, site);
  return visit.events.map(({ at, event }) => {
    const outcome = evaluateEvent(
      { event, time: { time: at, hasZone: true, isCanonical: true }, warnings: [] },
      context,
    );
    if (outcome.status === "rejected") throw new Error(`a generated event is invalid: ${outcome.message}`);
    return outcome.line.toString("utf8");
  });
}

export interface WarehouseSink {
  add(visit: GeneratedVisit): Promise<void>;
  /** Resolves when everything is written. */
  finish(): Promise<void>;
  /** The number of events that were added. */
  stored(): number;
}

interface WarehouseSinkDeps {
  readonly client: WarehouseClient;
  readonly sourceId: string;
  /** The origin of the pages. */
  readonly site: string;
  newId(prefix: string): string;
}

/**
 * Writes a block while the next one is generated. When the source has events already, each event is looked up first, so
 * that a second run does not store it twice.
 */
export async function openWarehouseSink(deps: WarehouseSinkDeps): Promise<WarehouseSink> {
  const { client, sourceId, site, newId } = deps;
  const query = "SELECT 1 FROM events WHERE sourceId = {sourceId:String} LIMIT 1";
  const found = await client.query({ query, query_params: { sourceId }, format: "JSONEachRow" });
  const history: DeliveryHistory = (await found.json()).length === 0 ? "new" : "restored";
  const { signal } = new AbortController();
  let lines: string[] = [];
  let stored = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    if (lines.length === 0) return;
    const block = blockOf(newId("seed"), lines.join("\n"));
    lines = [];
    writing = store(client, block, history, signal);
    // a failure is thrown by the next `await writing`; without this it would count as unhandled until then
    writing.catch(() => undefined);
  };
  return {
    add: async (visit) => {
      lines.push(...renderEvents(visit, sourceId, site));
      stored += visit.events.length;
      if (lines.length >= BLOCK_EVENTS) await flush();
    },
    finish: async () => {
      await flush();
      await writing;
    },
    stored: () => stored,
  };
}

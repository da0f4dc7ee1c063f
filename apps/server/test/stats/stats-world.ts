/** The whole service on a real warehouse, into which a test puts its events by the path of shipping. */
import { createHash } from "node:crypto";
import { connect, type WarehouseClient } from "../../src/clickhouse/client.ts";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import type { WarehouseProcess } from "../../src/clickhouse/warehouse.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { store } from "../../src/shipping/store.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "../support/world.ts";
import { newFolder } from "../warehouse/store.ts";
import { clearTestWarehouse, settingsOf, startTestWarehouse } from "../warehouse/test-warehouse.ts";
import type { ExampleEvent } from "./examples.ts";

export interface StatsWorld extends AsyncDisposable {
  world: World;
  client: WarehouseClient;
  /** Puts events into the warehouse, as a block of shipping; without a word each was received when it happened. */
  insert(sourceId: string, events: readonly ExampleEvent[], receivedAt?: number): Promise<void>;
  /** What the service takes for the time. */
  setNow(now: number): void;
}

const NOW = Date.UTC(2026, 10, 21, 12);
let blocks = 0;

/** It ends with whoever has begun it. */
const lifeOf = (endpoint: WarehouseEndpoint): WarehouseProcess => ({
  endpoint,
  ended: Promise.resolve(""),
  end: () => undefined,
});

/** Waits until the service has its warehouse. */
export async function untilWarehouseIsUp(world: World): Promise<void> {
  await until("the warehouse is up", async () => {
    const { body } = await world.ask("/readyz", { token: null });
    return body.warehouse.state === "up";
  });
}

/** @param warehouse one that is there; default: the file's own */
export async function openStatsWorld(
  environment: Record<string, string> = {},
  warehouse: WarehouseEndpoint | null = null,
): Promise<StatsWorld> {
  const folder = newFolder();
  const engine = warehouse === null ? await startTestWarehouse(folder) : lifeOf(warehouse);
  let now = NOW;
  const world = await openWorld({ ...settingsOf(engine.endpoint), ...environment }, { clock: () => now });
  await untilWarehouseIsUp(world);
  const client = connect(engine.endpoint);
  return {
    world,
    client,
    insert: async (sourceId, events, receivedAt) => {
      const lines = events.map((event) => JSON.stringify(normalForm(sourceId, event, receivedAt)));
      const block = blockOf(`block-${++blocks}`, lines.join("\n"));
      await store(client, block, "new", new AbortController().signal);
    },
    setNow: (to) => {
      now = to;
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await world[Symbol.asyncDispose]();
      engine.end();
      await engine.ended;
      await clearTestWarehouse(folder);
    },
  };
}

const HOST = "shop.example";

/** As ingest makes it. */
function normalForm(sourceId: string, event: ExampleEvent, receivedAt: number | undefined) {
  const { id, at, session, visitor, user, name, page, referrer, isBot, properties } = event;
  const key = createHash("sha256").update(`${sourceId}\n${id}`).digest("hex").slice(0, 32);
  const { host = HOST, device = null, browser = null, os = null, locale = null, country = null } = event;
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = event;
  return {
    analyticsEventId: `evt_${key}`,
    eventId: id,
    type: name === undefined ? "page" : "track",
    name: name ?? "page_view",
    occurredAt: at,
    timestamp: at,
    sessionId: session,
    anonymousId: visitor,
    userId: user ?? null,
    page:
      page === undefined
        ? null
        : {
            url: `https://${host}${page}`,
            origin: `https://${host}`,
            host,
            path: page,
            query: null,
            utm: {
              source: utmSource,
              medium: utmMedium,
              campaign: utmCampaign,
              term: utmTerm,
              content: utmContent,
            },
            clickIds: event.clickIds ?? null,
            title: null,
            referrer: referrer ? `https://${referrer}/` : null,
            referrerHost: referrer ?? null,
          },
    source: event.source ?? null,
    channel: event.channel ?? "Direct",
    locale,
    timezone: null,
    screen: event.screen ?? null,
    viewport: null,
    device: {
      device,
      os,
      osVersion: event.osVersion ?? null,
      browser,
      browserVersion: event.browserVersion ?? null,
      isBot: isBot ?? false,
    },
    properties: properties ?? null,
    context: null,
    sourceId,
    receivedAt: receivedAt === undefined ? at : new Date(receivedAt).toISOString(),
    batchId: "b1",
    sdkVersion: "2.0.0",
    country,
    region: event.region ?? null,
    city: event.city ?? null,
    sentBy: event.sentBy ?? "browser",
    ...(event.passive ? { passive: true } : {}),
    ...(event.planViolation ? { planViolation: true } : {}),
    ...(event.revenue === undefined ? {} : { revenue: event.revenue, currency: event.currency }),
    ...(event.engagedSeconds === undefined ? {} : { engagedSeconds: event.engagedSeconds }),
    ...(event.scrollDepth === undefined ? {} : { scrollDepth: event.scrollDepth }),
  };
}

/** The shop of `headwater demo`: its source, settings and traffic, all through the HTTP API. */
import { setTimeout } from "node:timers/promises";
import { createApi, type HeadwaterApi } from "../../../../packages/api/src/index.ts";
import { DAY_MS } from "../../src/core/time.ts";
import { buildBody, createIngestSink } from "./ingest-sink.ts";
import { toShopVisit } from "./shop-visits.ts";
import { type GeneratedVisit, generateVisits } from "./traffic.ts";

const SITE = "https://shop.example";
const STRANGERS = ["https://staging.shop.example", "https://shop-preview.example.net"];
const REFUSED_EVENTS = 40;
const CONCURRENT_REQUESTS = 24;
/** Visitors who are on the site while the demo runs. */
const LIVE_VISITORS = 6;
const LIVE_STEP_MS = 15_000;
/** Enough for days; then the same visits come again. */
const LIVE_EVENTS = 50_000;

/** Generated events of a visit become twice as many by purchases and measurements. */
const MEASURED_SHARE = 2;

export interface DemoTarget {
  readonly url: string;
  readonly token: string;
}

interface DemoShop extends DemoTarget {
  readonly api: HeadwaterApi;
  readonly organizationId: string;
  readonly sourceId: string;
  readonly key: string;
}

const text = { type: "string" };
const number = { type: "number" };
const PLAN = {
  mode: "warn",
  unknownEvents: "allow",
  events: {
    add_to_cart: {
      schema: {
        type: "object",
        properties: { product: text, price: number, quantity: { type: "integer" } },
        required: ["product", "price"],
      },
    },
    purchase: {
      schema: {
        type: "object",
        properties: { revenue: { type: "object" }, order: text },
        required: ["revenue", "order"],
      },
    },
    signup: {
      schema: { type: "object", properties: { plan: { enum: ["free", "pro"] } }, required: ["plan"] },
    },
  },
} as const;

/** A source with goals, a plan, a funnel, a segment and an annotation. */
export async function createDemoShop({ url, token }: DemoTarget, until: number): Promise<DemoShop> {
  const api = createApi({ baseUrl: url, token });
  const organizationId = "org_default";
  const { sourceId, publicKey: key } = await api.createSource({
    body: {
      organizationId,
      name: "Demo shop",
      allowedOrigins: [SITE],
      goals: [
        { name: "Purchase", event: "purchase" },
        { name: "Sign-up", event: "signup" },
        { name: "Saw the pricing", path: "/pricing" },
      ],
    },
  });
  const params = { sourceId };
  await api.updateSource({ params, body: { organizationId, engagement: true } });
  await api.savePlan({ params, body: { organizationId, plan: PLAN } });
  const shared = { organizationId, shared: true };
  const day = new Date(until - 14 * DAY_MS).toISOString().slice(0, 10);
  await api.createSavedItem({ params, body: { ...shared, kind: "annotation", name: "Sale begins", day } });
  await api.createSavedItem({
    params,
    body: {
      ...shared,
      kind: "funnel",
      name: "Buying",
      steps: [{ event: "add_to_cart" }, { page: "/cart" }, { page: "/checkout" }, { event: "purchase" }],
      windowSeconds: 86_400,
    },
  });
  await api.createSavedItem({
    params,
    body: {
      ...shared,
      kind: "segment",
      name: "Phones from search",
      filters: [
        { dimension: "device", operator: "is", value: "mobile" },
        { dimension: "channel", operator: "is", value: "Organic search" },
      ],
    },
  });
  await api.completeOnboarding({ body: { organizationId } });
  return { api, url, token, organizationId, sourceId, key };
}

/** The address of each visitor is one of a network for documentation, so that each has rate limits of its own. */
const headersOf = ({ visitor }: GeneratedVisit): Record<string, string> => ({
  "X-Country": visitor.country,
  "X-Forwarded-For": `203.0.113.${Number.parseInt(visitor.anonymousId.slice(0, 2), 16)}`,
});

interface HistoryOptions {
  readonly events: number;
  readonly days: number;
  readonly until: number;
  /** Aborted when the demo is to end. */
  readonly ending: AbortSignal;
  onSent(events: number): void;
}

/** Sends the visits of the last days. @returns the number of accepted events */
export async function sendHistory(shop: DemoShop, options: HistoryOptions): Promise<number> {
  const { events, days, until, ending, onSent } = options;
  const { url, key } = shop;
  const sink = createIngestSink({ url, key, site: SITE, headersOf, concurrency: CONCURRENT_REQUESTS });
  const plan = { seed: 1, events: Math.ceil(events / MEASURED_SHARE), days, until, site: SITE };
  let sent = 0;
  let number = 0;
  for (const visit of generateVisits(plan)) {
    if (ending.aborted) break;
    const measured = toShopVisit(visit, number++, SITE);
    const past = measured.events.filter(({ at }) => at < until);
    await sink.add({ ...measured, events: past });
    sent += past.length;
    onSent(sent);
  }
  await sink.finish();
  return sink.counts.accepted;
}

/** Requests from pages that the source does not allow. */
export async function sendRefused(shop: DemoShop): Promise<void> {
  const api = createApi({ baseUrl: shop.url, maxTries: 1 });
  const plan = { seed: 3, events: REFUSED_EVENTS, days: 1, until: Date.now(), site: SITE };
  for (const [number, visit] of [...generateVisits(plan)].entries()) {
    const headers = {
      Origin: STRANGERS[number % STRANGERS.length] ?? SITE,
      "User-Agent": visit.visitor.userAgent,
      ...headersOf(visit),
    };
    // the refusal is the point
    await api
      .bootstrap({ params: { publicKey: shop.key }, headers, body: buildBody(visit) })
      .catch(() => undefined);
  }
}

interface LiveVisit {
  readonly visit: GeneratedVisit;
  readonly events: GeneratedVisit["events"];
  /** null before its first request. */
  sessionId: string | null;
}

const withoutMeasurements = (visit: GeneratedVisit): GeneratedVisit => ({
  ...visit,
  events: visit.events.filter(({ event }) => event.passive !== true),
});

/** The visits that come while the demo runs. When they end, others come. */
function* comingVisits(until: number): Generator<GeneratedVisit, never> {
  let number = 0;
  for (let seed = 2; ; seed += 1)
    for (const visit of generateVisits({ seed, events: LIVE_EVENTS, days: 30, until, site: SITE }))
      if (!visit.visitor.isBot) yield withoutMeasurements(toShopVisit(visit, number++, SITE));
}

/** Sends the next event of a visit as of now. */
async function sendNext(api: HeadwaterApi, key: string, live: LiveVisit): Promise<void> {
  const due = live.events.shift();
  if (!due) return;
  const at = Date.now();
  const event = { ...due.event, timestamp: new Date(at).toISOString() };
  const { visit, sessionId } = live;
  const headers = { Origin: SITE, "User-Agent": visit.visitor.userAgent, ...headersOf(visit) };
  const body = { ...buildBody({ ...visit, events: [{ at, event }] }), batchId: event.id, sessionId };
  const answer = await api.bootstrap({ params: { publicKey: key }, headers, body }).catch(() => null);
  live.sessionId = answer?.sessionId ?? sessionId;
}

/** Keeps some visitors on the site until the demo ends: every few seconds one of them goes on. */
export async function keepVisiting({ url, key }: DemoShop, ending: AbortSignal): Promise<void> {
  const api = createApi({ baseUrl: url, maxTries: 1 });
  const coming = comingVisits(Date.now());
  const onSite: LiveVisit[] = [];
  while (!ending.aborted) {
    // all of them are on the site at once
    const isNew = onSite.length < LIVE_VISITORS;
    const visit = isNew ? coming.next().value : null;
    const live = visit ? { visit, events: [...visit.events], sessionId: null } : onSite.shift();
    if (!live) return;
    if (live.events.length === 0) {
      // the same visitors come again, so that one day of the demo is not unlike all others
      live.events.push(...coming.next().value.events);
      live.sessionId = null;
    }
    await sendNext(api, key, live);
    onSite.push(live);
    if (!isNew) await setTimeout(LIVE_STEP_MS, null, { signal: ending }).catch(() => undefined);
  }
}

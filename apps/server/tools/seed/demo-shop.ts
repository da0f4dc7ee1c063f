/** The shop of `headwater demo`: its source, settings and traffic, all through the HTTP API. */
import { setTimeout } from "node:timers/promises";
import { createApi, type HeadwaterApi } from "../../../../packages/api/src/index.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/time.ts";
import { buildBody, createIngestSink } from "./ingest-sink.ts";
import { toShopVisit } from "./shop-visits.ts";
import { type GeneratedVisit, generateVisits } from "./traffic.ts";

const SITE = "https://shop.example";
const STRANGERS = ["https://staging.shop.example", "https://shop-preview.example.net"];
const REFUSED_EVENTS = 40;
const CONCURRENT_REQUESTS = 24;
/** Visitors who are on the site at once while the demo runs. */
const LIVE_VISITORS = 5;
/** Slow enough that an hour of the demo does not have the visits of a day. */
const LIVE_STEP_MS = 45_000;
/** Enough for days; then others come. */
const LIVE_EVENTS = 50_000;
const ARRIVAL_MS = 1_000;
/** The visits of this much time are sent at once, when the last of them has ended. A day is a multiple of it. */
const SENT_AT_ONCE_MS = 3 * HOUR_MS;

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
  /** The clock of the service. */
  readonly clock: DemoClock;
  onSent(events: number): void;
}

/** Goes through the days of the history while it is sent. */
export class DemoClock {
  #at: number | null;

  constructor(startsAt: number) {
    this.#at = startsAt;
  }

  readonly now = (): number => this.#at ?? Date.now();

  /** Never goes back. */
  moveTo(at: number): void {
    this.#at = Math.max(at, this.now());
  }

  /** From now on it is the machine's clock. */
  follow(): void {
    this.#at = null;
  }
}

/** Sends each visit of the last days at its time, so that arrivals have a history too. @returns the number of accepted events */
export async function sendHistory(shop: DemoShop, options: HistoryOptions): Promise<number> {
  const { events, days, until, ending, clock, onSent } = options;
  const { url, key } = shop;
  const sink = createIngestSink({
    url,
    key,
    site: SITE,
    headersOf,
    concurrency: CONCURRENT_REQUESTS,
    clock: clock.now,
  });
  const plan = { seed: 1, events: Math.ceil(events / MEASURED_SHARE), days, until, site: SITE };
  let sent = 0;
  let number = 0;
  let dueAt = 0;
  let due: GeneratedVisit[] = [];
  const sendDue = async () => {
    const ends = due.map(({ startedAt, events }) => events.at(-1)?.at ?? startedAt);
    clock.moveTo(Math.min(Math.max(...ends) + ARRIVAL_MS, until));
    for (const visit of due) {
      if (ending.aborted) break;
      await sink.add(visit);
      sent += visit.events.length;
      onSent(sent);
    }
    await sink.finish();
    due = [];
  };
  for (const visit of generateVisits(plan)) {
    if (ending.aborted) break;
    if (visit.startedAt >= dueAt) {
      await sendDue();
      dueAt = (Math.floor(visit.startedAt / SENT_AT_ONCE_MS) + 1) * SENT_AT_ONCE_MS;
    }
    const measured = toShopVisit(visit, number++, SITE);
    due.push({ ...measured, events: measured.events.filter(({ at }) => at < until) });
  }
  await sendDue();
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
  /** Those that are still to be sent. */
  readonly events: GeneratedVisit["events"];
  /** null before its first request. */
  sessionId: string | null;
}

const withoutMeasurements = (visit: GeneratedVisit): GeneratedVisit => ({
  ...visit,
  events: visit.events.filter(({ event }) => event.passive !== true),
});

/** The visits that come while the demo runs, each of another visitor. When they end, others come. */
export function* comingVisits(until: number): Generator<GeneratedVisit, never> {
  let number = 0;
  for (let seed = 2; ; seed += 1) {
    const visitors = new Set<string>();
    for (const visit of generateVisits({ seed, events: LIVE_EVENTS, days: 30, until, site: SITE })) {
      const { isBot, anonymousId } = visit.visitor;
      if (isBot || visitors.has(anonymousId)) continue;
      visitors.add(anonymousId);
      yield withoutMeasurements(toShopVisit(visit, number++, SITE));
    }
  }
}

function startVisit(coming: Generator<GeneratedVisit, never>): LiveVisit {
  const visit = coming.next().value;
  return { visit, events: [...visit.events], sessionId: null };
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

/** Keeps some visitors on the site until the demo ends: now and then one of them goes on, or leaves for another. */
export async function keepVisiting({ url, key }: DemoShop, ending: AbortSignal): Promise<void> {
  const api = createApi({ baseUrl: url, maxTries: 1 });
  const coming = comingVisits(Date.now());
  const onSite = Array.from({ length: LIVE_VISITORS }, () => startVisit(coming));
  // all of them are on the site at once
  for (const live of onSite) await sendNext(api, key, live);
  while (!ending.aborted) {
    await setTimeout(LIVE_STEP_MS, null, { signal: ending }).catch(() => undefined);
    const first = onSite.shift();
    if (ending.aborted || !first) return;
    const live = first.events.length > 0 ? first : startVisit(coming);
    await sendNext(api, key, live);
    onSite.push(live);
  }
}

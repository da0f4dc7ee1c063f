/**
 * The unchanged clients of other tools send 300 events each to the real service (1,000 with TEST_LONG=1), through a network that
 * delays all requests, and cuts, refuses or doubles 5 % each or loses their answers, while the service restarts twice. Only their
 * address is changed, as docs/migrate.md says.
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { until } from "../support/until.ts";
import {
  type Clients,
  distinct,
  installClients,
  openShop,
  openTroubledService,
  type TroubledService,
} from "./clients.ts";

const EVENTS = process.env.TEST_LONG ? 1_000 : 300;
const VISITORS = 50;
const RESTARTS_AFTER = [0.3 * EVENTS, 0.6 * EVENTS];

let clients: Clients;
before(async () => {
  clients = await installClients();
});
after(() => clients?.[Symbol.dispose]());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends events in groups of ten and restarts the service twice meanwhile. */
async function sendAll(service: TroubledService, send: (first: number, count: number) => Promise<void>) {
  service.worsen();
  for (let first = 0; first < EVENTS; first += 10) {
    await send(first, 10);
    if (RESTARTS_AFTER.includes(first)) await service.restart();
  }
}

type ReceivedClick = ReturnType<TroubledService["eventsOf"]>[number];
/** How often each event was stored, by the number that it has among its properties. */
function countsOf(events: readonly ReceivedClick[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { properties } of events) {
    const number = Number(properties?.number ?? properties?.label);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

/** Every event was stored once, except those of which the client says that it dropped them. */
function requireExactlyOnce(
  counts: ReadonlyMap<number, number>,
  dropped: ReadonlySet<number>,
  maxDoubled = 0,
): number {
  const numbers = Array.from({ length: EVENTS }, (_, number) => number);
  const lost = numbers.filter((number) => !counts.has(number) && !dropped.has(number));
  const doubled = numbers.filter((number) => (counts.get(number) ?? 0) > 1);
  assert.deepEqual(lost, []);
  assert.ok(doubled.length <= maxDoubled, `${doubled.length} are stored twice: ${doubled}`);
  return doubled.length;
}

function report(
  t: { diagnostic(text: string): void },
  service: TroubledService,
  dropped: ReadonlySet<number>,
) {
  t.diagnostic(`${JSON.stringify(service.faults)}; the client dropped ${dropped.size}`);
}

const named = (events: readonly ReceivedClick[], name: string) =>
  events.filter((event) => event.name === name);

test("@segment/analytics-node", async (t) => {
  await using service = await openTroubledService({ doubles: true });
  const source = await service.createSource();
  const { Analytics } = clients.load("@segment/analytics-node");
  const path = `/api/compat/${source.publicKey}/segment/v1/batch`;
  const analytics = new Analytics({ writeKey: "old-key", host: service.url, path, flushInterval: 100 });
  const dropped = new Set<number>();
  let settled = 0;
  await sendAll(service, async (first, count) => {
    for (let number = first; number < first + count; number += 1)
      analytics.track(
        {
          userId: `user-${number % VISITORS}`,
          event: "Clicked",
          properties: { number, revenue: 2.5, currency: "EUR" },
          context: { locale: "de-DE", page: { url: "https://shop.example/cart", title: "Cart" } },
        },
        (error: unknown) => {
          settled += 1;
          if (error) dropped.add(number);
        },
      );
    await pause(20);
  });
  await until("every event was delivered or dropped", () => settled === EVENTS);
  await analytics.closeAndFlush();
  const events = named(service.eventsOf(source), "Clicked");
  report(t, service, dropped);
  requireExactlyOnce(countsOf(events), dropped);
  assert.equal(distinct(events.map(({ userId }) => userId)), VISITORS);
  assert.equal(distinct(events.map(({ anonymousId }) => anonymousId)), VISITORS);
  assert.equal(distinct(events.map(({ sessionId }) => sessionId)), VISITORS);
  const [one] = events;
  assert.deepEqual(
    [one?.revenue, one?.currency, one?.locale, one?.page.path, one?.page.title, one?.sentBy],
    [2.5, "EUR", "de-DE", "/cart", "Cart", "server"],
  );
});

test("@rudderstack/rudder-sdk-node", async (t) => {
  await using service = await openTroubledService({ doubles: true });
  const source = await service.createSource();
  const dataPlaneUrl = `${service.url}/api/compat/${source.publicKey}/segment`;
  // a process of its own, because the client leaves rejections unhandled when it drops a batch
  const child = fork(clients.path("send-with-rudderstack.cjs"), [dataPlaneUrl, String(VISITORS)], {
    execArgv: ["--unhandled-rejections=none"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const dropped = new Set<number>();
  let settled = 0;
  child.on("message", ([number, isDropped]: [number, boolean]) => {
    settled += 1;
    if (isDropped) dropped.add(number);
  });
  await sendAll(service, async (first, count) => {
    child.send([first, count]);
    await pause(40);
  });
  await until("every event was delivered or dropped", () => settled === EVENTS);
  child.kill();
  const events = named(service.eventsOf(source), "Clicked");
  report(t, service, dropped);
  requireExactlyOnce(countsOf(events), dropped);
  assert.equal(distinct(events.map(({ userId }) => userId)), VISITORS);
  assert.equal(distinct(events.map(({ sessionId }) => sessionId)), VISITORS);
  assert.equal(events[0]?.sentBy, "server");
});

test("@umami/node", async (t) => {
  await using service = await openTroubledService({ doubles: false });
  const source = await service.createSource();
  const { Umami } = clients.load("@umami/node");
  const umami = new Umami({
    websiteId: "w-1",
    hostUrl: `${service.url}/api/compat/${source.publicKey}/umami`,
  });
  const dropped = new Set<number>();
  await sendAll(service, async (first, count) => {
    const sends = Array.from({ length: count }, async (_, at) => {
      const number = first + at;
      const payload = { url: "/cart", hostname: "shop.example", name: "Clicked", data: { number } };
      const answer = await umami.track(payload).catch(() => null);
      if (!answer?.ok) dropped.add(number);
    });
    await Promise.all(sends);
  });
  const events = named(service.eventsOf(source), "Clicked");
  report(t, service, dropped);
  requireExactlyOnce(countsOf(events), dropped);
  // one address and one user agent are one visitor
  assert.equal(distinct(events.map(({ anonymousId }) => anonymousId)), 1);
  assert.equal(distinct(events.map(({ sessionId }) => sessionId)), 1);
  assert.equal(events[0]?.page.path, "/cart");
});

test("matomo-tracker", async (t) => {
  await using service = await openTroubledService({ doubles: false });
  const source = await service.createSource();
  const MatomoTracker = clients.load("matomo-tracker");
  const tracker = new MatomoTracker(1, `${service.url}/api/compat/${source.publicKey}/matomo/matomo.php`);
  // the client does not say which request failed
  let failed = 0;
  tracker.on("error", () => {
    failed += 1;
  });
  const hit = (number: number) => ({
    url: "https://shop.example/cart",
    action_name: "Cart",
    _id: `${number % VISITORS}`.padStart(16, "0"),
    e_c: "Shop",
    e_a: "Clicked",
    e_n: String(number),
  });
  await sendAll(service, async (first, count) => {
    if (first % 100 === 0) tracker.trackBulk(Array.from({ length: count }, (_, at) => hit(first + at)));
    else for (let at = 0; at < count; at += 1) tracker.track(hit(first + at));
    await pause(50);
  });
  const stored = () => named(service.eventsOf(source), "Clicked");
  const missingOf = (counts: ReadonlyMap<number, number>) =>
    Array.from({ length: EVENTS }, (_, number) => number).filter((number) => !counts.has(number));
  /** A request that is lost is one event, or ten of them. */
  const lostRequests = (missing: readonly number[]) => {
    const bulkLost = missing.filter((number) => number % 100 < 10).length;
    return missing.length - bulkLost + Math.ceil(bulkLost / 10);
  };
  await until(
    "an event is lost only with an error",
    () => lostRequests(missingOf(countsOf(stored()))) <= failed,
  );
  const events = stored();
  const missing = new Set(missingOf(countsOf(events)));
  report(t, service, missing);
  requireExactlyOnce(countsOf(events), missing);
  assert.equal(distinct(events.map(({ anonymousId }) => anonymousId)), VISITORS);
  assert.equal(distinct(events.map(({ sessionId }) => sessionId)), VISITORS);
});

/** Opens a page with the script, in which `window.send(number)` sends an event and `window.dropped` collects failures. */
async function openPage(code: (apiUrl: string, apiHost: string) => string, service: TroubledService) {
  const shop = await openShop("");
  const source = await service.createSource(shop.url);
  shop[Symbol.dispose]();
  const compat = `${service.url}/api/compat/${source.publicKey}`;
  const script = await clients.bundle(code(compat, compat.replace("http://", "")));
  const site = await openShop(script, Number(new URL(shop.url).port));
  const context = await newVisitor();
  const page = await context.newPage();
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).hostname));
  await page.goto(`${site.url}/?utm_source=mail`);
  await page.waitForFunction(`"send" in window`);
  return {
    source,
    page,
    hosts,
    async [Symbol.asyncDispose]() {
      await context.close();
      site[Symbol.dispose]();
    },
  };
}

/** Server tests have no types of the DOM, so what runs in the page is text. */
const sendFrom = (page: Page) => async (first: number, count: number) => {
  await page.evaluate(`(async () => {
    const sends = Array.from({ length: ${count} }, (_, at) => window.send(${first} + at));
    await Promise.race([Promise.allSettled(sends), new Promise((resolve) => setTimeout(resolve, 500))]);
  })()`);
  await pause(50);
};

interface BrowserClient {
  readonly title: string;
  readonly code: (url: string, host: string) => string;
  /** Whether the client sends an event again when the request failed. */
  readonly retries: boolean;
}

const segmentCode = (settings: string) => `
  import { AnalyticsBrowser } from "@segment/analytics-next";
  const analytics = AnalyticsBrowser.load({ writeKey: "old-key", ${settings} });
  window.dropped = [];
  analytics.on("error", ({ code, ctx }) => code === "delivery_failure" && window.dropped.push(ctx.event.properties.number));
  analytics.page();
  window.send = (number) => void analytics.track("Clicked", { number });`;

const SEGMENT_CODE = (_url: string, host: string) =>
  segmentCode(`cdnSettings: {
    metrics: { sampleRate: 0 },
    integrations: { "Segment.io": { apiKey: "old-key", apiHost: "${host}/segment/v1", protocol: "http" } } }`);

const SEGMENT_CDN_CODE = (url: string) => segmentCode(`cdnURL: "${url}/segment"`);

const RUDDER_CODE = (url: string) => `
  import { RudderAnalytics } from "@rudderstack/analytics-js/bundled";
  const analytics = new RudderAnalytics();
  analytics.load("old-key-old-key-old-key-old", "${url}/segment", { configUrl: "${url}/segment" });
  window.dropped = [];
  analytics.page();
  window.send = (number) => void analytics.track("Clicked", { number });`;

const TRACKER_CODE = (url: string) => `
  import { init, track } from "@plausible-analytics/tracker";
  init({ domain: "shop.example", endpoint: "${url}/plausible/api/event", captureOnLocalhost: true });
  window.dropped = [];
  window.send = (number) => new Promise((resolve) => track("Clicked", { props: { number }, callback: (result) => {
    if (result?.status !== 202) window.dropped.push(number);
    resolve();
  } }));`;

const PLAUSIBLE_CODE = (url: string) => `
  import Plausible from "plausible-tracker";
  const { trackEvent, trackPageview } = Plausible({ domain: "shop.example", apiHost: "${url}/plausible", trackLocalhost: true });
  window.dropped = [];
  trackPageview();
  window.send = (number) => new Promise((resolve) => trackEvent("Clicked", { callback: resolve, props: { number } }));`;

const BROWSER_CLIENTS: readonly BrowserClient[] = [
  { title: "@segment/analytics-next", code: SEGMENT_CODE, retries: true },
  { title: "@segment/analytics-next with cdnURL", code: SEGMENT_CDN_CODE, retries: true },
  { title: "@rudderstack/analytics-js", code: RUDDER_CODE, retries: true },
  { title: "@plausible-analytics/tracker", code: TRACKER_CODE, retries: false },
  { title: "plausible-tracker", code: PLAUSIBLE_CODE, retries: false },
];

/** Visitors open many pages. */
const EVENTS_PER_PAGE = 100;

for (const { title, code, retries } of BROWSER_CLIENTS) {
  test(`${title} in Chromium`, { skip }, async (t) => {
    await using service = await openTroubledService({ doubles: retries });
    await using visit = await openPage(code, service);
    const { page, source } = visit;
    const stored = (name = "Clicked") => named(service.eventsOf(source), name);
    await until("the page view arrives", () => stored("page_view").length === 1);
    const dropped = new Set<number>();
    const noteDropped = async () => {
      for (const number of await page.evaluate<number[]>("window.dropped")) dropped.add(number);
    };
    const send = sendFrom(page);
    await sendAll(service, async (first, count) => {
      await send(first, count);
      if (retries || (first + count) % EVENTS_PER_PAGE !== 0) return;
      await noteDropped();
      await page.reload();
    });
    if (retries) await until("all events arrive", () => countsOf(stored()).size === EVENTS);
    await noteDropped();
    const counts = countsOf(stored());
    if (title === "plausible-tracker")
      for (let number = 0; number < EVENTS; number += 1) if (!counts.has(number)) dropped.add(number);
    const { cut, swallow, 503: refused } = service.faults;
    report(t, service, dropped);
    // Chromium repeats a request on its own when a used connection breaks, and the client sends no id
    const doubled = requireExactlyOnce(counts, dropped, retries ? 0 : swallow);
    t.diagnostic(`${doubled} requests that the browser repeated are stored twice`);
    if (!retries) assert.ok(dropped.size <= cut + swallow + refused, `${dropped.size} are dropped`);
    assert.deepEqual([...visit.hosts], ["127.0.0.1"]);
    const all = service.eventsOf(source);
    assert.equal(distinct(all.map(({ anonymousId }) => anonymousId)), 1);
    assert.equal(distinct(all.map(({ sessionId }) => sessionId)), 1);
    const [view] = stored("page_view");
    assert.deepEqual([view?.page.path, view?.page.utm.source, view?.sentBy], ["/", "mail", "browser"]);
  });
}

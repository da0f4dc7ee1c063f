/**
 * Requests in the form of the examples that the documentation of each tool shows, as a server sends them. Each is accepted, or
 * refused for a reason that is true.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { CompatEndpoint } from "@headwater/contract";
import { openWorld, type World } from "../support/world.ts";

interface ForeignExample {
  readonly title: string;
  readonly path: string;
  /** Default: POST. */
  readonly method?: "GET";
  readonly body?: unknown;
  /** The status of the answer, and of each event its outcome or the code of its rejection. */
  readonly expected: readonly [status: number, ...outcomes: string[]];
}

const now = Date.now();
const seconds = Math.floor(now / 1_000);
const library = { name: "http", version: "1.0" };

const SEGMENT: readonly ForeignExample[] = [
  {
    title: "track with the write key in the body",
    path: "segment/v1/track",
    body: { event: "Item Purchased", email: "test@example.org", userId: "123", writeKey: "abc123" },
    expected: [200, "accepted"],
  },
  {
    title: "identify with traits and a time of 2012",
    path: "segment/v1/identify",
    body: {
      userId: "019mr8mf4r",
      traits: { plan: "Free", friends: 42 },
      context: { ip: "24.5.68.47" },
      timestamp: "2012-12-02T00:30:08.276Z",
    },
    expected: [200, "timestamp_too_old"],
  },
  {
    title: "page with a name only",
    path: "segment/v1/page",
    body: { userId: "019mr8mf4r", name: "Tracking HTTP API", context: { library } },
    expected: [200, "accepted"],
  },
  {
    title: "screen of an app",
    path: "segment/v1/screen",
    body: {
      anonymousId: "507f191e810c19729de860ea",
      name: "Home",
      properties: { variation: "blue" },
      context: { app: { name: "InitechGlobal", build: "3.0.1.545" }, device: { type: "ios" } },
    },
    expected: [200, "accepted"],
  },
  {
    title: "group",
    path: "segment/v1/group",
    body: { userId: "019mr8mf4r", groupId: "group123", traits: { employees: 329, industry: "Technology" } },
    expected: [200, "accepted"],
  },
  {
    title: "alias",
    path: "segment/v1/alias",
    body: { previousId: "old", userId: "new" },
    expected: [200, "accepted"],
  },
  {
    title: "a batch of four types",
    path: "segment/v1/batch",
    body: {
      batch: [
        { type: "identify", userId: "019mr8mf4r", traits: { plan: "Enterprise" } },
        { type: "track", userId: "019mr8mf4r", event: "Song Played", properties: { seconds: 12 } },
        {
          type: "page",
          userId: "971mj8mk7p",
          name: "Docs",
          properties: { url: "https://shop.example/docs" },
        },
        { type: "track", event: "Nobody" },
      ],
      context: { library },
      sentAt: new Date(now).toISOString(),
    },
    expected: [200, "accepted", "accepted", "accepted", "invalid_event"],
  },
  {
    title: "a track call without an event",
    path: "segment/v1/track",
    body: { userId: "123", properties: {} },
    expected: [422],
  },
];

const PLAUSIBLE: readonly ForeignExample[] = [
  {
    title: "a page view with the width of the screen",
    path: "plausible/api/event",
    body: {
      domain: "a.example",
      name: "pageview",
      url: "http://gigride.example/",
      referrer: "http://m.facebook.com/",
      screen_width: 1440,
    },
    expected: [202, "accepted"],
  },
  {
    title: "properties that are not an object",
    path: "plausible/api/event",
    body: {
      domain: "a.example",
      name: "Signup",
      url: "http://gigride.example/",
      props: '"show-more:button"',
    },
    expected: [202, "accepted"],
  },
  {
    title: "revenue as text",
    path: "plausible/api/event",
    body: {
      domain: "a.example",
      name: "Purchase",
      url: "app://localhost/checkout",
      revenue: '{"amount":"1322.22","currency":"USD"}',
    },
    expected: [202, "accepted"],
  },
  { title: "an empty body", path: "plausible/api/event", body: "", expected: [422] },
  {
    title: "no url",
    path: "plausible/api/event",
    body: { name: "Signup", domain: "a.example" },
    expected: [422],
  },
];

const UMAMI: readonly ForeignExample[] = [
  {
    title: "an event",
    path: "umami/api/send",
    body: {
      type: "event",
      payload: {
        website: "w",
        hostname: "h.example",
        language: "en-US",
        referrer: "",
        screen: "1920x1080",
        title: "T",
        url: "/",
        name: "event-name",
        data: { foo: "bar" },
      },
    },
    expected: [200, "accepted"],
  },
  { title: "no payload", path: "umami/api/send", body: { type: "event" }, expected: [422] },
  {
    title: "a page view without an address",
    path: "umami/api/send",
    body: { type: "event", payload: { website: "w" } },
    expected: [200, "page_address_missing"],
  },
];

const GA4: readonly ForeignExample[] = [
  {
    title: "a purchase",
    path: "ga4/mp/collect?measurement_id=G-XXXXXXXXXX&api_secret=secret",
    body: {
      client_id: "x.y",
      timestamp_micros: String(now * 1_000),
      user_properties: { ltv: { value: 100 } },
      events: [
        {
          name: "purchase",
          params: {
            currency: "USD",
            transaction_id: "T_12345",
            value: 12.21,
            items: [{ item_id: "SKU_12345", price: 9.99 }],
          },
        },
      ],
    },
    expected: [204, "accepted"],
  },
  {
    title: "a tutorial without parameters",
    path: "ga4/mp/collect",
    body: {
      client_id: "client_id",
      events: [
        { name: "tutorial_begin", params: {} },
        { name: "tutorial_begin", params: {} },
      ],
    },
    expected: [204, "accepted", "accepted"],
  },
  {
    title: "an app of Firebase",
    path: "ga4/mp/collect?firebase_app_id=1:2:android:3",
    body: { app_instance_id: "app", events: [{ name: "login", params: { method: "Google" } }] },
    expected: [204, "accepted"],
  },
  {
    title: "an event from before the last year",
    path: "ga4/mp/collect",
    body: { client_id: "x.y", timestamp_micros: 1_234_567_890_123_456, events: [{ name: "login" }] },
    expected: [204, "timestamp_too_old"],
  },
];

const MATOMO: readonly ForeignExample[] = [
  {
    title: "a bulk request",
    path: "matomo/matomo.php",
    body: {
      requests: [
        "?idsite=1&url=http://shop.example&action_name=Test bulk log Pageview&rec=1",
        "?idsite=1&url=http://shop.example/test.htm&action_name=Another bulk page view&rec=1",
      ],
      token_auth: "33dc3f2536d3025974cccb4b4d2d98f4",
    },
    expected: [200, "accepted", "accepted"],
  },
  {
    title: "a bulk request with a time",
    path: "matomo/matomo.php",
    body: { requests: [`?idsite=1&rec=1&url=http://shop.example/&cdt=${seconds}&uid=me`] },
    expected: [200, "accepted"],
  },
  {
    title: "a time that is none",
    path: "matomo/matomo.php?idsite=1&rec=1&url=http%3A%2F%2Fshop.example%2F&cdt=yesterday",
    body: "",
    expected: [422],
  },
  {
    title: "a request without a body",
    method: "GET",
    path: "matomo/matomo.php?idsite=1&rec=1&url=http%3A%2F%2Fshop.example%2F&rand=1",
    expected: [200, "accepted"],
  },
  { title: "an empty bulk request", path: "matomo/matomo.php", body: { requests: [] }, expected: [422] },
];

const EXAMPLES: Readonly<Record<CompatEndpoint, readonly ForeignExample[]>> = {
  segment: SEGMENT,
  plausible: PLAUSIBLE,
  umami: UMAMI,
  ga4: GA4,
  matomo: MATOMO,
};

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world?.[Symbol.asyncDispose]());

for (const { title, method = "POST", path, body, expected } of Object.values(EXAMPLES).flat()) {
  test(`${path.split("?")[0]}: ${title}`, async () => {
    const { publicKey, sourceId } = await world.createSource();
    const { status } = await world.ask(`/api/compat/${publicKey}/${path}`, {
      method,
      token: null,
      body,
      headers: { "user-agent": "curl/8.5.0", "content-type": "application/json" },
    });
    const { eventAttempts } = (await world.ask(`/api/tracking-sources/${sourceId}/debug`)).body;
    const results: { status: string; code: string | null }[] = eventAttempts[0].results;
    assert.deepEqual([status, ...results.map((one) => one.code ?? one.status)], expected);
  });
}

test("For each tool, the page has an address and what is stored, the README its name, and `endpoints.test.ts` tests.", () => {
  const read = (name: string) => readFileSync(new URL(`../../../../${name}`, import.meta.url), "utf8");
  const [page, readme] = [read("docs/migrate.md"), read("README.md").toLowerCase()];
  const tests = ["endpoints", "segment"]
    .map((name) => read(`apps/server/test/compat/${name}.test.ts`))
    .join();
  for (const endpoint of Object.keys(EXAMPLES)) {
    assert.ok(page.includes(`/api/compat/pk_…/${endpoint}`), `docs/migrate.md lacks ${endpoint}`);
    const table = `| ${endpoint} | stored as |`;
    assert.ok(page.toLowerCase().includes(table), `docs/migrate.md lacks the table "${table}"`);
    assert.ok(readme.includes(endpoint), `README.md lacks ${endpoint}`);
    const hasTests = new RegExp(`^describe\\(".*/${endpoint}/`, "m").test(tests);
    assert.ok(hasTests, `test/compat/endpoints.test.ts lacks a describe of …/${endpoint}/`);
  }
});

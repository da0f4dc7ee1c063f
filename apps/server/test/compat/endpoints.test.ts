import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { storedEvents } from "../ledger/reader.ts";
import { BROWSER, drivenClock, fresh, ORIGIN, openWorld, refused } from "../support/world.ts";

const MINUTE_MS = 60_000;
const time = drivenClock();
const world = await openWorld({}, { clock: time.clock });
after(() => world[Symbol.asyncDispose]());
const source = await world.createSource();
const at = (ms = 0) => new Date(time.now() + ms).toISOString();

const base = `/api/compat/${source.publicKey}`;
const send = (path: string, body: unknown, headers = {}) => world.send(`${base}/${path}`, body, headers);
/** A server, such as a Node process. */
const post = (path: string, body: unknown, headers = {}) =>
  world.ask(`${base}/${path}`, {
    method: "POST",
    token: null,
    body,
    headers: { "user-agent": "node", ...headers },
  });
const get = (path: string, headers = {}) =>
  world.ask(`${base}/${path}`, {
    token: null,
    headers: { "user-agent": BROWSER, origin: ORIGIN, ...headers },
  });
const all = () => storedEvents(world.dataDir);
const named = (name: string) => all().filter((event) => event.name === name);
const only = (name: string) => {
  const [event, ...others] = named(name);
  assert.ok(event, name);
  assert.equal(others.length, 0, name);
  return event;
};
const viewOf = (path: string) =>
  all().find((event) => event.type === "page" && event.page.path === path) ?? assert.fail(path);
/** The latest attempt of an endpoint with this outcome. */
async function attemptOf(endpoint: string, outcome = "succeeded") {
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?outcome=${outcome}`);
  const attempts: Record<string, unknown>[] = body.eventAttempts;
  return attempts.find((attempt) => attempt.endpoint === endpoint) ?? assert.fail(endpoint);
}

describe("POST …/plausible/api/event", () => {
  const event = (over: object) => ({
    n: "pageview",
    u: `${ORIGIN}/`,
    d: "shop.example",
    r: null,
    v: 36,
    ...over,
  });
  const path = "plausible/api/event";

  it("stores page views, custom events with revenue, and engagement, of a visitor without storage", async () => {
    const { status, text, headers } = await send(
      path,
      event({ u: `${ORIGIN}/p1?utm_source=x`, r: "https://news.example/" }),
    );
    assert.deepEqual([status, text, headers.get("cache-control")], [202, "ok", "no-cache"]);
    await send(path, event({ n: "Bought", p: { plan: "pro" }, $: { amount: "9.5", currency: "EUR" } }));
    await send(path, event({ n: "engagement", sd: 40, e: 12_500 }));
    await send(path, event({ n: "Seen", i: false, p: JSON.stringify({ old: "client" }) }));
    const [view, bought, engagement, seen] = [
      viewOf("/p1"),
      only("Bought"),
      only("engagement"),
      only("Seen"),
    ];
    assert.deepEqual([view.page.utm.source, view.page.referrer], ["x", "https://news.example/"]);
    assert.deepEqual([bought.revenue, bought.currency, bought.properties.plan], [9.5, "EUR", "pro"]);
    assert.deepEqual(
      [engagement.passive, engagement.engagedSeconds, engagement.scrollDepth],
      [true, 12.5, 40],
    );
    assert.deepEqual([seen.passive, seen.properties], [true, { old: "client" }]);
    assert.match(view.anonymousId, /^\$none\.[0-9a-f]{32}$/);
    assert.equal(new Set([view, bought, engagement, seen].map(({ sessionId }) => sessionId)).size, 1);
  });

  it("shows the version of the client", async () => {
    await send(path, event({}));
    assert.equal((await attemptOf("plausible")).sdkVersion, "plausible 36");
  });

  it("equal events of different requests all count; with the same X-Request-Id a retry is a duplicate", async () => {
    for (let count = 0; count < 3; count += 1) await send(path, event({ n: "Click" }));
    assert.equal(named("Click").length, 3);
    const requestId = { "x-request-id": fresh("retry") };
    for (let count = 0; count < 2; count += 1) await send(path, event({ n: "Retried" }), requestId);
    assert.equal(named("Retried").length, 1);
  });

  it("says in a header that an event was rejected, and the debug view shows it with the request", async () => {
    const tooOld = { n: "x".repeat(201), u: `${ORIGIN}/` };
    const { status, headers } = await send(path, tooOld);
    assert.deepEqual([status, headers.get("x-plausible-dropped")], [202, "1"]);
    const { httpStatus, code, raw } = await attemptOf("plausible", "failed");
    assert.deepEqual([httpStatus, code], [202, "event_name_too_long"]);
    assert.deepEqual(raw, tooOld);
    refused(await send(path, { n: "No address" }), 422, "invalid_payload");
  });

  it("a visit ends after 30 minutes without events", async () => {
    await send(path, event({ n: "First" }));
    time.advance(31 * MINUTE_MS);
    await send(path, event({ n: "Later" }));
    assert.notEqual(only("First").sessionId, only("Later").sessionId);
    assert.equal(only("First").anonymousId, only("Later").anonymousId);
  });
});

describe("POST …/umami/api/send and batch", () => {
  const payload = (over: object) => ({
    website: "9f1c0a3e-1111-4222-8333-944445555666",
    hostname: "shop.example",
    url: "/u1",
    language: "de-DE",
    screen: "1440x900",
    title: "One",
    referrer: "",
    ...over,
  });
  const message = (over: object, type = "event") => ({ type, payload: payload(over) });

  it("stores page views, events, identify and performance", async () => {
    const { status, body } = await send("umami/api/send", message({ url: "/u1?utm_medium=cpc" }));
    assert.equal(status, 200);
    await send("umami/api/send", message({ name: "umami-click", data: { a: 1 }, tag: "b" }));
    await send("umami/api/send", message({ data: { plan: "pro" } }, "identify"));
    await send("umami/api/send", message({ lcp: 1200, cls: 0.1 }, "performance"));
    const [view, click, vitals] = [viewOf("/u1"), only("umami-click"), only("web_vitals")];
    assert.equal(body.sessionId, view.sessionId);
    assert.deepEqual(
      [view.page.utm.medium, view.page.title, view.locale, view.screen, click.properties],
      ["cpc", "One", "de-DE", "1440x900", { a: 1, tag: "b" }],
    );
    assert.deepEqual([vitals.passive, vitals.properties], [true, { lcp: 1200, cls: 0.1 }]);
    assert.deepEqual(only("identify").properties, { plan: "pro" });
    assert.equal(new Set([view, click, vitals].map(({ sessionId }) => sessionId)).size, 1);
  });

  it("counts the revenue of an event with its currency, as a number or a text", async () => {
    const names: string[] = [];
    for (const data of [
      { revenue: 19.99, currency: "USD" },
      { revenue: "19.99", currency: "usd", sku: "a" },
    ]) {
      const name = fresh("checkout");
      names.push(name);
      const { body } = await send("umami/api/send", message({ name, data }));
      assert.deepEqual([body.accepted, only(name).revenue, only(name).currency], [1, 19.99, "USD"]);
    }
    assert.equal(only(names[1] ?? "").properties.sku, "a");
    const name = fresh("without");
    await send("umami/api/send", message({ name, data: { currency: "USD", revenue: "much" } }));
    assert.equal(only(name).revenue ?? null, null);
  });

  it("an id identifies the visitor and the user; a batch says which messages were rejected", async () => {
    const seconds = time.now() / 1_000 - 60;
    const one = message({ name: "known", id: "user-9", timestamp: seconds, userAgent: BROWSER });
    const batch = [
      one,
      message({ name: "known", id: "user-9", timestamp: seconds + 1 }),
      { type: "poke" },
      one,
    ];
    const { status, body } = await post("umami/api/batch", batch);
    assert.deepEqual(
      [status, body.size, body.processed, body.errors, body.details[0].index],
      [200, 4, 3, 1, 2],
    );
    const [known] = named("known");
    assert.deepEqual(
      [known.anonymousId, known.userId, known.occurredAt, known.sentBy, known.device.browser],
      ["user-9", "user-9", at(-MINUTE_MS), "server", "Chrome"],
    );
    assert.equal((await post("umami/api/batch", batch)).body.duplicates, 3, "a retry");
    refused(await post("umami/api/poke", one), 404, "route_not_found");
    refused(await post("umami/api/batch", {}), 422, "invalid_payload");
  });
});

describe("POST …/ga4/mp/collect", () => {
  const path = "ga4/mp/collect?measurement_id=G-1&api_secret=old";
  const ga4 = (events: unknown[], over: object = {}) => ({
    client_id: "1234.5678",
    user_id: "user-7",
    timestamp_micros: String(time.now() * 1_000),
    user_properties: { plan: { value: "pro" } },
    events,
    ...over,
  });

  it("stores events with page, revenue, user and session, and answers 204", async () => {
    const params = {
      session_id: "77",
      page_location: `${ORIGIN}/g1`,
      page_title: "G",
      page_referrer: "https://news.example/",
    };
    const events = [
      { name: "page_view", params },
      { name: "purchase", params: { ...params, value: 20.5, currency: "EUR", transaction_id: "T1" } },
    ];
    const { status, text } = await post(path, ga4(events));
    assert.deepEqual([status, text], [204, ""]);
    const [view, purchase] = [viewOf("/g1"), only("purchase")];
    assert.deepEqual([view.anonymousId, view.userId, view.page.title], ["1234.5678", "user-7", "G"]);
    assert.deepEqual(
      [purchase.revenue, purchase.currency, purchase.properties.transaction_id],
      [20.5, "EUR", "T1"],
    );
    assert.deepEqual(
      [purchase.context.userProperties, purchase.sessionId],
      [{ plan: "pro" }, view.sessionId],
    );
    assert.equal(purchase.sentBy, "server");
    await post(path, ga4(events));
    assert.equal(named("purchase").length, 1, "a retry is a duplicate");
    time.advance(1_000);
    await post(path, ga4(events));
    assert.equal(named("purchase").length, 2, "an equal event of another time is none");
    assert.equal((await attemptOf("ga4")).httpStatus, 204);
  });

  it("equal events at different microseconds are two events", async () => {
    const name = fresh("click");
    for (const micros of [1, 2, 1])
      await post(path, ga4([{ name }], { timestamp_micros: time.now() * 1_000 + micros }));
    assert.equal(named(name).length, 2);
  });

  it("takes the path of a page view without its location; one without both is refused, or alone rejected", async () => {
    await post(path, ga4([{ name: "page_view", params: { page_path: "/g-path", page_title: "G" } }]));
    assert.equal(viewOf("/g-path").page.title, "G");
    const name = fresh("beside");
    const { status, headers } = await post(path, ga4([{ name: "page_view", params: {} }, { name }]));
    assert.deepEqual([status, headers.get("x-headwater-rejected")], [204, "1"]);
    only(name);
    const alone = await post(path, ga4([{ name: "page_view", params: { page_title: "G" } }]));
    refused(alone, 422, "invalid_payload");
    assert.match(alone.body.issues[0].message, /`page_location`/);
  });

  it("refuses a request without a client id or events", async () => {
    refused(
      await post(path, ga4([{ name: "a" }], { client_id: undefined, user_id: null })),
      422,
      "invalid_payload",
    );
    refused(await post(path, ga4([])), 422, "invalid_payload");
  });
});

describe("GET and POST …/matomo/matomo.php", () => {
  const query = (fields: Record<string, string>) =>
    `matomo/matomo.php?${new URLSearchParams({ idsite: "1", rec: "1", _id: "0123456789abcdef", ...fields })}`;
  const rand = () => ({ rand: fresh("0."), h: "12", m: "0", s: "0" });

  it("stores page views, events, searches, goals and orders of a query, and answers with an image", async () => {
    const view = {
      url: `${ORIGIN}/m1`,
      action_name: "M1",
      urlref: "https://news.example/",
      res: "1440x900",
      lang: "de",
    };
    const { status, headers } = await get(query({ ...view, ...rand(), uid: "user-5", dimension1: "gold" }));
    assert.deepEqual([status, headers.get("content-type")], [200, "image/gif"]);
    await get(query({ e_c: "Videos", e_a: "Play", e_n: "Intro", e_v: "3", url: `${ORIGIN}/m1`, ...rand() }));
    await get(query({ search: "shoes", search_count: "4", ...rand() }));
    await get(query({ idgoal: "2", revenue: "5", ...rand() }));
    await get(
      query({ idgoal: "0", ec_id: "A1", revenue: "5", ec_items: '[["sku","name","cat",5,1]]', ...rand() }),
    );
    await get(query({ ping: "1", ...rand() }));
    const stored = viewOf("/m1");
    assert.deepEqual(
      [
        stored.page.title,
        stored.page.referrer,
        stored.screen,
        stored.locale,
        stored.anonymousId,
        stored.userId,
      ],
      ["M1", "https://news.example/", "1440x900", "de", "0123456789abcdef", "user-5"],
    );
    assert.deepEqual(stored.properties, { dimension1: "gold" });
    assert.deepEqual(only("Play").properties, { category: "Videos", label: "Intro", value: 3 });
    assert.deepEqual(only("search").properties, { keyword: "shoes", results: 4 });
    assert.deepEqual(only("goal").properties, { goalId: "2", value: 5 });
    assert.deepEqual(only("ecommerce_order").properties.items, [["sku", "name", "cat", 5, 1]]);
    assert.equal(only("ping").passive, true);
  });

  it("a retry of a query is a duplicate; send_image=0 is answered 204; the debug view shows the query", async () => {
    const asked = query({
      e_c: "a",
      e_a: "twice",
      send_image: "0",
      token_auth: "0123456789abcdef0123456789abcdef",
      ...rand(),
    });
    for (let count = 0; count < 2; count += 1) assert.equal((await get(asked)).status, 204);
    only("twice");
    const { raw } = await attemptOf("matomo");
    assert.match(String(raw), /e_a=twice/);
    assert.doesNotMatch(String(raw), /0123456789abcdef0123456789abcdef/);
  });

  it("recognizes a retry of Matomo's script by its random number", async () => {
    const byScript = query({ e_c: "a", e_a: "script", r: "187090", h: "9", m: "22", s: "40" });
    for (let count = 0; count < 2; count += 1) await get(byScript);
    only("script");
  });

  it("a random number without the time of day is no id: an address that has it counts at each visit", async () => {
    const e_a = fresh("pixel");
    const asked = { e_c: "a", e_a, rand: "1" };
    for (const time of [{}, {}, { h: "12" }, { h: "", m: "", s: "" }])
      await get(query({ ...asked, ...time }));
    assert.equal(named(e_a).length, 4);
    const cdt = String(Math.floor(time.now() / 1_000));
    for (let count = 0; count < 2; count += 1) await get(query({ ...asked, cdt }));
    assert.equal(named(e_a).length, 5, "with the time of the event it is one");
  });

  it("takes a form, and a bulk request whose answer counts what was tracked", async () => {
    const form = new URLSearchParams({ idsite: "1", rec: "1", e_c: "a", e_a: "form" }).toString();
    await post("matomo/matomo.php", form, { "content-type": "application/x-www-form-urlencoded" });
    only("form");
    const cdt = new Date(time.now() - MINUTE_MS).toISOString().slice(0, 19).replace("T", " ");
    const hit = (name: string, rec = "1") =>
      `?idsite=1&rec=${rec}&_id=fedcba9876543210&e_c=a&e_a=${name}&cdt=${encodeURIComponent(cdt)}`;
    const bulk = { requests: [hit("bulk-1"), hit("bulk-2", "0"), hit("bulk-1")], token_auth: "x" };
    const { body } = await post("matomo/matomo.php", bulk);
    assert.deepEqual(body, { status: "success", tracked: 2, invalid: 1, invalid_indices: [1] });
    assert.equal(named("bulk-1").length, 2, "equal requests of one bulk request are two events");
    assert.equal(named("bulk-1")[0].occurredAt, at(-MINUTE_MS));
    await post("matomo/matomo.php", bulk);
    assert.equal(named("bulk-1").length, 2, "a retry");
  });

  it("new_visit=1 opens a session", async () => {
    const visitor = { _id: "1111111111111111" };
    for (const extra of [{ e_a: "v1" }, { e_a: "v2", new_visit: "1" }, { e_a: "v3" }]) {
      time.advance(1_000);
      await get(query({ e_c: "a", ...visitor, ...extra, ...rand() }));
    }
    const [one, two, three] = ["v1", "v2", "v3"].map((name) => only(name).sessionId);
    assert.notEqual(one, two);
    assert.equal(two, three);
    const again = { rec: "1", e_c: "a", ...visitor };
    const malformed = { ...again, e_a: "v4", new_visit: "1", cdt: "yesterday" };
    const { body } = await post("matomo/matomo.php", { requests: [malformed, { ...again, e_a: "v5" }] });
    assert.deepEqual([body.tracked, body.invalid], [1, 1]);
    assert.equal(only("v5").sessionId, three, "a malformed request opens none");
  });

  it("refuses a request without rec=1, without the name of its event, or from another origin", async () => {
    refused(await get("matomo/matomo.php?idsite=1"), 422, "invalid_payload");
    const nameless = await get(query({ e_c: "Shop", ...rand() }));
    refused(nameless, 422, "invalid_payload");
    assert.match(nameless.body.issues[0].message, /`e_a`/);
    refused(await get(query(rand()), { origin: "https://other.example" }), 403, "origin_not_allowed");
  });
});

describe("Properties of another tool's event", () => {
  const id = "user-of-properties";
  /** Requests with one event. */
  const requests: Readonly<Record<string, (value: unknown, name: string) => object>> = {
    "segment/v1/track": (properties, event) => ({ event, userId: id, properties }),
    "segment/v1/page": (properties, name) => ({ userId: id, name, properties }),
    "segment/v1/identify": (traits) => ({ userId: id, traits }),
    "segment/v1/group": (traits) => ({ userId: id, groupId: 1, traits }),
    "segment/v1/batch": (context, event) => ({ batch: [{ type: "track", event, userId: id, context }] }),
    "umami/api/send": (data, name) => ({ type: "event", payload: { url: "/", id, name, data } }),
    "ga4/mp/collect": (params, name) => ({ client_id: id, events: [{ name, params }] }),
  };
  for (const [path, request] of Object.entries(requests))
    it(`${path}: are an object, or left out`, async () => {
      for (const value of [[1], "x", 7, true])
        refused(await send(path, request(value, fresh("malformed"))), 422, "invalid_payload");
      for (const value of [{ a: 1 }, {}, [], null, undefined]) {
        const { status, text } = await send(path, request(value, fresh("object")));
        assert.ok(status < 300, text);
      }
    });

  it("are refused where they are shared by the events of a request", async () => {
    const events = [{ name: "e" }];
    for (const value of [[1], "x", 7]) {
      const batch = [{ type: "track", event: "e", userId: id }];
      refused(await send("segment/v1/batch", { batch, context: value }), 422, "invalid_payload");
      const body = { client_id: id, events, user_properties: value };
      refused(await send("ga4/mp/collect", body), 422, "invalid_payload");
    }
  });

  it("GA4: a user property without a value is stored as it is", async () => {
    const name = fresh("user-property");
    await send("ga4/mp/collect", {
      client_id: id,
      user_properties: { plan: { value: "pro" }, team: { size: 3 } },
      events: [{ name }],
    });
    assert.deepEqual(only(name).context.userProperties, { plan: "pro", team: { size: 3 } });
  });
});

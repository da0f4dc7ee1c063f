import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { storedEvents } from "../ledger/reader.ts";
import { BROWSER, drivenClock, fresh, ORIGIN, openWorld, refused } from "../support/world.ts";

const MINUTE_MS = 60_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const time = drivenClock();
const world = await openWorld({}, { clock: time.clock });
after(() => world[Symbol.asyncDispose]());
const source = await world.createSource();
const at = (ms = 0) => new Date(time.now() + ms).toISOString();

const path = (call: string) => `/api/compat/${source.publicKey}/segment/v1/${call}`;
const send = (call: string, body: unknown, headers = {}) => world.send(path(call), body, headers);
const message = (over: Record<string, unknown> = {}) => ({
  messageId: fresh("ajs-next"),
  anonymousId: fresh("anonymous"),
  timestamp: at(),
  ...over,
});
const track = (over: Record<string, unknown> = {}) => message({ type: "track", event: "Signed Up", ...over });
const storedOf = (eventId: string) => storedEvents(world.dataDir).find((event) => event.eventId === eventId);
const attempts = async () =>
  (await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).body.eventAttempts;
const sessionsOf = (anonymousId: string) => {
  const events = storedEvents(world.dataDir).filter((event) => event.anonymousId === anonymousId);
  return new Set(events.map(({ sessionId }) => sessionId)).size;
};

describe("POST /api/compat/:publicKey/segment/v1/:call", () => {
  it("stores a track call with every field that the mapping names", async () => {
    const call = track({
      userId: 17,
      event: "Order Completed",
      properties: { revenue: "49.90", currency: "EUR", coupon: "SPRING" },
      context: {
        ip: "203.0.113.9",
        locale: "de-DE",
        timezone: "Europe/Berlin",
        userAgent: BROWSER,
        screen: { width: 1440, height: 900, innerWidth: 1200, innerHeight: 700 },
        page: { url: `${ORIGIN}/pay?utm_source=mail`, title: "Pay", referrer: "https://news.example/a" },
        library: { name: "analytics.js", version: "next-1.84.3" },
      },
      sentAt: at(),
      integrations: { All: true },
    });
    const reply = await send("t", call, { authorization: "Basic d3JpdGVLZXk6" });
    assert.deepEqual([reply.status, reply.body.success, reply.body.accepted], [200, true, 1]);
    const event = storedOf(call.messageId);
    assert.deepEqual(
      [
        event.type,
        event.name,
        event.anonymousId,
        event.userId,
        event.occurredAt,
        event.revenue,
        event.currency,
      ],
      ["track", "Order Completed", call.anonymousId, "17", call.timestamp, 49.9, "EUR"],
    );
    assert.deepEqual(
      [event.page.path, event.page.title, event.page.referrer, event.page.utm.source],
      ["/pay", "Pay", "https://news.example/a", "mail"],
    );
    assert.deepEqual(
      [event.locale, event.timezone, event.screen, event.viewport, event.device.browser, event.sentBy],
      ["de-DE", "Europe/Berlin", "1440x900", "1200x700", "Chrome", "browser"],
    );
    assert.equal(event.properties.coupon, "SPRING");
    assert.doesNotMatch(JSON.stringify(event), /203\.0\.113\.9/);
  });

  it("stores page and screen calls as page views, the others as passive events", async () => {
    const anonymousId = fresh("visitor");
    const calls = [
      { type: "page", name: "Pricing", properties: { url: `${ORIGIN}/pricing`, title: "Prices" } },
      { type: "screen", name: "Cart", properties: { items: 2 } },
      { type: "identify", userId: "u-1", traits: { plan: "pro" } },
      { type: "group", groupId: "g-1", traits: { seats: 5 } },
      { type: "alias", userId: "u-1", previousId: "a-0" },
    ].map((one) => message({ anonymousId, ...one }));
    const { body } = await send("batch", { batch: calls, sentAt: at() });
    assert.equal(body.accepted, 5, JSON.stringify(body));
    const [page, screen, identify, group, alias] = calls.map(({ messageId }) => storedOf(messageId));
    assert.deepEqual(
      [page, screen].map((one) => [one.type, one.page.path, one.page.title, one.properties.name]),
      [
        ["page", "/pricing", "Prices", "Pricing"],
        ["page", "/Cart", "Cart", "Cart"],
      ],
    );
    assert.deepEqual(
      [identify, group, alias].map((one) => [one.name, one.passive, one.properties]),
      [
        ["identify", true, { plan: "pro" }],
        ["group", true, { seats: 5, groupId: "g-1" }],
        ["alias", true, { previousId: "a-0" }],
      ],
    );
    assert.equal(sessionsOf(anonymousId), 1);
  });

  it("takes the traits that RudderStack's client sends in the context, and shows its name and version", async () => {
    const library = { name: "@rudder/client", version: "3.34.1" };
    const call = message({ userId: "u-1", context: { traits: { plan: "pro" }, library } });
    assert.equal((await send("identify", call)).body.accepted, 1);
    assert.deepEqual(storedOf(call.messageId).properties, { plan: "pro" });
    assert.equal((await attempts())[0].sdkVersion, "@rudder/client 3.34.1");
    const batch = [track({ context: undefined }), track()];
    assert.equal((await send("batch", { batch, context: { library } })).body.accepted, 2);
    assert.equal((await attempts())[0].sdkVersion, "@rudder/client 3.34.1");
  });

  it("keeps members of the context, and of a page call's properties, that are no texts", async () => {
    const context = { first: null, second: 1, locale: 5, timezone: null, viewport: "wide", userAgent: ["x"] };
    const call = message({
      properties: { title: 5, path: { a: 1 }, url: `${ORIGIN}/a`, tag: null },
      context,
    });
    assert.equal((await send("page", call)).body.accepted, 1);
    const event = storedOf(call.messageId);
    assert.deepEqual(event.context, context);
    assert.deepEqual(event.properties, { title: 5, path: { a: 1 }, tag: null });
  });

  it("keeps the search of a page call whose url does not have it", async () => {
    const search = "?utm_source=news";
    const pages = [
      { url: `${ORIGIN}/a${search}`, search },
      { url: `${ORIGIN}/a`, search },
      { path: "/a", search },
    ];
    const calls = pages.map((properties) => message({ properties }));
    for (const call of calls) assert.equal((await send("page", call)).body.accepted, 1);
    assert.deepEqual(
      calls.map(({ messageId }) => storedOf(messageId).properties),
      [{}, { search }, { search }],
    );
  });

  it("takes what the properties of a page call do not say from the context", async () => {
    const seen = { url: `${ORIGIN}/seen`, title: "Seen", referrer: "https://news.example/" };
    const call = message({ properties: { url: null, title: "", path: "/own" }, context: { page: seen } });
    assert.equal((await send("page", call)).body.accepted, 1);
    const { page } = storedOf(call.messageId);
    assert.deepEqual([page.url, page.path, page.title], [seen.url, "/own", "Seen"]);
  });

  it("a batch has events of many visitors, each with its own user; results have the order of the batch", async () => {
    const calls = [
      track({ anonymousId: undefined, userId: "user-a" }),
      track({ anonymousId: "b", userId: "user-b" }),
      track({ anonymousId: undefined, userId: undefined }),
      track({ anonymousId: undefined, userId: "user-a" }),
      track({ anonymousId: "x".repeat(201) }),
      message({ type: "poke" }),
      "none",
    ];
    const { status, body } = await send("batch", { batch: calls });
    assert.deepEqual([status, body.success, body.accepted, body.rejected], [200, false, 3, 4]);
    const codes = body.results.map((one: { code: string | null }) => one.code);
    assert.deepEqual(codes, [
      null,
      null,
      "invalid_event",
      null,
      "invalid_event",
      "unsupported_event_type",
      "invalid_event",
    ]);
    const [first, second, , fourth] = body.results.map((one: { eventId: string }) => storedOf(one.eventId));
    assert.deepEqual([first.anonymousId, first.userId], ["user-a", "user-a"]);
    assert.deepEqual([second.anonymousId, second.userId], ["b", "user-b"]);
    assert.equal(first.sessionId, fourth.sessionId);
    assert.notEqual(first.sessionId, second.sessionId);
    const [newest] = await attempts();
    assert.deepEqual([newest.endpoint, newest.outcome, newest.httpStatus], ["segment", "partial", 200]);
    assert.equal(newest.raw.batch.length, 7);
    assert.match(newest.results[2].message, / `anonymousId` or `userId` is required\.$/);
  });

  it("rejects only the malformed events of a visitor, and names them by their place in the request", async () => {
    const anonymousId = fresh("visitor");
    const calls = [
      "none",
      track({ anonymousId: "x".repeat(201) }),
      track({ anonymousId, context: { page: { url: `${ORIGIN}/good` } } }),
      track({ anonymousId, timestamp: "yesterday" }),
    ];
    const { status, body } = await send("batch", { batch: calls });
    const codes = body.results.map((one: { code: string | null }) => one.code);
    assert.deepEqual([status, codes], [200, ["invalid_event", "invalid_event", null, "invalid_event"]]);
    assert.match(body.results[1].message, /anonymousId/);
    assert.match(body.results[3].message, / events\.3\.timestamp must be an ISO 8601 date-time/);
  });

  it("a malformed message has no part in the session, the client version or the limits of the others", async () => {
    const anonymousId = fresh("visitor");
    const page = { url: `${ORIGIN}/?utm_source=malformed` };
    const library = { name: "x".repeat(201) };
    const malformed = track({ anonymousId, timestamp: "yesterday", context: { page, library } });
    const good = track({ anonymousId });
    const { body } = await send("batch", { batch: [malformed, good] });
    assert.deepEqual([body.accepted, body.rejected], [1, 1]);
    const { source, channel } = storedOf(good.messageId);
    assert.deepEqual([source, channel], [null, "Direct"]);
  });

  it("a message has the version of its own client", async () => {
    const anonymousId = fresh("visitor");
    const libraries = [
      { name: "one", version: "1.0" },
      { name: "other" },
      undefined,
      { name: "one", version: "1.0" },
    ];
    const batch = libraries.map((library) => track({ anonymousId, context: { library } }));
    assert.equal((await send("batch", { batch })).body.accepted, 4);
    const stored = batch.map(({ messageId }) => storedOf(String(messageId)));
    assert.deepEqual(
      stored.map(({ sdkVersion }) => sdkVersion),
      ["one 1.0", "other", "segment", "one 1.0"],
    );
    assert.equal(sessionsOf(anonymousId), 1);
  });

  it("a message keeps its own context if that of the batch is too large beside it", async () => {
    const own = { own: "x".repeat(9_000) };
    const context = {
      other: "x".repeat(9_000),
      locale: "de-DE",
      screen: { innerWidth: 800, innerHeight: 600 },
    };
    const batch = [track({ context: own }), track({ context: { locale: "fr-FR" } }), track()];
    const { body } = await send("batch", { batch, context });
    assert.deepEqual(
      body.results.map(({ warnings }: { warnings: string[] }) => warnings),
      [["context_truncated"], [], []],
    );
    assert.deepEqual(
      batch.map(({ messageId }) => storedOf(String(messageId)).context),
      [{ locale: "de-DE", viewport: "800x600", ...own }, { ...context, locale: "fr-FR" }, context],
    );
    assert.deepEqual(
      batch.map(({ messageId }) => storedOf(String(messageId)).viewport),
      ["800x600", "800x600", "800x600"],
    );
  });

  it("the context of a visitor's first message is not counted for each of the others", async () => {
    const anonymousId = fresh("visitor");
    const text = "é".repeat(500);
    const first = track({ anonymousId, context: { locale: text, timezone: text, userAgent: FIREFOX } });
    const batch = [first, ...Array.from({ length: 499 }, () => track({ anonymousId }))];
    const { body } = await send("batch", { batch });
    assert.equal(body.accepted, 500);
    assert.deepEqual([...new Set(body.results.flatMap((one: { warnings: string[] }) => one.warnings))], []);
  });

  it("messageId is the event id: a retry is a duplicate, even in another batch", async () => {
    const call = track();
    assert.equal((await send("track", call)).body.accepted, 1);
    const { body } = await send("batch", { batch: [call, track()] });
    assert.deepEqual([body.accepted, body.duplicates, body.success], [1, 1, true]);
  });

  it("without a messageId a retry is a duplicate, and two equal clicks at different times are not", async () => {
    const anonymousId = fresh("visitor");
    const click = (timestamp: string) => track({ messageId: undefined, anonymousId, timestamp });
    const [one, other] = [click(at()), click(at(5))];
    const batch = { batch: [one, other, one] };
    assert.equal((await send("batch", batch)).body.accepted, 3);
    assert.equal((await send("batch", batch)).body.duplicates, 3);
    const timeless = track({ messageId: undefined, anonymousId, timestamp: undefined });
    for (let count = 0; count < 2; count += 1) assert.equal((await send("track", timeless)).body.accepted, 1);
  });

  it("without a messageId, events that nest as deep as an event can are different events", async () => {
    const innermost = (levels: number): object => (levels === 1 ? {} : { in: innermost(levels - 1) });
    const click = { messageId: undefined, anonymousId: fresh("visitor"), timestamp: at() };
    for (const event of ["One", "Other"]) {
      assert.equal(
        (await send("track", track({ ...click, event, properties: innermost(10) }))).body.accepted,
        1,
      );
      const truncated = track({ ...click, event: `${event} context`, context: innermost(11) });
      assert.equal((await send("track", truncated)).body.accepted, 1);
    }
  });

  it("warns of a number that is not finite, with or without a messageId and in what messages share", async () => {
    const event = (messageId: string | undefined, members: string) =>
      `${JSON.stringify(track({ messageId })).slice(0, -1)},${members}}`;
    const [properties, context] = ['"properties":{"a":1e400}', '"context":{"a":1e400}'];
    const batches = [
      `[${[event(fresh("id"), properties), event(undefined, properties), event(undefined, context)]}]`,
      `[${[event(fresh("id"), '"name":"x"'), event(undefined, '"name":"x"')]}],${context}`,
    ];
    for (const batch of batches)
      for (const { warnings } of (await send("batch", `{"batch":${batch}}`)).body.results)
        assert.deepEqual(warnings, ["number_not_finite"]);
  });

  it("corrects the skew of the client's clock by sentAt", async () => {
    const call = track({ timestamp: at(-60 * MINUTE_MS) });
    await send("track", { ...call, sentAt: at(-60 * MINUTE_MS) });
    assert.equal(storedOf(call.messageId).occurredAt, at());
  });

  it("a visitor's session ends after 30 minutes without events, whatever restarts or opens at once", async () => {
    const anonymousId = fresh("visitor");
    await Promise.all(Array.from({ length: 20 }, () => send("track", track({ anonymousId }))));
    assert.equal(sessionsOf(anonymousId), 1);
    time.advance(29 * MINUTE_MS);
    await send("track", track({ anonymousId }));
    time.advance(29 * MINUTE_MS);
    await send("track", track({ anonymousId }));
    assert.equal(sessionsOf(anonymousId), 1);
    time.advance(31 * MINUTE_MS);
    await send("track", track({ anonymousId }));
    assert.equal(sessionsOf(anonymousId), 2);
  });

  it("batches that open the same visitors' sessions at once in different orders are all answered", async () => {
    const visitors = Array.from({ length: 10 }, () => fresh("visitor"));
    const batches = [visitors, visitors.toReversed(), visitors.toSorted(() => -1)].flatMap((order) => [
      order,
      order,
    ]);
    const replies = await Promise.all(
      batches.map((order) => send("batch", { batch: order.map((anonymousId) => track({ anonymousId })) })),
    );
    assert.ok(replies.every(({ body }) => body.accepted === 10));
    for (const visitor of visitors) assert.equal(sessionsOf(visitor), 1);
  });

  it("a batch goes on with the sessions of all its visitors, the latest and the clients' own", async () => {
    const visitors = Array.from({ length: 10 }, () => fresh("visitor"));
    const contexts = [{}, { sessionId: 1 }];
    const sendAll = () => {
      const ofAll = visitors.map((anonymousId, index) =>
        track({ anonymousId, context: contexts[index % contexts.length] }),
      );
      return send("batch", { batch: ofAll });
    };
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await sendAll()).body.accepted, visitors.length);
      time.advance(20 * MINUTE_MS);
    }
    assert.deepEqual(
      visitors.map(sessionsOf),
      visitors.map(() => 1),
    );
  });

  it("context.sessionId is the client's own session, for as long as the client says", async () => {
    const anonymousId = fresh("visitor");
    const inSession = (sessionId: number) => track({ anonymousId, context: { sessionId } });
    await Promise.all([inSession(1), inSession(1)].map((call) => send("track", call)));
    time.advance(45 * MINUTE_MS);
    await send("track", inSession(1));
    assert.equal(sessionsOf(anonymousId), 1);
    await send("track", inSession(2));
    assert.equal(sessionsOf(anonymousId), 2);
  });

  it("obeys the allowed origins, and answers the preflight of a request with Authorization", async () => {
    refused(await send("track", track(), { origin: "https://other.example" }), 403, "origin_not_allowed");
    const { status, headers } = await world.ask(path("t"), {
      method: "OPTIONS",
      token: null,
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    assert.equal(status, 204);
    assert.match(headers.get("access-control-allow-headers") ?? "", /authorization/);
    assert.equal(headers.get("access-control-allow-origin"), ORIGIN);
  });

  it("a server sends without an Origin; a token of the scope ingest as the write key makes the events its own", async () => {
    const server = { "user-agent": "analytics-node-next/latest", "content-type": "application/json" };
    const post = (body: unknown, authorization: string) =>
      world.ask(path("batch"), { method: "POST", token: null, body, headers: { ...server, authorization } });
    const call = track({ userId: "u-2" });
    const basic = (user: string) => `Basic ${Buffer.from(`${user}:`).toString("base64")}`;
    assert.equal((await post({ batch: [call] }, basic("writeKey"))).body.accepted, 1);
    assert.equal(storedOf(call.messageId).sentBy, "server");
    const { body } = await world.ask("/api/tokens", {
      method: "POST",
      body: {
        organizationId: world.organizationId,
        label: "server",
        sourceId: source.sourceId,
        scope: "ingest",
      },
    });
    assert.equal((await post({ batch: [call] }, basic(body.token))).body.accepted, 1, "its ids are apart");
    refused(await post({ batch: [call] }, basic("hwt_none")), 401, "invalid_token");
  });

  it("refuses unusable requests with a status that the clients do not retry", async () => {
    refused(await send("track", "{"), 422, "invalid_payload");
    refused(await send("track", "[]"), 422, "invalid_payload");
    refused(await send("batch", { batch: [] }), 422, "invalid_payload");
    refused(await send("track", { event: "Nobody" }), 422, "invalid_payload");
    const nameless = await send("track", track({ event: "" }));
    refused(nameless, 422, "invalid_payload");
    assert.equal(nameless.body.issues[0].message, "`event` is required");
    refused(await send("track", track({ anonymousId: `$none.${"0".repeat(32)}` })), 422, "invalid_payload");
    refused(await send("imports", { batch: [track()] }), 404, "route_not_found");
    refused(
      await send("batch", { batch: Array.from({ length: 501 }, () => track()) }),
      413,
      "batch_too_large",
    );
    refused(await world.send("/api/compat/pk_none/segment/v1/track", track()), 404, "unknown_public_key");
    const [newest] = await attempts();
    assert.deepEqual(
      [newest.endpoint, newest.code, newest.outcome],
      ["segment", "batch_too_large", "failed"],
    );
  });

  it("stores each message with its own context only, in its order, and so with its own device", async () => {
    const visitor = { anonymousId: fresh("anonymous") };
    const contexts = [
      {
        campaignId: "c1",
        timezone: "Europe/Berlin",
        locale: "de-DE",
        userAgent: FIREFOX,
        screen: { width: 1440, height: 900 },
        x: 1,
      },
      { theme: "dark" },
      { y: 1, locale: "fr-FR" },
      {},
    ];
    const batch = contexts.map((context) => track({ ...visitor, context }));
    assert.equal((await send("batch", { batch })).status, 200);
    const stored = batch.map(({ messageId }) => storedOf(String(messageId)));
    assert.deepEqual(
      stored.map(({ context }) => JSON.stringify(context)),
      contexts.map((context) => JSON.stringify(context)),
    );
    assert.deepEqual(
      stored.map(({ locale, timezone, screen }) => [locale, timezone, screen]),
      [
        ["de-DE", "Europe/Berlin", "1440x900"],
        [null, null, null],
        ["fr-FR", null, null],
        [null, null, null],
      ],
    );
    assert.equal(new Set(stored.map(({ sessionId }) => sessionId)).size, 1);
    assert.deepEqual(
      stored.map(({ device }) => device.browser),
      ["Firefox", "Chrome", "Chrome", "Chrome"],
    );
  });
});

describe("what the messages of a request share", () => {
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 1]));
  const cpuMsOf = async (act: () => Promise<void>) => {
    const before = process.cpuUsage();
    await act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const query = new URLSearchParams({ rec: "1", ...names(2_000) } as Record<string, string>);
  const requests = {
    "20,000 messages": ["segment/v1/batch", { context: names(5_000), batch: Array(20_000).fill({}) }],
    "a shared context": ["segment/v1/batch", { context: names(20_000), batch: Array(480).fill(track()) }],
    "20,000 queries": [`matomo/matomo.php?${query}`, { requests: Array(20_000).fill("") }],
    "user properties": [
      "ga4/mp/collect",
      { client_id: "c", user_properties: names(4_000), events: Array(480).fill({ name: "e" }) },
    ],
  } as const;

  for (const [name, [target, body]] of Object.entries(requests))
    it(`413: ${name}, before any message is read`, async () => {
      const cpuMs = await cpuMsOf(async () => {
        const reply = await world.send(`/api/compat/${source.publicKey}/${target}`, body);
        assert.equal(reply.status, 413, reply.text);
      });
      assert.ok(cpuMs < 1_000, `${Math.round(cpuMs)} ms of CPU time`);
    });

  const long = "x".repeat(400_000);
  const manyOf = (events: object) => ({ events: Array(480).fill({ name: "e" }), ...events });
  const texts = {
    "a user agent": ["ga4/mp/collect", manyOf({ client_id: "c", user_agent: long })],
    "an id": ["ga4/mp/collect", manyOf({ client_id: long })],
    "a library": [
      "segment/v1/batch",
      {
        batch: [
          track({ context: { library: { name: long } } }),
          ...Array.from({ length: 400 }, () => ({ type: "track", event: "e", userId: fresh("u") })),
        ],
      },
    ],
  } as const;
  for (const [name, [target, body]] of Object.entries(texts))
    it(`${name} that is long is read once`, async () => {
      const cpuMs = await cpuMsOf(async () => {
        const reply = await world.send(`/api/compat/${source.publicKey}/${target}`, body);
        assert.ok([200, 204, 422].includes(reply.status), reply.text);
      });
      assert.ok(cpuMs < 1_500, `${Math.round(cpuMs)} ms of CPU time`);
    });
});

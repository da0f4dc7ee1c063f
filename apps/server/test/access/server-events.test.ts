/** Events that a server sends with a token of the scope `ingest` (docs/api/ingest.md). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storedEvent } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  type CreatedSource,
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  fresh,
  INGEST_ROUTES,
  ORGANIZATION_ID,
  ORIGIN,
  openWorld,
  outcomesOf,
  pageEvent,
  refused,
  SECOND,
  type TestReply,
  trackEvent,
  type World,
} from "../support/world.ts";

/** Makes tokens for a source of the world. */
const mint = async (world: World, over: Record<string, unknown>): Promise<string> => {
  const body = { organizationId: ORGANIZATION_ID, label: "Shop server", scope: "ingest", ...over };
  const reply = await world.ask("/api/tokens", { method: "POST", body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.token;
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("A server's events", () => {
  let world: World;
  let source: CreatedSource;
  let sessionId: string;
  let token: string;
  before(async () => {
    world = await openWorld({ TRUST_PROXY: "1" });
    source = await world.createSource({ requireOrigin: true });
    sessionId = await world.openSession(source);
    token = await mint(world, { sourceId: source.sourceId });
  });
  after(() => world[Symbol.asyncDispose]());

  const post = (event: object, headers: Record<string, string>): Promise<TestReply> =>
    world.ask(eventsPath(source), {
      method: "POST",
      token: null,
      body: eventsBody(sessionId, [event]),
      headers: { "content-type": "application/json", ...headers },
    });
  const fromPage = (event: object) => world.send(eventsPath(source), eventsBody(sessionId, [event]));
  const fromServer = (event: object, headers: Record<string, string> = {}) =>
    post(event, { ...bearer(token), ...headers });
  const lastNormalized = async () =>
    (await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=1`)).body.eventAttempts[0]
      .normalized[0];

  it("have ids of their own: a page that uses an order's id first does not suppress the order", async () => {
    const order = trackEvent({ id: fresh("order") });
    const claimed = await fromPage(order);
    const paid = await fromServer(order);
    assert.deepEqual([outcomesOf(claimed), outcomesOf(paid)], [["accepted"], ["accepted"]]);
    const [page, server] = [claimed.body.results[0], paid.body.results[0]];
    assert.notEqual(page.analyticsEventId, server.analyticsEventId);
    assert.deepEqual(outcomesOf(await fromPage(order)), ["duplicate"]);
    const again = await fromServer(order);
    assert.deepEqual(outcomesOf(again), ["duplicate"]);
    assert.equal(again.body.results[0].analyticsEventId, server.analyticsEventId);
  });

  it("are marked: sentBy is server, and browser without a token", async () => {
    await fromServer(trackEvent());
    assert.equal((await lastNormalized()).sentBy, "server");
    await fromPage(trackEvent());
    assert.equal((await lastNormalized()).sentBy, "browser");
  });

  it("need no Origin, but an Origin that is sent must be allowed", async () => {
    refused(await post(trackEvent(), {}), 403, "origin_missing");
    assert.deepEqual(outcomesOf(await fromServer(trackEvent())), ["accepted"]);
    const evil = await fromServer(trackEvent(), { origin: "https://evil.example" });
    refused(evil, 403, "origin_not_allowed");
  });

  it("have no country and no device of the server; the user agent in `context` is the visitor's", async () => {
    const headers = { "user-agent": "curl/8.5.0", "x-forwarded-for": "1.1.1.1" };
    assert.deepEqual((await fromServer(trackEvent(), headers)).body.results[0].warnings, []);
    const { country, device } = await lastNormalized();
    assert.deepEqual([country, device.browser, device.isBot], [null, null, false]);
    const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    await fromServer(trackEvent({ context: { userAgent } }), headers);
    assert.equal((await lastNormalized()).device.browser, "Firefox");
  });

  it("reach the export with sentBy", async () => {
    const { body } = await world.ask(`/api/export/events?sourceId=${source.sourceId}&format=ndjson`);
    const senders = String(body)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sentBy);
    assert.deepEqual([...new Set(senders)].sort(), ["browser", "server"]);
    const csv = (await world.ask(`/api/export/events?sourceId=${source.sourceId}&format=csv`)).body;
    assert.match(csv, /^[^\n]*,sentBy,/);
    assert.match(csv, /,server,/);
  });

  it("An Authorization header of another scheme is ignored, as one for a proxy is", async () => {
    const basic = { authorization: "Basic dXNlcjpwYXNz" };
    const reply = await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]), basic);
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    assert.equal((await lastNormalized()).sentBy, "browser");
  });

  it("The token can do nothing else", async () => {
    for (const path of [
      `/api/tracking-sources/${source.sourceId}`,
      `/api/stats/source?sourceId=${source.sourceId}`,
      "/api/organizations",
    ])
      refused(await world.ask(path, { token }), 403, "permission_denied");
  });
});

describe("A server without a token", () => {
  const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0";
  const LIBRARIES = [
    "curl/8.5.0",
    "Wget/1.21.4",
    "python-requests/2.32.3",
    "Python/3.13 aiohttp/3.11.2",
    "node",
    "undici",
    "axios/1.7.9",
    "Go-http-client/2.0",
    "Java-http-client/21.0.5",
    "Apache-HttpClient/5.4 (Java/21.0.5)",
    "Ruby",
    "GuzzleHttp/7",
    "PostmanRuntime/7.43.0",
    "my-shop/1.0",
    "",
  ];
  let world: World;
  let source: CreatedSource;
  before(async () => {
    world = await openWorld({ TRUST_PROXY: "1" });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  const batch = (event: object) =>
    bootstrapBody({ events: [event], batchId: "b", sentAt: new Date().toISOString() });

  /** Sends a page view, and returns its warnings and its stored form. */
  const view = async (headers: Record<string, string>, event = pageEvent({ context: null })) => {
    const body = batch(event);
    const sent = { "content-type": "application/json", "x-forwarded-for": "1.1.1.1", ...headers };
    const reply = await world.ask(bootstrapPath(source), {
      method: "POST",
      token: null,
      body,
      headers: sent,
    });
    assert.deepEqual(outcomesOf(reply), ["accepted"], reply.text);
    const { sentBy, device, country } = storedEvent(world.dataDir, event.id);
    return { warnings: reply.body.results[0].warnings, sentBy, ...device, hasCountry: country !== null };
  };
  const SERVER = { warnings: [], sentBy: "server", device: null, browser: null, isBot: false };

  it("is an HTTP library that sends no Origin: its events count, without device and country", async () => {
    for (const userAgent of LIBRARIES) {
      const { os, osVersion, browserVersion, ...seen } = await view({ "user-agent": userAgent });
      assert.deepEqual(seen, { ...SERVER, hasCountry: false }, userAgent);
      assert.deepEqual([os, osVersion, browserVersion], [null, null, null]);
    }
  });

  it("is no app of a person, whichever library the app sends with: on Android, on iOS, of Flutter, of Segment", async () => {
    const apps = [
      "okhttp/4.12.0",
      "Shop/2.1 okhttp/4.9.2",
      "Shop/7 CFNetwork/1490.0.4 Darwin/23.2.0",
      "Dart/3.3 (dart:io)",
      "UnityPlayer/2022.3.1f1 (UnityWebRequest/1.0, libcurl/7.84.0-DEV)",
      "analytics-kotlin/1.19.1",
      "analytics-ios/1.7.3",
      "analytics-flutter/1.1.0",
    ];
    for (const userAgent of apps) {
      const { warnings, sentBy, isBot, hasCountry } = await view({ "user-agent": userAgent });
      assert.deepEqual([warnings, sentBy, isBot, hasCountry], [[], "browser", false, true], userAgent);
    }
    assert.equal((await view({ "user-agent": "ShopBot/1.0 okhttp/4.12.0" })).isBot, true);
  });

  it("may name the visitor's browser in `context`", async () => {
    const event = pageEvent({ context: { userAgent: CHROME } });
    const seen = await view({ "user-agent": "node" }, event);
    assert.deepEqual([seen.sentBy, seen.browser, seen.isBot], ["server", "Chrome", false]);
  });

  it("is no browser, no crawler, and no program that sends an Origin or a Referer", async () => {
    const rows: [Record<string, string>, isBot: boolean][] = [
      [{ "user-agent": "curl/8.5.0", origin: ORIGIN }, true],
      [{ "user-agent": "python-requests/2.32.3", referer: `${ORIGIN}/` }, true],
      [{ "user-agent": CHROME }, false],
      [{ "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" }, true],
      [{ "user-agent": "Twitterbot/1.0" }, true],
    ];
    for (const [headers, isBot] of rows) {
      const seen = await view(headers);
      const wanted = ["browser", isBot, isBot ? ["bot_suspected"] : [], true];
      assert.deepEqual(
        [seen.sentBy, seen.isBot, seen.warnings, seen.hasCountry],
        wanted,
        headers["user-agent"],
      );
    }
  });

  it("has no ids of its own: everybody with the public key can send the same", async () => {
    const event = pageEvent();
    await view({ "user-agent": "node" }, event);
    const sent = await world.send(bootstrapPath(source), batch(event));
    assert.deepEqual(outcomesOf(sent), ["duplicate"]);
  });
});

for (const route of INGEST_ROUTES) {
  describe(`A token on ${route.path({ publicKey: ":publicKey" })}`, () => {
    const time = drivenClock();
    let world: World;
    let source: CreatedSource;
    before(async () => {
      world = await openWorld({ FAILED_AUTH_PER_MINUTE: "20" }, { clock: time.clock });
      source = await world.createSource();
    });
    after(() => world[Symbol.asyncDispose]());

    const send = async (authorization: string) =>
      world.ask(route.path(source), {
        method: "POST",
        token: null,
        body: route.body(await world.openSession(source)),
        headers: { "content-type": "application/json", authorization },
      });
    const lastAttempt = async () => {
      const { body } = await world.ask(
        `/api/tracking-sources/${source.sourceId}/debug?outcome=failed&limit=1`,
      );
      return body[`${route.kind === "events" ? "event" : "bootstrap"}Attempts`][0];
    };
    const revoked = async () => {
      const body = {
        organizationId: ORGANIZATION_ID,
        label: "t",
        scope: "ingest",
        sourceId: source.sourceId,
      };
      const made = (await world.ask("/api/tokens", { method: "POST", body })).body;
      const path = `/api/tokens/${made.tokenId}?organizationId=${ORGANIZATION_ID}`;
      assert.equal((await world.ask(path, { method: "DELETE" })).status, 200);
      return made.token;
    };

    it("that is valid is answered without an Origin", async () => {
      const reply = await send(`Bearer ${await mint(world, { sourceId: source.sourceId })}`);
      assert.equal(reply.status, 200, reply.text);
    });

    it("that is wrong is refused with 401 or 403, and the debug view shows it with its body", async () => {
      const other = await world.createSource();
      const expiresAt = new Date(time.now() + SECOND).toISOString();
      const expired = await mint(world, { sourceId: source.sourceId, expiresAt });
      const gone = await revoked();
      time.advance(SECOND);
      const rows: [string, number, string][] = [
        ["Bearer hwt_", 401, "invalid_token"],
        ["Bearer hwt_typo", 401, "invalid_token"],
        ["bearer HWT_typo with spaces", 401, "invalid_token"],
        [`bearer ${expired}`, 401, "expired_token"],
        [`Bearer ${gone}`, 401, "revoked_token"],
        [`Bearer ${await mint(world, { sourceId: other.sourceId })}`, 403, "permission_denied"],
        [
          `Bearer ${await mint(world, { sourceId: source.sourceId, scope: "stats" })}`,
          403,
          "permission_denied",
        ],
        [`Bearer ${(await world.serviceAccount("admin")).token}`, 403, "permission_denied"],
      ];
      for (const [authorization, status, code] of rows) {
        const reply = await send(authorization);
        refused(reply, status, code);
        if (status === 401) assert.equal(reply.headers.get("www-authenticate"), "Bearer");
        assert.match(reply.body.debugUrl, /sourceId=/);
        const attempt = await lastAttempt();
        assert.deepEqual([attempt.code, attempt.raw.anonymousId], [code, "visitor-1"]);
        time.advance(DAY / 24);
      }
    });

    it("that is of another service is ignored, as other schemes are", async () => {
      const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl";
      const others = [
        "Bearer",
        "Bearer undefined",
        `Bearer ${jwt}`,
        `Bearer ${"x".repeat(40)}`,
        "Basic YTpi",
        "hwt_x",
      ];
      for (const authorization of others) {
        const reply = await send(authorization);
        assert.equal(reply.status, 200, `${authorization}: ${reply.text}`);
      }
    });

    it("that keeps failing is refused with 429; without a token nothing changes", async () => {
      const replies: number[] = [];
      for (let tries = 0; tries < 21; tries += 1) replies.push((await send("Bearer hwt_typo")).status);
      assert.deepEqual([...new Set(replies)], [401, 429]);
      const limited = await send("Bearer hwt_typo");
      refused(limited, 429, "rate_limited");
      assert.ok(Number(limited.headers.get("retry-after")) >= 1);
      const plain = await world.send(route.path(source), route.body(await world.openSession(source)));
      assert.equal(plain.status, 200);
    });
  });
}

describe("POST /api/tokens with the scope ingest", () => {
  let world: World;
  let sourceId: string;
  before(async () => {
    world = await openWorld();
    ({ sourceId } = await world.createSource());
  });
  after(() => world[Symbol.asyncDispose]());
  const create = (body: object, token?: string) =>
    world.ask("/api/tokens", {
      method: "POST",
      body: { organizationId: ORGANIZATION_ID, label: "t", ...body },
      ...(token ? { token } : {}),
    });

  it("needs tokens:manage and a source; the list shows the scope and can select it", async () => {
    const { token } = await world.serviceAccount("developer");
    refused(await create({ sourceId, scope: "ingest" }, token), 403, "permission_denied");
    const bare = await create({ scope: "ingest" });
    assert.deepEqual(
      [bare.status, bare.body.issues[0].path, bare.body.issues[0].code],
      [422, ["sourceId"], "required"],
    );
    assert.equal((await create({ sourceId })).status, 201);
    assert.equal((await create({ sourceId, scope: "ingest" })).status, 201);
    const path = `/api/tokens?organizationId=${ORGANIZATION_ID}&sourceId=${sourceId}`;
    const scopes = async (query: string) =>
      (await world.ask(path + query)).body.tokens.map(({ scope }: { scope: string }) => scope);
    assert.deepEqual([await scopes(""), await scopes("&scope=ingest")], [["ingest", "stats"], ["ingest"]]);
  });

  it("belongs to its source: it keeps working without its creator", async () => {
    const source = await world.createSource();
    const { userId, token: admin } = await world.serviceAccount("admin");
    const { token } = (await create({ sourceId: source.sourceId, scope: "ingest" }, admin)).body;
    const sessionId = await world.openSession(source);
    const send = () => world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]), bearer(token));
    assert.deepEqual(outcomesOf(await send()), ["accepted"]);
    await world.ask(`/api/members/${userId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
    assert.deepEqual(outcomesOf(await send()), ["accepted"]);
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { rowsOf } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  issuesOf,
  ORIGIN,
  openWorld,
  type World,
} from "../support/world.ts";

describe("POST /api/ingest/v2/:publicKey/bootstrap", () => {
  let world: World;
  // biome-ignore lint/suspicious/noExplicitAny: a source as the API answers it
  let source: any;
  const time = drivenClock();
  before(async () => {
    world = await openWorld({}, { clock: time.clock });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());
  const bootstrap = (over: Record<string, unknown> = {}, headers?: Record<string, string>) =>
    world.send(bootstrapPath(source), bootstrapBody(over), headers);
  const landingOf = (sessionId: string) =>
    JSON.parse(
      rowsOf(world.dataDir, "select landing from sessions where session_id = ?", sessionId)[0].landing,
    );

  describe("200", () => {
    it("answers with the session, the limits and the times of the service, and nothing else", async () => {
      const { status, body } = await bootstrap();
      const { attemptId, sessionId, ...rest } = body;
      assert.equal(status, 200);
      assert.match(attemptId, /^att_/);
      assert.match(sessionId, /^ses_/);
      assert.deepEqual(rest, {
        ok: true,
        ingestVersion: 2,
        sourceId: source.sourceId,
        anonymousId: "visitor-1",
        identifiedUserId: null,
        ingestUrl: `/api/ingest/v2/${source.publicKey}/events`,
        sessionResumed: false,
        sessionExpiresAt: new Date(time.now() + 1_800_000).toISOString(),
        privacy: { respectGpc: false, requireConsent: false },
        serverTime: new Date(time.now()).toISOString(),
        limits: {
          maxBatchSize: 500,
          maxPayloadBytes: 524_288,
          maxEventBytes: 32_768,
          maxEventAgeSeconds: 34_560_000,
          sessionTimeoutSeconds: 1_800,
        },
      });
    });

    it("contains the source's own limits when it has some", async () => {
      const own = await world.createSource();
      const limits = { maxBatchSize: 7, maxPayloadBytes: 2_048, clientRatePerSecond: 9 };
      const path = `/api/tracking-sources/${own.sourceId}`;
      await world.ask(path, { method: "PATCH", body: { organizationId: own.organizationId, limits } });
      const { body } = await world.send(bootstrapPath(own), bootstrapBody());
      assert.deepEqual([body.limits.maxBatchSize, body.limits.maxPayloadBytes], [7, 2_048]);
    });

    it("identifiedUserId is the request's userId, else null", async () => {
      assert.equal((await bootstrap({ userId: "user-1" })).body.identifiedUserId, "user-1");
      assert.equal((await bootstrap({ userId: null })).body.identifiedUserId, null);
    });

    for (const optional of ["sessionId", "userId", "context", "events", "batchId", "sentAt"]) {
      it(`accepts ${optional}: null like an absent member`, async () => {
        assert.equal((await bootstrap({ [optional]: null })).status, 200);
      });
    }

    it("accepts an empty page, an empty context, null members and unknown fields", async () => {
      const nothing = { url: null, path: null, title: null, referrer: null };
      const pages = [{}, nothing, { surplus: { deep: [1, "two", null] } }];
      for (const page of pages) assert.equal((await bootstrap({ page, context: {} })).status, 200);
      assert.equal((await bootstrap({ surplus: true, consent: { ads: false } })).status, 200);
    });

    it("accepts ids of 1 and of 200 characters, in any script", async () => {
      for (const anonymousId of ["x", "x".repeat(200), "посетитель 訪問者 🛒"]) {
        assert.equal((await bootstrap({ anonymousId })).body.anonymousId, anonymousId);
      }
    });

    it("a new session stores landing page, referrer, UTM fields, locale, time zone and user agent", async () => {
      const url = `${ORIGIN}/sale?utm_source=news&utm_campaign=may&gclid=g1#top`;
      const context = { locale: "de-AT", timezone: "Europe/Vienna", userAgent: "Named/1.0" };
      const { body } = await bootstrap({ page: { url, referrer: "https://search.example/q" }, context });
      const landing = landingOf(body.sessionId);
      assert.equal(landing.url, url);
      assert.deepEqual([landing.host, landing.path], ["shop.example", "/sale"]);
      assert.deepEqual(landing.utm, { source: "news", campaign: "may" });
      assert.deepEqual(landing.clickIds, { gclid: "g1" });
      assert.deepEqual(
        [landing.referrer, landing.locale, landing.timezone, landing.userAgent],
        ["https://search.example/q", "de-AT", "Europe/Vienna", "Named/1.0"],
      );
    });

    it("stores the request's User-Agent when the context has none", async () => {
      const { body } = await bootstrap({}, { "user-agent": "Header/2.0" });
      assert.equal(landingOf(body.sessionId).userAgent, "Header/2.0");
    });

    it("is counted as a bootstrap in the usage", async () => {
      const own = await world.createSource();
      const body = JSON.stringify(bootstrapBody());
      for (let time = 0; time < 3; time += 1) await world.send(bootstrapPath(own), body);
      const usage = (await world.ask(`/api/usage?organizationId=${own.organizationId}`)).body;
      const rows = usage.days.filter((day: { sourceId: string }) => day.sourceId === own.sourceId);
      const counts = { accepted: 0, bootstraps: 3, bytes: 3 * body.length };
      assert.deepEqual(rows, [{ sourceId: own.sourceId, day: "2026-11-21", ...counts }]);
    });
  });

  describe("422", () => {
    const rules: [name: string, over: Record<string, unknown>, issues: string[]][] = [
      ["ingestVersion is there", { ingestVersion: undefined }, ["ingestVersion: required"]],
      ["ingestVersion is 2", { ingestVersion: 1 }, ["ingestVersion: invalid_value"]],
      ["ingestVersion is not 3", { ingestVersion: 3 }, ["ingestVersion: invalid_value"]],
      ["ingestVersion is not text", { ingestVersion: "2" }, ["ingestVersion: invalid_type"]],
      ["ingestVersion is not null", { ingestVersion: null }, ["ingestVersion: invalid_type"]],
      ["sdkVersion is there", { sdkVersion: undefined }, ["sdkVersion: required"]],
      ["sdkVersion is not empty", { sdkVersion: "" }, ["sdkVersion: too_short"]],
      ["sdkVersion has at most 200 characters", { sdkVersion: "x".repeat(201) }, ["sdkVersion: too_long"]],
      ["sdkVersion is text", { sdkVersion: 4 }, ["sdkVersion: invalid_type"]],
      ["anonymousId is there", { anonymousId: undefined }, ["anonymousId: required"]],
      ["anonymousId is not null", { anonymousId: null }, ["anonymousId: invalid_type"]],
      ["anonymousId is not empty", { anonymousId: "" }, ["anonymousId: too_short"]],
      ["anonymousId has at most 200 characters", { anonymousId: "x".repeat(201) }, ["anonymousId: too_long"]],
      ["page is there", { page: undefined }, ["page: required"]],
      ["page is not null", { page: null }, ["page: invalid_type"]],
      ["page is not a list", { page: [] }, ["page: invalid_type"]],
      ["page is not text", { page: ORIGIN }, ["page: invalid_type"]],
      ["page.url is text", { page: { url: 1 } }, ["page.url: invalid_type"]],
      ["page.path is text", { page: { path: {} } }, ["page.path: invalid_type"]],
      ["page.title is text", { page: { title: [] } }, ["page.title: invalid_type"]],
      ["page.referrer is text or null", { page: { referrer: false } }, ["page.referrer: invalid_type"]],
      ["context is an object", { context: "de" }, ["context: invalid_type"]],
      ["sessionId is text or null", { sessionId: 1 }, ["sessionId: invalid_type"]],
      ["userId is text or null", { userId: 7 }, ["userId: invalid_type"]],
      ["userId has at most 200 characters", { userId: "x".repeat(201) }, ["userId: too_long"]],
    ];
    for (const [name, over, issues] of rules) {
      it(name, async () => assert.deepEqual(issuesOf(await bootstrap(over)), issues));
    }

    it("lists every issue at once", async () => {
      const reply = await world.send(bootstrapPath(source), { page: { url: 1, title: 2 }, userId: 7 });
      assert.deepEqual(issuesOf(reply), [
        "anonymousId: required",
        "ingestVersion: required",
        "page.title: invalid_type",
        "page.url: invalid_type",
        "sdkVersion: required",
        "userId: invalid_type",
      ]);
    });

    it("opens no session and counts no bootstrap", async () => {
      const own = await world.createSource();
      issuesOf(await world.send(bootstrapPath(own), bootstrapBody({ page: null })));
      assert.deepEqual(rowsOf(world.dataDir, "select * from sessions where source_id = ?", own.sourceId), []);
      assert.deepEqual(rowsOf(world.dataDir, "select * from usage where source_id = ?", own.sourceId), []);
    });
  });
});

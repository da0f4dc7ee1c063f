/** The settings for counting and keeping a source's events (docs/api/sources.md): goals, bots, excluded paths, retention. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storedEvent } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  fresh,
  issuesOf,
  ORGANIZATION_ID,
  ORIGIN,
  openWorld,
  outcomesOf,
  pageEvent,
  refused,
  trackEvent,
  type World,
} from "../support/world.ts";

const BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

describe("Settings for counting events", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  const patch = ({ sourceId }: { sourceId: string }, body: object, token?: string) =>
    world.ask(`/api/tracking-sources/${sourceId}`, {
      method: "PATCH",
      body: { organizationId: ORGANIZATION_ID, ...body },
      ...(token ? { token } : {}),
    });

  describe("settings", () => {
    const goals = [
      { name: "Sign-up ✓", event: "signup", path: null, conditions: [], value: null },
      { name: "Thanks", event: null, path: "/thanks*", conditions: [], value: null },
    ];

    it("can be set at creation or changed one by one later; changes are in the audit log", async () => {
      const asked = {
        goals: [
          { name: "Sign-up ✓", event: "signup" },
          { name: "Thanks", path: "/thanks*" },
        ],
      };
      const source = await world.createSource({ ...asked, bots: "keep", retentionDays: 90 });
      assert.deepEqual(
        [source.goals, source.bots, source.excludedPaths, source.retentionDays],
        [goals, "keep", [], 90],
      );
      await patch(source, { excludedPaths: ["/admin*", "/a b".replace(" ", "%20")] });
      const { body: changed } = await patch(source, { retentionDays: null, goals: goals.slice(1) });
      assert.deepEqual([changed.goals, changed.bots], [goals.slice(1), "keep"]);
      assert.deepEqual([changed.excludedPaths, changed.retentionDays], [["/admin*", "/a%20b"], null]);
      const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}`);
      assert.deepEqual(body, changed);
      const audit = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`);
      assert.deepEqual(audit.body.entries[0].after, { goals: goals.slice(1), retentionDays: null });
    });

    it("a goal's value is stored with four decimal places and the code of its currency", async () => {
      const value = { amount: 9.99999, currency: "eur" };
      const source = await world.createSource({ goals: [{ name: "Sold", event: "buy", value }] });
      assert.deepEqual(source.goals[0].value, { amount: 10, currency: "EUR" });
    });

    it("invalid values are refused with all issues at once", async () => {
      const source = await world.createSource();
      const wrong = {
        goals: [
          { name: "A" },
          { name: "B", event: "b", path: "/b" },
          { name: "C", event: "c" },
          { name: "C", event: "d" },
          {
            name: "D",
            event: "d",
            conditions: [
              { property: "price", operator: "gt", value: "9" },
              { property: "plan", operator: "contains", value: 1 },
            ],
          },
        ],
        bots: "eat",
        excludedPaths: ["admin", "/a?b"],
        retentionDays: 0,
      };
      const worth = (value: unknown) => ({ name: JSON.stringify(value), event: "e", value });
      const amounts = [0, -1, 1e13].map((amount) => worth({ amount, currency: "EUR" }));
      const currencies = ["XXY", "€", 978].map((currency) => worth({ amount: 1, currency }));
      const unreadable = [...amounts, ...currencies, worth({ amount: 1 }), worth(5)];
      const found = issuesOf(await patch(source, { goals: unreadable }));
      assert.deepEqual([...new Set(found.map((issue) => issue.split(".")[1]))], [..."0124567"]);
      assert.deepEqual(issuesOf(await patch(source, { goals: [currencies[0]] })), [
        "goals.0.value.currency: invalid_value",
      ]);
      assert.deepEqual(issuesOf(await patch(source, wrong)), [
        "bots: invalid_value",
        "excludedPaths.0: invalid_value",
        "excludedPaths.1: invalid_value",
        "goals.0.event: invalid_value",
        "goals.1.event: invalid_value",
        "goals.3.name: invalid_value",
        "goals.4.conditions.0.value: invalid_value",
        "goals.4.conditions.1.value: invalid_value",
        "retentionDays: invalid_value",
      ]);
      const misshapen = [{}, 0, null, [0], [null], [{ property: 1, operator: "is", value: 1 }]];
      for (const conditions of misshapen) {
        const goals = [{ name: "A", event: "a", conditions }];
        const answer = await patch(source, { goals });
        assert.equal(answer.status, 422, JSON.stringify(conditions));
        assert.match(String(issuesOf(answer)[0]), /^goals\.0\.conditions/);
      }
      const many = Array.from({ length: 101 }, (_, index) => ({ name: `g${index}`, event: "e" }));
      assert.deepEqual(issuesOf(await patch(source, { goals: many })), ["goals: too_many"]);
    });

    it("those that delete events need sources:admin; the others need sources:write", async () => {
      const source = await world.createSource();
      const { token } = await world.serviceAccount("developer");
      assert.equal(
        (await patch(source, { goals, bots: "reject", excludedPaths: ["/a"] }, token)).status,
        200,
      );
      refused(await patch(source, { retentionDays: 30 }, token), 403, "permission_denied");
      const body = { organizationId: ORGANIZATION_ID, name: "New", retentionDays: 30 };
      const created = await world.ask("/api/tracking-sources", { method: "POST", body, token });
      refused(created, 403, "permission_denied");
    });
  });

  const send = async (source: { publicKey: string }, events: object[], userAgent?: string) => {
    const sessionId = await world.openSession(source);
    const headers: Record<string, string> = userAgent ? { "user-agent": userAgent } : {};
    return world.send(eventsPath(source), eventsBody(sessionId, events), headers);
  };

  it("excludedPaths: events of an excluded path are rejected with a hint, others are stored", async () => {
    const source = await world.createSource({ excludedPaths: ["/admin*", "/*/draft"] });
    const page = (path: string) => ({ page: { url: `${ORIGIN}${path}` } });
    const events = [
      pageEvent(page("/admin/users?x=1")),
      pageEvent(page("/blog/draft")),
      trackEvent(page("/admin")),
      pageEvent({ page: { url: `${ORIGIN}/app`, path: "/blog/draft?x=1#y" } }),
      pageEvent(page("/blog")),
      trackEvent(),
    ];
    const reply = await send(source, events);
    const excluded = "rejected path_excluded";
    assert.deepEqual(outcomesOf(reply), [...Array(4).fill(excluded), "accepted", "accepted"]);
    assert.match(reply.body.results[0].message, /excludedPaths/);
    await patch(source, { excludedPaths: [] });
    const again = await send(source, [events[0]!]);
    assert.deepEqual(outcomesOf(again), ["accepted"], "a rejected id is not remembered");
  });

  it("excludedPaths: rejected events do not make a source fail", async () => {
    const source = await world.createSource({ excludedPaths: ["/*"] });
    const body = bootstrapBody({ batchId: "b", sentAt: new Date().toISOString(), events: [pageEvent()] });
    assert.equal((await world.send(bootstrapPath(source), body)).body.rejected, 1);
    await send(source, [pageEvent()]);
    const debug = await until("both are recorded", async () => {
      const found = (await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).body;
      return found.eventAttempts.length === 1 && found;
    });
    assert.deepEqual(
      [debug.eventAttempts[0].outcome, debug.eventAttempts[0].code],
      ["partial", "path_excluded"],
    );
    assert.equal(debug.health.status, "receiving");
    assert.equal(debug.health.last24h.failed, 0);
  });

  for (const [bots, outcome, isBot] of [
    ["apart", "accepted", true],
    ["keep", "accepted", false],
    ["reject", "rejected bot_rejected", null],
  ] as const) {
    it(`bots ${bots}: a bot's event is ${outcome}`, async () => {
      const source = await world.createSource({ bots });
      const [id, person] = [fresh("e"), fresh("e")];
      const reply = await send(source, [pageEvent({ id })], BOT);
      assert.deepEqual(outcomesOf(reply), [outcome]);
      assert.deepEqual(reply.body.results[0].warnings, isBot ? ["bot_suspected"] : []);
      if (isBot !== null) assert.equal(storedEvent(world.dataDir, id).device.isBot, isBot);
      assert.deepEqual(outcomesOf(await send(source, [pageEvent({ id: person })])), ["accepted"]);
      assert.equal(storedEvent(world.dataDir, person).device.isBot, false);
    });
  }
});

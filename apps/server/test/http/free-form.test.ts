/** Free-form and foreign members never cost a visitor the session or the batch (docs/api/events.md, "Invalid bodies"). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { rowsOf, storedEvent } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  issuesOf,
  ORIGIN,
  outcomesOf,
  pageEvent,
  trackEvent,
} from "../support/world.ts";

const { world, source, sessionId, sendOne } = await openVisit();

const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) });
const CLOSE_TO_PAYLOAD_LIMIT = 500_000;
const long = (start: string) => start + "x".repeat(CLOSE_TO_PAYLOAD_LIMIT);
const LONG_PAGES = {
  url: { url: long(`${ORIGIN}/shop?q=`) },
  "url of one long path": { url: long(`${ORIGIN}/`) },
  path: { path: long("/shop/") },
  referrer: { url: `${ORIGIN}/shop`, referrer: long("https://search.example/?q=") },
  title: { url: `${ORIGIN}/shop`, title: long("A ") },
  "a member of the client's own": { url: `${ORIGIN}/shop`, html: long("<p>") },
  "a deep member": { url: `${ORIGIN}/shop`, tree: deep(2_000) },
  "a list in a list": { url: `${ORIGIN}/shop`, list: JSON.parse("[".repeat(500) + "]".repeat(500)) },
};
const CONTEXTS: Record<string, Record<string, unknown>> = {
  "an object as locale": { locale: { language: "de" } },
  "a number as timezone": { timezone: 60 },
  "a list as userAgent": { userAgent: ["Mozilla/5.0"] },
  "texts as screen, null and true": { screen: null, viewport: true, locale: false },
};
const TOO_MUCH: Record<string, Record<string, unknown>> = {
  "depth 11": { in: deep(10), locale: "de-AT" },
  "depth 3,000": { in: deep(3_000), locale: "de-AT" },
  "over 16 KiB": { x: "x".repeat(16_384), locale: "de-AT" },
  "near the payload limit": { list: Array.from({ length: 50_000 }, () => "xx"), locale: "de-AT" },
};

const bootstrap = (over: Record<string, unknown>) => world.send(bootstrapPath(source), bootstrapBody(over));
const landingOf = (id: string) =>
  JSON.parse(rowsOf(world.dataDir, "select landing from sessions where session_id = ?", id)[0].landing);

describe("A page", () => {
  for (const [name, page] of Object.entries(LONG_PAGES)) {
    it(`${name}: a bootstrap opens a session`, async () => {
      const { status, body } = await bootstrap({ page });
      assert.equal(status, 200, JSON.stringify(body));
      const { host, url, referrer } = landingOf(body.sessionId);
      assert.equal(host, new URL(ORIGIN).host);
      assert.ok((url?.length ?? 0) <= 4_096 && (referrer?.length ?? 0) <= 4_096);
    });

    it(`${name}: a page event is accepted`, async () => {
      const { outcome, warnings, stored } = await sendOne(pageEvent({ page }));
      assert.equal(outcome, "accepted");
      const isCut = ["url", "path", "referrer", "title"].some((start) => name.startsWith(start));
      assert.deepEqual(warnings, isCut ? [name === "title" ? "value_truncated" : "url_truncated"] : []);
      assert.equal(stored.page.origin, ORIGIN);
    });
  }

  it("that is cut has no half of a secret", async () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${"s".repeat(30_000)}`;
    for (const url of [
      `${ORIGIN}/a?token=${token}`,
      `${ORIGIN}/a?n=1&jwt=${token}`,
      `${ORIGIN}/reset/${token}`,
    ]) {
      const { stored } = await sendOne(pageEvent({ page: { url, title: `Reset ${token}` } }));
      assert.ok(!JSON.stringify(stored.page).includes("ssss"), JSON.stringify(stored.page).slice(0, 300));
    }
  });

  it("that has members of a wrong type is refused, because the specification gives their types", async () => {
    assert.deepEqual(issuesOf(await bootstrap({ page: { url: 1 } })), ["page.url: invalid_type"]);
  });
});

describe("A context", () => {
  for (const [name, context] of Object.entries(CONTEXTS)) {
    it(`${name}: is stored as it is, and the member counts as absent`, async () => {
      assert.equal((await bootstrap({ context })).status, 200);
      for (const [event, over] of [
        [trackEvent(), { context }],
        [trackEvent({ context }), {}],
      ] as const) {
        const { outcome, warnings, stored } = await sendOne(event, over);
        assert.deepEqual([outcome, warnings, stored.context], ["accepted", [], context]);
        assert.deepEqual([stored.locale, stored.timezone, stored.screen], [null, null, null]);
      }
    });
  }

  for (const [name, context] of Object.entries(TOO_MUCH)) {
    it(`${name}: the known members are stored, with the warning context_truncated`, async () => {
      assert.equal((await bootstrap({ context })).status, 200);
      for (const [event, over] of [
        [trackEvent(), { context }],
        [trackEvent({ context }), {}],
      ] as const) {
        const { outcome, warnings, stored } = await sendOne(event, over);
        assert.deepEqual([outcome, warnings], ["accepted", ["context_truncated"]]);
        assert.deepEqual([stored.locale, stored.context], ["de-AT", { locale: "de-AT" }]);
      }
    });
  }

  it("of a body has 1 MiB at most, counted for each of its events", async () => {
    const context = { locale: "de-AT", list: "x".repeat(2_100) };
    const warningsOf = async (count: number): Promise<string[][]> => {
      const events = Array.from({ length: count }, () => trackEvent());
      const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events, { context }));
      return body.results.map(({ warnings }: { warnings: string[] }) => warnings);
    };
    assert.deepEqual((await warningsOf(400)).flat(), []);
    assert.deepEqual(await warningsOf(500), Array(500).fill(["context_truncated"]));
  });

  it("of exactly 16 KiB and 10 levels is stored whole", async () => {
    for (const context of [{ x: "y".repeat(16_384 - '{"x":""}'.length) }, deep(10)]) {
      const { warnings, stored } = await sendOne(trackEvent(), { context });
      assert.deepEqual([warnings, stored.context], [[], context]);
    }
  });
});

describe("A member that only Headwater knows", () => {
  const foreign = { batchId: 5, sentAt: "yesterday", joinSession: "yes" };
  for (const [name, value] of Object.entries(foreign)) {
    it(`${name}: a bootstrap without events is answered`, async () => {
      for (const over of [{}, { events: [] }, { events: null }])
        assert.equal((await bootstrap({ ...over, [name]: value })).status, 200);
    });
  }

  it("batchId and sentAt are checked in a bootstrap with events", async () => {
    const events = [trackEvent()];
    assert.deepEqual(issuesOf(await bootstrap({ events, batchId: 5, sentAt: "yesterday" })), [
      "batchId: invalid_type",
      "sentAt: invalid_timestamp",
    ]);
    assert.deepEqual(issuesOf(await bootstrap({ events, batchId: "x".repeat(201), sentAt: 5 })), [
      "batchId: too_long",
      "sentAt: invalid_type",
    ]);
  });

  it("hashRouting and passive of another type count as absent", async () => {
    const page = { url: `${ORIGIN}/app#/orders`, hashRouting: "yes" };
    const { outcome, stored } = await sendOne(pageEvent({ page }));
    assert.deepEqual([outcome, stored.page.path], ["accepted", "/app"]);
    const event = trackEvent({ passive: "no", page });
    const reply = await world.send(eventsPath(source), eventsBody(sessionId, [event]));
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    assert.equal(storedEvent(world.dataDir, event.id).passive, undefined);
  });
});

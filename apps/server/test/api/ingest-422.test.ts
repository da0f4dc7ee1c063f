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

type Over = Record<string, unknown>;
const LONG = "x".repeat(201);

const { world, source, sessionId } = await openVisit();

it("An empty optional id counts as absent, on both routes", async () => {
  const event = trackEvent({ anonymousId: "", sessionId: "" });
  const reply = await world.send(eventsPath(source), eventsBody(sessionId, [event], { userId: "" }));
  assert.deepEqual(outcomesOf(reply), ["accepted"]);
  assert.deepEqual(reply.body.results[0].warnings, []);
  const { userId, anonymousId, sessionId: stored } = storedEvent(world.dataDir, event.id);
  assert.deepEqual([userId, anonymousId, stored], [null, "visitor-1", sessionId]);
  const empty = { userId: "", sessionId: "", batchId: "", events: [] };
  const opened = await world.send(bootstrapPath(source), bootstrapBody(empty));
  assert.deepEqual([opened.status, opened.body.identifiedUserId], [200, null]);
});

describe("422 of an events body: an invalid body is refused as a whole, and every issue is listed", () => {
  const send = (over: Over) => world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()], over));
  const sendEvent = (event: unknown) =>
    world.send(eventsPath(source), eventsBody(sessionId, [trackEvent(), event]));

  describe("the envelope", () => {
    const rules: [over: Over, ...issues: string[]][] = [
      [{ ingestVersion: 1 }, "ingestVersion: invalid_value"],
      [{ ingestVersion: 2.5 }, "ingestVersion: invalid_type"],
      [{ ingestVersion: "2" }, "ingestVersion: invalid_type"],
      [{ sentAt: "noon" }, "sentAt: invalid_timestamp"],
      [{ sentAt: 1_700_000_000_000 }, "sentAt: invalid_type"],
      [{ userId: LONG }, "userId: too_long"],
      [{ userId: 7 }, "userId: invalid_type"],
      [{ context: [] }, "context: invalid_type"],
      [{ events: [] }, "events: too_short"],
      [{ events: {} }, "events: invalid_type"],
      [{ events: null }, "events: invalid_type"],
      [{ events: "[]" }, "events: invalid_type"],
    ];
    for (const [over, ...issues] of rules) {
      const text = JSON.stringify(over);
      it(`${text.slice(0, 60)}: ${issues.join(", ")}`, async () =>
        assert.deepEqual(issuesOf(await send(over)), issues));
    }

    for (const name of [
      "ingestVersion",
      "sdkVersion",
      "batchId",
      "sentAt",
      "sessionId",
      "anonymousId",
      "events",
    ]) {
      it(`${name} is required`, async () => {
        assert.deepEqual(issuesOf(await send({ [name]: undefined })), [`${name}: required`]);
        assert.deepEqual(issuesOf(await send({ [name]: null })), [`${name}: invalid_type`]);
      });
    }
    for (const name of ["sdkVersion", "batchId", "sessionId", "anonymousId"]) {
      it(`${name} is text of 1 to 200 characters, and never cut`, async () => {
        assert.deepEqual(issuesOf(await send({ [name]: "" })), [`${name}: too_short`]);
        assert.deepEqual(issuesOf(await send({ [name]: LONG })), [`${name}: too_long`]);
        assert.deepEqual(issuesOf(await send({ [name]: 7 })), [`${name}: invalid_type`]);
      });
    }
  });

  describe("an event", () => {
    const rules: [event: unknown, ...issues: string[]][] = [
      [null, "events.1: invalid_type"],
      [[], "events.1: invalid_type"],
      ["event", "events.1: invalid_type"],
      [{}, "events.1.id: required", "events.1.timestamp: required", "events.1.type: required"],
      [trackEvent({ id: undefined }), "events.1.id: required"],
      [trackEvent({ id: "" }), "events.1.id: too_short"],
      [trackEvent({ id: 7 }), "events.1.id: invalid_type"],
      [trackEvent({ type: undefined }), "events.1.type: required"],
      [trackEvent({ type: "" }), "events.1.type: too_short"],
      [trackEvent({ type: 1 }), "events.1.type: invalid_type"],
      [trackEvent({ timestamp: undefined }), "events.1.timestamp: required"],
      [trackEvent({ timestamp: "noon" }), "events.1.timestamp: invalid_timestamp"],
      [trackEvent({ timestamp: 1 }), "events.1.timestamp: invalid_type"],
      [trackEvent({ name: undefined }), "events.1.name: required"],
      [trackEvent({ name: null }), "events.1.name: invalid_type"],
      [trackEvent({ name: "" }), "events.1.name: too_short"],
      [trackEvent({ name: 7 }), "events.1.name: invalid_type"],
      [pageEvent({ page: undefined }), "events.1.page: required"],
      [pageEvent({ page: null }), "events.1.page: invalid_type"],
      [pageEvent({ page: ORIGIN }), "events.1.page: invalid_type"],
      [
        pageEvent({ page: { url: 1, path: 2 } }),
        "events.1.page.path: invalid_type",
        "events.1.page.url: invalid_type",
      ],
      [trackEvent({ properties: [] }), "events.1.properties: invalid_type"],
      [trackEvent({ properties: "a=1" }), "events.1.properties: invalid_type"],
      [trackEvent({ context: 1 }), "events.1.context: invalid_type"],
      [trackEvent({ sessionId: 1 }), "events.1.sessionId: invalid_type"],
      [trackEvent({ anonymousId: LONG }), "events.1.anonymousId: too_long"],
    ];
    for (const [event, ...issues] of rules) {
      it(`${JSON.stringify(event).slice(0, 110)}: ${issues.join(", ")}`, async () => {
        assert.deepEqual(issuesOf(await sendEvent(event)), issues);
      });
    }
  });

  it("an issue inside an event names it by eventId, when it has a readable id", async () => {
    const events = [
      trackEvent({ id: "first", name: 1 }),
      trackEvent({ id: 7 }),
      trackEvent({ id: "third", page: 1 }),
    ];
    const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events, { batchId: "" }));
    const named = body.issues.map(({ path, eventId }: { path: unknown[]; eventId?: string }) => [
      path[1] ?? null,
      eventId,
    ]);
    assert.deepEqual(named, [
      [null, undefined],
      [0, "first"],
      [1, undefined],
      [2, "third"],
    ]);
  });

  it("each issue has a path, a code and a sentence that names the field", async () => {
    const { body } = await sendEvent(trackEvent({ timestamp: "noon" }));
    const [{ path, message }] = body.issues;
    assert.deepEqual(path, ["events", 1, "timestamp"]);
    assert.match(message, /^events\.1\.timestamp must be an ISO 8601 date-time/);
  });

  it("lists at most 100 issues, and then says issuesTruncated", async () => {
    const bad = (count: number) => Array.from({ length: count }, () => trackEvent({ name: 1 }));
    const exactly = (await send({ events: bad(100) })).body;
    assert.deepEqual([exactly.issues.length, exactly.issuesTruncated], [100, undefined]);
    const more = (await send({ events: bad(101) })).body;
    assert.deepEqual([more.issues.length, more.issuesTruncated], [100, true]);
  });

  it("the batch is atomic: with one invalid event, nothing is stored", async () => {
    const own = await world.createSource();
    const session = await world.openSession(own);
    const events = [trackEvent(), pageEvent(), trackEvent({ name: 1 })];
    issuesOf(await world.send(eventsPath(own), eventsBody(session, events)));
    const usage = rowsOf(world.dataDir, "select accepted from usage where source_id = ?", own.sourceId);
    assert.deepEqual(
      usage.map(({ accepted }) => accepted),
      [0],
    );
  });

  it("the debug view shows the beginning of a body that is not UTF-8", async () => {
    const own = await world.createSource();
    const body = Buffer.concat([Buffer.from('{"name":"café'), Buffer.from([0xff]), Buffer.from('"}')]);
    const reply = await world.send(bootstrapPath(own), body);
    assert.deepEqual(issuesOf(reply), [": invalid_encoding"]);
    const { body: shown } = await world.ask(`/api/tracking-sources/${own.sourceId}/debug`);
    assert.equal(shown.bootstrapAttempts[0].raw, '{"name":"café\uFFFD"}');
  });

  describe("events in a bootstrap", () => {
    const bootstrap = (over: Over) => world.send(bootstrapPath(source), bootstrapBody(over));

    it("need batchId and sentAt, as in an events body", async () => {
      assert.deepEqual(issuesOf(await bootstrap({ events: [trackEvent()] })), [
        "batchId: required",
        "sentAt: required",
      ]);
      const nulls = await bootstrap({ events: [trackEvent()], batchId: null, sentAt: null });
      assert.deepEqual(issuesOf(nulls), ["batchId: invalid_type", "sentAt: invalid_type"]);
    });

    it("are checked by the same rules; if one is invalid, no session is opened", async () => {
      const own = await world.createSource();
      const over = { events: [trackEvent({ name: "" }), 1], batchId: "b", sentAt: "noon", page: null };
      const reply = await world.send(bootstrapPath(own), bootstrapBody(over));
      const wanted = [
        "events.0.name: too_short",
        "events.1: invalid_type",
        "page: invalid_type",
        "sentAt: invalid_timestamp",
      ];
      assert.deepEqual(issuesOf(reply), wanted);
      assert.deepEqual(rowsOf(world.dataDir, "select * from sessions where source_id = ?", own.sourceId), []);
    });

    it("must be a list", async () => {
      assert.deepEqual(issuesOf(await bootstrap({ events: {} })), ["events: invalid_type"]);
    });
  });
});

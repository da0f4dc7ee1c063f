import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { storedEvent, storedEvents } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  fresh,
  ORIGIN,
  outcomesOf,
  pageEvent,
  trackEvent,
} from "../support/world.ts";

const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) });
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

const { world, source, sessionId, send, sendOne } = await openVisit();

describe("POST /api/ingest/v2/:publicKey/events, 200", () => {
  it("answers with one result per event, and nothing else", async () => {
    const page = pageEvent();
    const track = trackEvent({ name: "Kauf abgeschlossen ✓" });
    const { status, body } = await send([page, track]);
    const { attemptId, results, ...rest } = body;
    assert.equal(status, 200);
    assert.match(attemptId, /^att_/);
    assert.deepEqual(rest, {
      ok: true,
      sourceId: source.sourceId,
      sessionId,
      accepted: 2,
      duplicates: 0,
      rejected: 0,
    });
    const common = { status: "accepted", code: null, message: null, warnings: [], planViolation: null };
    const ids = results.map((one: { analyticsEventId: string }) => one.analyticsEventId);
    for (const id of ids) assert.match(id, /^evt_[0-9a-f]{32}$/);
    assert.deepEqual(results, [
      { index: 0, eventId: page.id, analyticsEventId: ids[0], type: "page", name: "page_view", ...common },
      { index: 1, eventId: track.id, analyticsEventId: ids[1], type: "track", name: track.name, ...common },
    ]);
  });

  it("an accepted event is in the ledger's file when the answer arrives", async () => {
    const events = Array.from({ length: 500 }, () => trackEvent());
    assert.equal((await send(events)).body.accepted, 500);
    const stored = new Set(storedEvents(world.dataDir).map((event) => event.eventId));
    assert.ok(events.every(({ id }) => stored.has(id)));
  });

  it("the name of a page event is ignored", async () => {
    assert.equal((await send([pageEvent({ name: "landing" })])).body.results[0].name, "page_view");
  });

  for (const optional of ["anonymousId", "sessionId", "properties", "context", "page"]) {
    it(`accepts an event's ${optional}: null like an absent member`, async () => {
      assert.equal((await sendOne(trackEvent({ [optional]: null }))).outcome, "accepted");
    });
  }

  it("accepts null for userId and context, and unknown fields", async () => {
    assert.equal((await sendOne(trackEvent(), { userId: null, context: null })).outcome, "accepted");
    assert.equal(
      (await sendOne(trackEvent({ surplus: nested(50) }), { surplus: nested(50) })).outcome,
      "accepted",
    );
  });

  describe("an invalid event is rejected by itself", () => {
    const rules: [code: string, what: string, event: () => { id: string }, over?: Record<string, unknown>][] =
      [
        ["unsupported_event_type", "identify", () => trackEvent({ type: "identify" })],
        ["unsupported_event_type", "Page in another case", () => pageEvent({ type: "Page" })],
        ["unsupported_event_type", "a type of a prototype", () => trackEvent({ type: "__proto__" })],
        ["page_address_missing", "an empty page", () => pageEvent({ page: {} })],
        [
          "page_address_missing",
          "url and path null",
          () => pageEvent({ page: { url: null, path: null, title: "T" } }),
        ],
        ["page_address_missing", "url and path empty", () => pageEvent({ page: { url: "", path: "" } })],
        ["event_name_too_long", "a name of 201 characters", () => trackEvent({ name: "n".repeat(201) })],
        ["event_name_too_long", "201 beyond the basic plane", () => trackEvent({ name: "🌊".repeat(201) })],
        [
          "event_id_too_long",
          "an id of 129 characters",
          () => trackEvent({ id: fresh("i").padEnd(129, "x") }),
        ],
        ["properties_too_deep", "11 levels", () => trackEvent({ properties: nested(11) })],
        [
          "properties_too_deep",
          "11 levels of lists",
          () => trackEvent({ properties: { a: [[[[[[[[[[1]]]]]]]]]] } }),
        ],
        ["too_many_properties", "257 keys", () => trackEvent({ properties: keys(257) })],
        [
          "event_too_large",
          "over 32 KiB",
          () =>
            trackEvent({
              properties: Object.fromEntries(Object.keys(keys(5)).map((key) => [key, "x".repeat(8_000)])),
            }),
        ],
        [
          "event_too_large",
          "40 KB in a string that would be cut",
          () => trackEvent({ properties: { a: "x".repeat(40_000) } }),
        ],
        ["session_mismatch", "a session of nobody", () => trackEvent({ sessionId: "ses_nobody" })],
      ];
    for (const [code, what, make, over] of rules) {
      it(`${code}: ${what}`, async () => {
        const event = make();
        const reply = await send([trackEvent(), event, pageEvent()], over);
        assert.deepEqual(outcomesOf(reply), ["accepted", `rejected ${code}`, "accepted"]);
        const result = reply.body.results[1];
        assert.equal(result.eventId, event.id);
        assert.match(result.analyticsEventId, /^evt_/);
        assert.ok(result.message.length > 10);
        assert.ok(!storedEvents(world.dataDir).some((one) => one.eventId === event.id));
      });
    }

    it("an event exactly at a limit is accepted", async () => {
      const events = [
        trackEvent({ name: "n".repeat(200) }),
        trackEvent({ name: "🌊".repeat(200) }),
        trackEvent({ id: fresh("i").padEnd(128, "x") }),
        trackEvent({ properties: nested(10) }),
        trackEvent({ properties: keys(256) }),
        pageEvent({ page: { path: "/" } }),
        pageEvent({ page: { url: `${ORIGIN}/` } }),
      ];
      assert.deepEqual(outcomesOf(await send(events)), Array(7).fill("accepted"));
    });

    it("an event of exactly 32 KiB is accepted, one of a byte more is not", async () => {
      const { name, id } = trackEvent();
      const strings = { a: "x".repeat(8_192), b: "x".repeat(8_192), c: "x".repeat(8_192), d: "" };
      const size = (d: string) => JSON.stringify({ id, name, properties: { ...strings, d } }).length;
      const fill = "y".repeat(32_768 - size(""));
      const of = (d: string) => trackEvent({ id, name, properties: { ...strings, d } });
      assert.equal((await sendOne(of(`${fill}y`))).outcome, "rejected event_too_large");
      assert.equal((await sendOne(of(fill))).outcome, "accepted");
    });
  });

  describe("events in a bootstrap", () => {
    const bootstrap = (over: Record<string, unknown>) =>
      world.send(
        bootstrapPath(source),
        bootstrapBody({ batchId: "b", sentAt: new Date().toISOString(), ...over }),
      );

    it("are stored in the same request and answered like a batch", async () => {
      const event = pageEvent();
      const reply = await bootstrap({ events: [event, trackEvent({ type: "odd" }), event] });
      assert.deepEqual(outcomesOf(reply), ["accepted", "rejected unsupported_event_type", "duplicate"]);
      assert.equal(reply.body.sessionResumed, false);
      const stored = storedEvent(world.dataDir, event.id);
      assert.deepEqual([stored.sessionId, stored.batchId], [reply.body.sessionId, "b"]);
    });

    it("an empty list is answered with counts of 0; without a list the answer has no counts", async () => {
      assert.deepEqual(outcomesOf(await bootstrap({ events: [] })), []);
      assert.equal("results" in (await bootstrap({})).body, false);
    });

    it("may name any session of the source, even one that the bootstrap does not resume", async () => {
      const old = await world.openSession(source, { anonymousId: "other" });
      const reply = await bootstrap({ sessionId: old, events: [trackEvent({ sessionId: old })] });
      assert.deepEqual([reply.body.sessionResumed, outcomesOf(reply)], [false, ["accepted"]]);
      assert.equal(storedEvent(world.dataDir, reply.body.results[0].eventId).sessionId, old);
    });
  });
});

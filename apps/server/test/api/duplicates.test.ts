import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { storedEvents } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  fresh,
  HOUR,
  openWorld,
  outcomesOf,
  pageEvent,
  refused,
  type TestReply,
  trackEvent,
} from "../support/world.ts";

const idsOf = ({ body }: TestReply) =>
  body.results.map((one: { analyticsEventId: string }) => one.analyticsEventId);

const { world, source, sessionId, send } = await openVisit();

describe("Duplicates: an event is identified by source and event id", () => {
  const times = (id: string) => storedEvents(world.dataDir).filter((event) => event.eventId === id).length;

  it("a repeated event is a duplicate, with the code duplicate_event and the first one's analyticsEventId", async () => {
    const event = trackEvent();
    const first = await send([event]);
    const second = await send([event]);
    assert.deepEqual(outcomesOf(second), ["duplicate"]);
    assert.deepEqual(idsOf(second), idsOf(first));
    const [result] = second.body.results;
    assert.deepEqual([result.code, typeof result.message], ["duplicate_event", "string"]);
    assert.deepEqual([second.body.accepted, second.body.duplicates, second.body.rejected], [0, 1, 0]);
    assert.equal(times(event.id), 1);
  });

  it("of equal ids in one batch, the first event is accepted, whatever the others contain", async () => {
    const id = fresh("event");
    const reply = await send([trackEvent({ id }), pageEvent({ id }), trackEvent({ id, name: "other" })]);
    assert.deepEqual(outcomesOf(reply), ["accepted", "duplicate", "duplicate"]);
    assert.equal(new Set(idsOf(reply)).size, 1);
    assert.deepEqual(
      reply.body.results.map((one: { name: string }) => one.name),
      ["signup", "page_view", "other"],
    );
    assert.equal(times(id), 1);
  });

  it("it is the same event in another batch, in another session, in a bootstrap and on a legacy route", async () => {
    const event = trackEvent();
    const other = await world.openSession(source, { anonymousId: "visitor-9" });
    const replies = [
      await world.send(
        bootstrapPath(source),
        bootstrapBody({ events: [event], batchId: "b", sentAt: event.timestamp }),
      ),
      await send([event]),
      await world.send(eventsPath(source), eventsBody(other, [event], { anonymousId: "visitor-9" })),
      await world.send(`/api/ingest/${source.publicKey}/events`, eventsBody(sessionId, [event])),
    ];
    assert.deepEqual(replies.flatMap(outcomesOf), ["accepted", "duplicate", "duplicate", "duplicate"]);
    assert.equal(new Set(replies.flatMap(idsOf)).size, 1);
    assert.equal(times(event.id), 1);
  });

  it("the same id of another source is another event", async () => {
    const event = trackEvent();
    const other = await world.createSource();
    const first = await send([event]);
    const body = eventsBody(await world.openSession(other), [event]);
    const second = await world.send(eventsPath(other), body);
    assert.deepEqual(outcomesOf(second), ["accepted"]);
    assert.notDeepEqual(idsOf(second), idsOf(first));
    assert.equal(times(event.id), 2);
  });

  it("ids that differ in case, space or script are different events", async () => {
    const id = fresh("Event");
    const ids = [id, id.toLowerCase(), ` ${id}`, `${id}\n`, `${id}\u00e9`, `${id}e\u0301`];
    assert.deepEqual(
      outcomesOf(await send(ids.map((one) => trackEvent({ id: one })))),
      ids.map(() => "accepted"),
    );
  });

  it("of many concurrent requests, exactly one is accepted", async () => {
    const events = Array.from({ length: 5 }, () => trackEvent());
    const sent = await Promise.all(Array.from({ length: 20 }, () => send(events)));
    for (const [index, event] of events.entries()) {
      const statuses = sent.map(({ body }) => body.results[index].status);
      assert.equal(statuses.filter((status) => status === "accepted").length, 1);
      assert.equal(statuses.filter((status) => status === "duplicate").length, 19);
      assert.equal(times(event.id), 1);
    }
    assert.equal(new Set(sent.map((reply) => JSON.stringify(idsOf(reply)))).size, 1);
  });

  it("the id of a rejected event can be used again", async () => {
    const id = fresh("event");
    assert.deepEqual(outcomesOf(await send([trackEvent({ id, type: "odd" })])), [
      "rejected unsupported_event_type",
    ]);
    assert.deepEqual(outcomesOf(await send([trackEvent({ id })])), ["accepted"]);
  });

  it("the ids of a refused request can be used again", async () => {
    const event = trackEvent();
    refused(await send([event, trackEvent({ id: 1 })]), 422, "invalid_payload");
    refused(await send([event], { sessionId: "ses_nobody" }), 403, "invalid_session");
    assert.deepEqual(outcomesOf(await send([event])), ["accepted"]);
  });

  it("results have the order and the number of the events, and the counts add up to it", async () => {
    const known = trackEvent();
    await send([known]);
    const events = [trackEvent(), known, trackEvent({ type: "odd" }), pageEvent(), known];
    const reply = await send(events);
    const wanted = ["accepted", "duplicate", "rejected unsupported_event_type", "accepted", "duplicate"];
    assert.deepEqual(outcomesOf(reply), wanted);
    assert.deepEqual(
      reply.body.results.map((one: { eventId: string }) => one.eventId),
      events.map(({ id }) => id),
    );
    assert.deepEqual([reply.body.accepted, reply.body.duplicates, reply.body.rejected], [2, 2, 1]);
  });

  it("the usage counts accepted events exactly once", async () => {
    const own = await world.createSource();
    const session = await world.openSession(own);
    const events = [trackEvent(), trackEvent()];
    for (let time = 0; time < 3; time += 1) await world.send(eventsPath(own), eventsBody(session, events));
    const usage = (await world.ask(`/api/usage?organizationId=${own.organizationId}`)).body;
    const [row] = usage.days.filter((day: { sourceId: string }) => day.sourceId === own.sourceId);
    assert.equal(row.accepted, 2);
  });
});

describe("Duplicates over days and restarts", () => {
  const start = Date.UTC(2026, 10, 21, 12);

  /** Sends the same event again after each number of days, with a new `sentAt` and session. The service restarts in between. */
  async function replay(timestamp: number, days: number[]) {
    const time = drivenClock(start);
    let world = await openWorld({}, { clock: time.clock });
    try {
      const source = await world.createSource();
      const event = trackEvent({}, timestamp);
      const outcomes: string[] = [];
      for (const day of days) {
        while (time.now() < start + day * DAY) {
          time.advance(Math.min(12 * HOUR, start + day * DAY - time.now()));
          await world.server.maintain();
        }
        const session = await world.openSession(source);
        outcomes.push(
          ...outcomesOf(await world.send(eventsPath(source), eventsBody(session, [event], {}, time.now()))),
        );
        if (day !== 4 && day !== 5) continue;
        await world.close();
        world = await openWorld({}, { clock: time.clock }, world.dataDir);
      }
      const stored = storedEvents(world.dataDir).filter((one) => one.eventId === event.id);
      return { outcomes, stored: stored.length };
    } finally {
      await world[Symbol.asyncDispose]();
    }
  }

  it("the same event is a duplicate for 12 days, and counts again once its key is gone", async () => {
    const { outcomes, stored } = await replay(start, [0, 1, 3, 5, 6, 7, 8, 9, 12, 20]);
    assert.deepEqual(outcomes, ["accepted", ...Array(8).fill("duplicate"), "accepted"]);
    assert.equal(stored, 2);
  });

  it("the window begins with the acceptance, not with the event: an old event is a duplicate for 12 days too", async () => {
    const { outcomes, stored } = await replay(start - 380 * DAY, [0, 4, 8, 12]);
    assert.deepEqual(outcomes, ["accepted", ...Array(3).fill("duplicate")]);
    assert.equal(stored, 1);
  });

  it("an event that was a day in the future when it first came is never accepted twice", async () => {
    const { outcomes, stored } = await replay(start + DAY, [0, 4, 7, 7.99, 8, 8.01, 12]);
    assert.deepEqual(outcomes, ["accepted", ...Array(6).fill("duplicate")]);
    assert.equal(stored, 1);
  });
});

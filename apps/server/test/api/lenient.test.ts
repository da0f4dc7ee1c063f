import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { storedEvents } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  issuesOf,
  outcomesOf,
  pageEvent,
  refused,
  trackEvent,
} from "../support/world.ts";

const { world, source, sessionId } = await openVisit();

describe("Lenient handling: an invalid event is rejected with invalid_event, and the others are stored", () => {
  const LENIENT = { prefer: "handling=lenient" };
  const send = (events: unknown[], headers: Record<string, string> = LENIENT, over = {}) =>
    world.send(eventsPath(source), eventsBody(sessionId, events, over), headers);

  const bad: [what: string, event: unknown][] = [
    ["a timestamp that is none", trackEvent({ timestamp: "yesterday" })],
    ["no timestamp", trackEvent({ timestamp: undefined })],
    ["a track event without a name", trackEvent({ name: undefined })],
    ["a page event without a page", pageEvent({ page: undefined })],
    ["no id", trackEvent({ id: undefined })],
    ["an id that is a number", trackEvent({ id: 7 })],
    ["properties that are a list", trackEvent({ properties: [] })],
    ["a context that is a text", trackEvent({ context: "x" })],
    ["null", null],
    ["a list", []],
    ["text", "event"],
    ["an empty object", {}],
  ];
  for (const [what, event] of bad) {
    it(`${what} is rejected; without the header the batch is refused`, async () => {
      const good = trackEvent();
      refused(await send([good, event], {}), 422, "invalid_payload");
      const reply = await send([good, event, pageEvent()]);
      assert.deepEqual(outcomesOf(reply), ["accepted", "rejected invalid_event", "accepted"]);
      const result = reply.body.results[1];
      for (const name of ["eventId", "analyticsEventId", "type", "name", "message"]) {
        assert.equal(typeof result[name], "string", name);
      }
    });
  }

  it("an event that is not an object is described as such, lenient or not", async () => {
    const strict = await send([trackEvent(), null], {});
    assert.deepEqual(issuesOf(strict), ["events.1: invalid_type"]);
    assert.equal(strict.body.issues[0].message, "The event must be an object");
    assert.match((await send([null])).body.results[0].message, /The event must be an object\.$/);
  });

  it("is requested by Prefer, even among other preferences, or by the query", async () => {
    const event = trackEvent({ name: 1 });
    const body = () => eventsBody(sessionId, [event, trackEvent()]);
    const wanted = ["rejected invalid_event", "accepted"];
    for (const prefer of [
      "handling=lenient",
      "return=minimal, handling=lenient; x=1",
      'handling="lenient"',
      "Handling=Lenient",
    ]) {
      assert.deepEqual(outcomesOf(await world.send(eventsPath(source), body(), { prefer })), wanted, prefer);
    }
    const asked = await world.send(`${eventsPath(source)}?a=1&handling=lenient`, body());
    assert.deepEqual(outcomesOf(asked), wanted);
    for (const prefer of ["handling=strict", "lenient", "xhandling=lenient", "handling=lenientish"]) {
      refused(await world.send(eventsPath(source), body(), { prefer }), 422, "invalid_payload");
    }
    refused(await world.send(`${eventsPath(source)}?mishandling=lenient`, body()), 422, "invalid_payload");
  });

  it("applies to events only: an invalid envelope is 422 and lists no event", async () => {
    const reply = await send([trackEvent({ name: 1 })], LENIENT, { batchId: "", sentAt: "noon" });
    assert.deepEqual(issuesOf(reply), ["batchId: too_short", "sentAt: invalid_timestamp"]);
    refused(await world.send(eventsPath(source), eventsBody(sessionId, []), LENIENT), 422, "invalid_payload");
    refused(
      await send([trackEvent({ name: 1 })], LENIENT, { sessionId: "ses_nobody" }),
      403,
      "invalid_session",
    );
  });

  it("applies to events in a bootstrap too", async () => {
    const good = trackEvent();
    const body = bootstrapBody({
      batchId: "b",
      sentAt: good.timestamp,
      events: [trackEvent({ name: 1 }), good],
    });
    refused(await world.send(bootstrapPath(source), body), 422, "invalid_payload");
    const reply = await world.send(bootstrapPath(source), body, LENIENT);
    assert.deepEqual(outcomesOf(reply), ["rejected invalid_event", "accepted"]);
  });

  it("a batch of only invalid events is answered 200, and nothing is stored", async () => {
    const before = storedEvents(world.dataDir).length;
    const reply = await send([null, 1, "x"]);
    assert.deepEqual([reply.body.accepted, reply.body.rejected], [0, 3]);
    assert.equal(storedEvents(world.dataDir).length, before);
  });
});

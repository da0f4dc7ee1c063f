/** The event catalogue of a source (docs/api/tracking-plan.md): which events it sends, and what they look like. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIMITS } from "@headwater/contract";
import { openVisit } from "../install/visit.ts";
import {
  eventsBody,
  eventsPath,
  outcomesOf,
  pageEvent,
  refused,
  type TestSource,
  trackEvent,
} from "../support/world.ts";

const { world } = await openVisit();

const catalogPath = ({ sourceId }: TestSource) => `/api/tracking-sources/${sourceId}/catalog`;
async function catalogOf(of: TestSource) {
  await world.server.maintain();
  const { status, body } = await world.ask(catalogPath(of));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const send = async (to: TestSource, sessionId: string, events: object[], over = {}) =>
  outcomesOf(await world.send(eventsPath(to), eventsBody(sessionId, events, over)));
const sessionsOf = async (to: TestSource, count: number) => {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await world.openSession(to, { anonymousId: `visitor-${at}` }));
  return ids;
};

describe("The event catalogue", () => {
  it("is empty before the first event; viewers may not read it", async () => {
    const own = await world.createSource();
    assert.deepEqual(await catalogOf(own), { events: [], otherEvents: 0 });
    const { token } = await world.serviceAccount("viewer");
    refused(await world.ask(catalogPath(own), { token }), 403, "permission_denied");
  });

  it("has names, types, coverage, versions, counts and times of accepted events only", async () => {
    const own = await world.createSource();
    const [sessionId = ""] = await sessionsOf(own, 1);
    const again = trackEvent({ name: "order", properties: { price: 1, tags: [], meta: {}, gift: null } });
    await send(own, sessionId, [again, trackEvent({ name: "order", properties: { price: "1" } })]);
    const second = [again, trackEvent({ name: "order", properties: { price: 2 } }), pageEvent()];
    await send(own, sessionId, second, { sdkVersion: "2.4.0" });
    await world.send(eventsPath(own), eventsBody(sessionId, [trackEvent({ name: "x".repeat(201) })]));
    const { events, otherEvents } = await catalogOf(own);
    const [order, page] = events;
    assert.deepEqual([events.length, otherEvents, page.name], [2, 0, "page_view"]);
    assert.deepEqual([order.name, order.events, order.sampledEvents], ["order", 3, 3]);
    assert.deepEqual(order.clientVersions, ["test-1", "2.4.0"]);
    assert.ok(order.firstSeenAt <= order.lastSeenAt);
    assert.deepEqual(
      order.properties.map(({ name, types, coverage }: Record<string, unknown>) => [name, types, coverage]),
      [
        ["gift", ["null"], 1 / 3],
        ["meta", ["object"], 1 / 3],
        ["price", ["number", "string"], 1],
        ["tags", ["array"], 1 / 3],
      ],
    );
    await send(own, sessionId, [trackEvent({ name: "order" })]);
    assert.equal((await catalogOf(own)).events[0].events, 4, "later events are added");
  });

  it("has values and pages only once three sessions have sent them, short and masked", async () => {
    const own = await world.createSource();
    const sessions = await sessionsOf(own, 3);
    const page = { url: "https://shop.example/pricing" };
    for (const [index, sessionId] of sessions.entries()) {
      const properties = {
        plan: "pro",
        own: `value of ${index}`,
        password: "hunter2",
        long: "x".repeat(LIMITS.maxCatalogExampleLength + 1),
        mail: "jo@example.com",
      };
      await send(own, sessionId, [trackEvent({ name: "order", properties, page })]);
      const shown = JSON.stringify(await catalogOf(own));
      assert.equal(shown.includes('"\\"pro\\""'), index === 2);
    }
    const [order] = (await catalogOf(own)).events;
    const examples = order.properties.map(({ name, examples }: Record<string, unknown>) => [name, examples]);
    assert.deepEqual(examples, [
      ["long", []],
      ["mail", ['"[email]"']],
      ["own", []],
      ["password", ['"[masked]"']],
      ["plan", ['"pro"']],
    ]);
    assert.deepEqual(order.pages, ["/pricing"]);
  });

  it("counts every event, and examines a sample of frequent ones", async () => {
    const own = await world.createSource();
    const [sessionId = ""] = await sessionsOf(own, 1);
    for (let batch = 0; batch < 4; batch++)
      await send(
        own,
        sessionId,
        Array.from({ length: 100 }, () => trackEvent({ name: "often" })),
      );
    const [often] = (await catalogOf(own)).events;
    assert.equal(often.events, 400);
    assert.ok(often.sampledEvents >= 20 && often.sampledEvents < 150, String(often.sampledEvents));
  });

  it("is bounded: events of further names are counted together", async () => {
    const own = await world.createSource();
    const [sessionId = ""] = await sessionsOf(own, 1);
    const wide = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`property ${index}`, index]));
    await send(own, sessionId, [trackEvent({ name: "a wide one", properties: wide })]);
    const names = LIMITS.maxCatalogEvents + 200;
    for (let at = 0; at < names; at += 100) {
      const batch = Array.from({ length: 100 }, (_, index) => trackEvent({ name: `name ${at + index}` }));
      await send(own, sessionId, batch);
      if (at === 300) await catalogOf(own);
    }
    const { events, otherEvents } = await catalogOf(own);
    assert.deepEqual([events.length, otherEvents], [LIMITS.maxCatalogEvents, 201]);
    assert.equal(events[0].properties.length, LIMITS.maxCatalogProperties);
  });

  it("is bounded under 2,000 names with 200 properties each; more than 256 properties are rejected", async () => {
    const own = await world.createSource();
    const [sessionId = ""] = await sessionsOf(own, 1);
    const wide = (at: number, count: number) => {
      const properties = Array.from({ length: count }, (_, index) => [`p ${at} ${index}`, index]);
      return trackEvent({ name: `hostile ${at}`, properties: Object.fromEntries(properties) });
    };
    assert.deepEqual(await send(own, sessionId, [wide(0, 1_000)]), ["rejected too_many_properties"]);
    for (let from = 0; from < 2_000; from += 50) {
      const batch = Array.from({ length: 50 }, (_, index) => wide(from + index, 200));
      assert.ok((await send(own, sessionId, batch)).every((outcome) => outcome === "accepted"));
    }
    const body = await catalogOf(own);
    const events: { events: number; properties: unknown[] }[] = body.events;
    const counted = events.reduce((sum, one) => sum + one.events, 0);
    assert.equal(counted + body.otherEvents, 2_000);
    // what fits into the memory of one node, if all are sent within five seconds
    assert.ok(events.length > 50 && events.length <= LIMITS.maxCatalogEvents, String(events.length));
    assert.ok(events.every(({ properties }) => properties.length <= LIMITS.maxCatalogProperties));
    assert.ok(events.some(({ properties }) => properties.length === LIMITS.maxCatalogProperties));
  });

  it("has names that are secret or strange as they can be stored", async () => {
    const own = await world.createSource();
    const [sessionId = ""] = await sessionsOf(own, 1);
    const properties = JSON.parse('{"__proto__": 1, "jo@example.com": 2}');
    await send(own, sessionId, [trackEvent({ name: "nul \0 and jo@example.com", properties })]);
    const [event] = (await catalogOf(own)).events;
    assert.ok(!JSON.stringify(event).includes("jo@"), event.name);
    assert.equal(event.properties.length, 2);
  });

  it("is deleted with its source", async () => {
    const own = await world.createSource();
    const [sessionId = ""] = await sessionsOf(own, 1);
    await send(own, sessionId, [trackEvent({ name: "order" })]);
    await catalogOf(own);
    await send(own, sessionId, [trackEvent({ name: "late" })]);
    await world.ask(`/api/tracking-sources/${own.sourceId}`, { method: "DELETE" });
    await world.server.maintain();
    refused(await world.ask(catalogPath(own)), 404, "source_not_found");
  });
});

/** What a source keeps of the events that it does not store, and for how long (docs/api/quarantine.md). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "../support/until.ts";
import {
  bootstrapPath,
  type ClockedWorld,
  type CreatedSource,
  DAY,
  eventsBody,
  eventsPath,
  fresh,
  MINUTE,
  ORGANIZATION_ID,
  ORIGIN,
  openClockedWorld,
  openClockedWorldFor,
  outcomesOf,
  pageEvent,
  passTime,
  refused,
  trackEvent,
} from "../support/world.ts";
import { inQuarantineOf, ORDER_PLAN, quarantinePath } from "./quarantine-world.ts";

const OTHER = "https://other.example";
describe("Kept events", () => {
  let world: ClockedWorld;
  let room: ReturnType<typeof inQuarantineOf>;
  before(async () => {
    world = await openClockedWorld({ TRUST_PROXY: "1" });
    room = inQuarantineOf(world);
  });
  after(() => world[Symbol.asyncDispose]());

  it("are those that the tracking plan rejects, masked as in the debug view", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    const page = { url: `${ORIGIN}/pay?token=abc123&utm_source=mail`, title: "Pay" };
    const rejected = room.order({ page, properties: { password: "hunter2", price: "9" } });
    const reply = await room.send(source, [rejected, trackEvent({}, world.now())]);
    assert.deepEqual(outcomesOf(reply), ["rejected plan_violation", "accepted"]);

    const at = new Date(world.now()).toISOString();
    const { bytes, ...quarantine } = await room.quarantine(source);
    assert.ok(bytes > 0);
    const group = { code: "plan_violation", name: "order", origin: ORIGIN, events: 1 };
    assert.deepEqual(quarantine, {
      events: 1,
      groups: [{ ...group, firstReceivedAt: at, lastReceivedAt: at }],
      evictedEvents: 0,
      lastEvictedAt: null,
      skippedRequests: 0,
      lastSkippedAt: null,
    });
    const [kept] = await room.kept(source);
    assert.equal(kept.event.id, rejected.id);
    assert.equal(kept.event.page.url, `${ORIGIN}/pay?token=[masked]&utm_source=mail`);
    assert.deepEqual(kept.event.properties, { password: "[masked]", price: "9" });
  });

  it("are those of requests from an origin that is not allowed, or without one that is required", async () => {
    const source = await world.createSource({ requireOrigin: true });
    const events = [trackEvent({}, world.now()), pageEvent({}, world.now())];
    refused(
      await world.send(bootstrapPath(source), room.withEvents(events), { origin: OTHER }),
      403,
      "origin_not_allowed",
    );
    const body = eventsBody("ses_unknown", [room.order()], {}, world.now());
    refused(await world.send(eventsPath(source), body, { origin: OTHER }), 403, "origin_not_allowed");
    const reply = await world.ask(eventsPath(source), { method: "POST", token: null, body });
    refused(reply, 403, "origin_missing");
    assert.deepEqual(await room.groups(source), [
      "origin_missing order 1",
      "origin_not_allowed order 1",
      "origin_not_allowed page_view 1",
      "origin_not_allowed signup 1",
    ]);
    assert.deepEqual(
      (await room.kept(source, `?origin=`)).length,
      1,
      "an empty origin selects those without one",
    );
    const [first] = await room.kept(source, `?name=signup&origin=${OTHER}&code=origin_not_allowed`);
    assert.deepEqual([first.name, first.origin], ["signup", OTHER]);
  });

  it("are those of requests with a retired key, to an inactive source, and beyond a quota", async () => {
    const source = await world.createSource({});
    const sessionId = await world.openSession(source);
    const send = () => world.send(eventsPath(source), eventsBody(sessionId, [room.order()], {}, world.now()));
    await room.patch(source, { limits: { eventsPerDay: 1 } });
    assert.deepEqual(outcomesOf(await send()), ["accepted"]);
    refused(await send(), 429, "quota_exceeded");
    await room.patch(source, { isActive: false, limits: { eventsPerDay: null } });
    refused(await send(), 403, "source_inactive");
    const path = `/api/tracking-sources/${source.sourceId}/regenerate-key`;
    assert.equal((await world.ask(path, { method: "POST" })).status, 200);
    refused(await send(), 404, "rotated_public_key");
    assert.deepEqual(await room.groups(source), [
      "quota_exceeded order 1",
      "rotated_public_key order 1",
      "source_inactive order 1",
    ]);
  });

  it("are translated when another tool's client sent them", async () => {
    const source = await world.createSource();
    const message = {
      type: "track",
      event: "Order Completed",
      messageId: fresh("message"),
      anonymousId: "visitor-1",
      timestamp: new Date(world.now()).toISOString(),
      properties: { total: 9 },
    };
    const path = `/api/compat/${source.publicKey}/segment/v1/batch`;
    const body = { batch: [message, { type: "track" }], sentAt: message.timestamp };
    refused(await world.send(path, body, { origin: OTHER }), 403, "origin_not_allowed");
    const [kept, ...others] = await room.kept(source);
    assert.deepEqual(others, [], "a malformed event is not kept");
    assert.equal(kept.name, "Order Completed");
    assert.equal(kept.event.id, message.messageId);
    assert.equal(kept.event.properties.total, 9);
  });

  it("are listed newest first, page by page", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    const orders = [room.order(), room.order(), room.order()];
    await room.send(source, orders);
    const path = `${quarantinePath(source)}/events?limit=2`;
    const first = await world.ask(path);
    const second = await world.ask(`${path}&cursor=${first.body.nextCursor}`);
    const ids = [...first.body.events, ...second.body.events].map(({ event }) => event.id);
    assert.deepEqual(ids, orders.map(({ id }) => id).reverse());
    assert.equal(second.body.nextCursor, null);
  });

  it("are not those that no setting can mend, or that the source excludes", async () => {
    const source = await world.createSource({
      excludedPaths: ["/admin*"],
      excludedAddresses: ["203.0.113.9"],
    });
    const { token } = (
      await world.ask("/api/tokens", {
        method: "POST",
        body: {
          organizationId: ORGANIZATION_ID,
          sourceId: source.sourceId,
          scope: "ingest",
          label: "server",
        },
      })
    ).body;
    await room.send(source, [
      pageEvent({ page: { url: `${ORIGIN}/admin` } }, world.now()),
      room.order({ id: "x".repeat(200) }),
    ]);
    const from = { origin: OTHER, "x-forwarded-for": "203.0.113.9" };
    refused(
      await world.send(bootstrapPath(source), room.withEvents([room.order()]), from),
      403,
      "origin_not_allowed",
    );
    refused(
      await world.send(bootstrapPath(source), "not JSON", { origin: OTHER }),
      403,
      "origin_not_allowed",
    );
    const wrong = { authorization: "Bearer hwt_unknown", origin: OTHER };
    refused(
      await world.send(bootstrapPath(source), room.withEvents([room.order()]), wrong),
      401,
      "invalid_token",
    );
    assert.deepEqual(await room.groups(source), []);
    const right = { authorization: `Bearer ${token}`, origin: OTHER };
    refused(
      await world.send(bootstrapPath(source), room.withEvents([room.order()]), right),
      403,
      "origin_not_allowed",
    );
    assert.deepEqual(await room.groups(source), ["origin_not_allowed order 1"]);

    const path = `/api/tracking-sources/${source.sourceId}/regenerate-key`;
    assert.equal((await world.ask(path, { method: "POST" })).status, 200);
    refused(
      await world.send(bootstrapPath(source), room.withEvents([room.order()]), wrong),
      404,
      "rotated_public_key",
    );
    assert.deepEqual(await room.groups(source), ["origin_not_allowed order 1"], "its token is not valid");
  });

  it("are none with keepRejected 0, and those that are kept are deleted", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    await room.send(source, [room.order()]);
    assert.equal((await room.quarantine(source)).events, 1);
    await room.patch(source, { keepRejected: 0 });
    await room.send(source, [room.order()]);
    assert.equal((await room.quarantine(source)).events, 1, "what is kept stays until the next maintenance");
    await passTime(world, world, MINUTE);
    assert.equal((await room.quarantine(source)).events, 0);
  });

  it("are deleted keepRejected days after they were received", async () => {
    const source = await world.createSource({ keepRejected: 2 });
    await room.savePlan(source, ORDER_PLAN);
    await room.send(source, [room.order()]);
    await passTime(world, world, DAY);
    await room.send(source, [room.order()]);
    await passTime(world, world, DAY - MINUTE);
    assert.equal((await room.quarantine(source)).events, 2);
    await passTime(world, world, 2 * MINUTE);
    assert.equal((await room.quarantine(source)).events, 1);
  });

  it("of an erased visitor are deleted", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    await room.send(source, [room.order(), room.order({ anonymousId: "visitor-2" })], { userId: "user-1" });
    await room.send(source, [room.order({ anonymousId: "visitor-2" })]);
    const erase = async (visitor: object) => {
      const body = { organizationId: ORGANIZATION_ID, sourceId: source.sourceId, ...visitor };
      const receipt = (await world.ask("/api/visitors/erase", { method: "POST", body })).body;
      const path = `/api/visitors/erase/${receipt.receiptId}?organizationId=${ORGANIZATION_ID}`;
      await until("the visitor is erased", async () => (await world.ask(path)).body.status === "done");
    };
    await erase({ anonymousId: "visitor-1" });
    assert.equal((await room.quarantine(source)).events, 2);
    await erase({ userId: "user-1" });
    assert.equal((await room.quarantine(source)).events, 1);
  });
});

describe("A full quarantine", () => {
  it("deletes the oldest events of the source that has most, and says how many", async (t) => {
    const world = await openClockedWorldFor(t, { QUARANTINE_BYTES: "1048576" });
    const [flooded, quiet] = [await world.createSource(), await world.createSource()];
    const sent: string[] = [];
    const send = async (source: CreatedSource, count: number) => {
      const events = Array.from({ length: count }, () =>
        trackEvent({ name: "order", properties: { text: randomText(5_000) } }, world.now()),
      );
      const body = eventsBody("ses_unknown", events, {}, world.now());
      refused(await world.send(eventsPath(source), body, { origin: OTHER }), 403, "origin_not_allowed");
      if (source === flooded) sent.push(...events.map(({ id }) => id));
      return (await world.ask(quarantinePath(source))).body;
    };
    await send(quiet, 1);
    for (let round = 0; round < 4; round++) await send(flooded, 80);
    const full = await send(flooded, 1);
    assert.ok(full.evictedEvents > 0 && full.lastEvictedAt !== null, JSON.stringify(full));
    assert.equal(full.events + full.evictedEvents, sent.length);
    assert.ok(full.bytes < 1_048_576);
    const other = (await world.ask(quarantinePath(quiet))).body;
    assert.deepEqual([other.events, other.evictedEvents], [1, 0]);
    const kept: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await world.ask(`${quarantinePath(flooded)}/events?limit=10${cursor}`);
      kept.push(...body.events.map((one: { event: { id: string } }) => one.event.id));
      cursor = body.nextCursor && `&cursor=${body.nextCursor}`;
    }
    assert.deepEqual(kept.toReversed(), sent.slice(full.evictedEvents), "the oldest went first");
  });
});

/** A text that does not compress well. */
const randomText = (length: number) => {
  let text = "";
  while (text.length < length) text += Math.random().toString(36).slice(2);
  return text;
};

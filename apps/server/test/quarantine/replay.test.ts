/** What a replay does with kept events (docs/api/quarantine.md). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { override } from "../../src/core/members.ts";
import { type Ledger, StorageError } from "../../src/ledger/ledger.ts";
import { storedEvents, storedLines } from "../ledger/reader.ts";
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
  refused,
  trackEvent,
} from "../support/world.ts";
import { inQuarantineOf, NO_PLAN, ORDER_PLAN, sourcePath } from "./quarantine-world.ts";

const OTHER = "https://other.example";

describe("A replay", () => {
  let world: ClockedWorld;
  let room: ReturnType<typeof inQuarantineOf>;
  before(async () => {
    world = await openClockedWorld();
    room = inQuarantineOf(world);
  });
  after(() => world[Symbol.asyncDispose]());

  const stored = ({ sourceId }: CreatedSource) =>
    storedEvents(world.dataDir).filter((event) => event.sourceId === sourceId);
  /** An event without what differs between the sources and requests of two runs. */
  const comparable = ({
    sourceId,
    analyticsEventId,
    sessionId,
    batchId,
    replayedAt,
    ...event
  }: Record<string, unknown>) => event;
  it("stores events as a plan that was right from the start would have", async () => {
    const [wrong, right] = [await world.createSource(), await world.createSource()];
    await room.savePlan(wrong, ORDER_PLAN);
    const page = {
      url: `${ORIGIN}/pay?utm_source=mail&token=abc`,
      title: "Pay",
      referrer: "https://google.com/",
    };
    const events = [
      room.order({ page, properties: { price: "9", revenue: { amount: 9, currency: "EUR" } } }),
      room.order({ context: { locale: "de-DE", screen: "800x600" } }),
      trackEvent({ name: "other" }, world.now()),
    ];
    const over = { userId: "user-1", context: { timezone: "Europe/Berlin" } };
    assert.deepEqual(outcomesOf(await room.send(right, events, over)), ["accepted", "accepted", "accepted"]);
    const reply = await room.send(wrong, events, over);
    const rejected = "rejected plan_violation";
    assert.deepEqual(outcomesOf(reply), [rejected, rejected, "accepted"]);
    const { sessionId } = reply.body;
    world.advance(90 * MINUTE);
    await room.savePlan(wrong, NO_PLAN);

    const { replayId, ...replay } = await room.replay(wrong, { code: "plan_violation" });
    const at = new Date(world.now()).toISOString();
    assert.deepEqual(replay, {
      sourceId: wrong.sourceId,
      status: "done",
      code: "plan_violation",
      edits: [],
      selected: 2,
      accepted: 2,
      duplicates: 0,
      rejected: [],
      requestedAt: at,
      finishedAt: at,
    });
    const byId = (one: { eventId: string }, other: { eventId: string }) =>
      one.eventId < other.eventId ? -1 : 1;
    const [replayed, expected] = [stored(wrong).sort(byId), stored(right).sort(byId)];
    assert.deepEqual(replayed.map(comparable), expected.map(comparable));
    assert.deepEqual([...new Set(replayed.map((event) => event.sessionId))], [sessionId]);
    const times = replayed.map((event) => event.replayedAt);
    assert.deepEqual(times.filter(Boolean), [at, at], "every replayed event says so, and no other");
    assert.equal((await room.quarantine(wrong)).events, 0);
  });

  it("keeps every name and value of the properties", async () => {
    const [wrong, right] = [await world.createSource(), await world.createSource()];
    await room.savePlan(wrong, ORDER_PLAN);
    const properties = [
      { a: 1, "\\": 2 },
      { a: 1, "\n": 2 },
      JSON.parse('{"__proto__":{"a":-0},"1":1e-7,"large":12345678901234567890,"line":"\\u2028\\u0000"}'),
    ];
    const events = properties.map((one) => room.order({ properties: one }));
    for (const source of [right, wrong]) await room.send(source, events);
    const kept = await world.ask(`${sourcePath(wrong)}/quarantine/events`);
    assert.match(kept.text, /"properties":\{"a":1,"\\n":2\}/);
    await room.savePlan(wrong, NO_PLAN);
    assert.equal((await room.replay(wrong)).accepted, 3);
    // as text, because JSON.parse may mistake one name for another
    const propertiesOf = ({ sourceId }: CreatedSource) =>
      storedLines(world.dataDir)
        .filter((line) => line.includes(sourceId))
        .map((line) => /"properties":.*?,"locale"/s.exec(line)?.[0])
        .sort();
    assert.deepEqual(propertiesOf(wrong), propertiesOf(right));
  });

  it("adds nothing when it is repeated, and a later retry of the client is a duplicate", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    const event = room.order();
    await room.send(source, [event, event]);
    await room.savePlan(source, NO_PLAN);
    const first = await room.replay(source);
    assert.deepEqual([first.accepted, first.duplicates], [1, 1]);
    const second = await room.replay(source);
    assert.deepEqual([second.selected, second.accepted], [0, 0]);
    assert.deepEqual(outcomesOf(await room.send(source, [event])), ["duplicate"]);
    assert.equal(stored(source).length, 1);
    const usage = await world.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`);
    const days = usage.body.days.filter((day: CreatedSource) => day.sourceId === source.sourceId);
    assert.deepEqual(
      days.map((day: { accepted: number }) => day.accepted),
      [1],
    );
  });

  it("gives events of refused requests the sessions of their visitor at that time", async () => {
    const source = await world.createSource({ allowedOrigins: [OTHER] });
    const send = async (events: object[], over: object = {}) =>
      refused(
        await world.send(bootstrapPath(source), room.withEvents(events, over)),
        403,
        "origin_not_allowed",
      );
    const visit = { anonymousId: fresh("visitor") };
    await send([pageEvent({}, world.now())], { ...visit, context: { locale: "fr-FR" } });
    world.advance(20 * MINUTE);
    await send([pageEvent({}, world.now()), trackEvent({}, world.now())], visit);
    await send([pageEvent({}, world.now())], { anonymousId: fresh("visitor") });
    world.advance(40 * MINUTE);
    await send([pageEvent({}, world.now())], visit);
    const named = eventsBody("ses_lost", [trackEvent({}, world.now())], visit, world.now());
    refused(await world.send(eventsPath(source), named), 403, "origin_not_allowed");
    refused(await world.send(eventsPath(source), named), 403, "origin_not_allowed");

    const again = await room.replay(source);
    assert.deepEqual(again.rejected, [{ code: "origin_not_allowed", events: 7 }], "the cause is not mended");
    await room.patch(source, { allowedOrigins: [ORIGIN] });
    world.advance(MINUTE);
    const replay = await room.replay(source);
    assert.deepEqual([replay.accepted, replay.duplicates, replay.rejected], [6, 1, []]);
    const sessions = Map.groupBy(stored(source), (event) => event.sessionId as string);
    const sizes = [...sessions.values()].map((events) => events.length).sort();
    assert.deepEqual(sizes, [1, 1, 1, 3], "20 minutes later is the same visit, 40 minutes later another");
    assert.ok([...sessions.keys()].every((id) => id !== "ses_lost"));
    const { body } = await world.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`);
    const [day] = body.days.filter((one: CreatedSource) => one.sourceId === source.sourceId);
    assert.deepEqual([day.accepted, day.bootstraps], [6, 4]);
  });

  it("finds the visits of another tool's client as if nothing had been rejected", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    const anonymousId = fresh("visitor");
    const path = `/api/compat/${source.publicKey}/segment/v1/track`;
    for (const minutes of [0, 20, 20, 40]) {
      world.advance(minutes * MINUTE);
      const timestamp = new Date(world.now()).toISOString();
      const body = { anonymousId, event: "order", messageId: fresh("message"), timestamp };
      assert.equal((await world.send(path, body)).status, 200);
    }
    await room.savePlan(source, NO_PLAN);
    assert.equal((await room.replay(source)).accepted, 4);
    const sessions = Map.groupBy(stored(source), (event) => event.sessionId);
    assert.deepEqual([...sessions.values()].map((events) => events.length).sort(), [1, 3]);
  });

  it("keeps what is rejected again, under its new reason", async () => {
    const source = await world.createSource({ allowedOrigins: [OTHER] });
    await room.savePlan(source, ORDER_PLAN);
    const body = room.withEvents([room.order(), room.order({ properties: { price: 9 } })]);
    refused(await world.send(bootstrapPath(source), body), 403, "origin_not_allowed");
    await room.patch(source, { allowedOrigins: [ORIGIN] });
    const tested = await room.test(source);
    assert.deepEqual([tested.selected, tested.evaluated, tested.accepted], [2, 2, 1]);
    const [rejected] = tested.rejected;
    assert.deepEqual([rejected.code, rejected.events, rejected.example.name], ["plan_violation", 1, "order"]);
    assert.match(rejected.message, /properties\.price must be present/);
    assert.equal(stored(source).length, 0, "a test stores nothing");

    const replay = await room.replay(source);
    assert.deepEqual([replay.accepted, replay.rejected], [1, [{ code: "plan_violation", events: 1 }]]);
    assert.deepEqual(await room.groups(source), ["plan_violation order 1"]);
  });

  it("renames, casts and drops properties before it evaluates events", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    const wrong = room.order({ properties: { prise: " 9.5 ", secret: 1, size: "L", price: "" } });
    const right = room.order({ properties: { prise: "unknown" } });
    await room.send(source, [wrong, right]);
    const edits = [
      { op: "rename", property: "prise", to: "price" },
      { op: "cast", property: "price", to: "number" },
      { op: "drop", property: "secret" },
    ];
    const { accepted, rejected } = await room.test(source, { edits });
    assert.deepEqual([accepted, rejected[0].example.properties], [1, { prise: "unknown" }]);
    const replay = await room.replay(source, { edits });
    assert.deepEqual([replay.accepted, replay.edits], [1, edits]);
    assert.deepEqual(stored(source).at(-1)?.properties, { price: 9.5, size: "L" });
  });

  it("leaves values that a cast would change", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    const properties = { id: "9007199254740993", code: "0x10", whole: "12", small: "-1.5e-3" };
    await room.send(source, [room.order({ properties })]);
    await room.savePlan(source, NO_PLAN);
    const edits = Object.keys(properties).map((property) => ({ op: "cast", property, to: "number" }));
    assert.equal((await room.replay(source, { edits })).accepted, 1);
    assert.deepEqual(stored(source).at(-1)?.properties, { ...properties, whole: 12, small: -0.0015 });
  });

  it("rejects what the retention would delete by now, and keeps it", async (t) => {
    const own = await openClockedWorldFor(t);
    const ofOwn = inQuarantineOf(own);
    const source = await own.createSource();
    await ofOwn.patch(source, { retentionDays: 3, keepRejected: 30 });
    await ofOwn.savePlan(source, ORDER_PLAN);
    await ofOwn.send(source, [trackEvent({ name: "order" }, own.now() - 2 * DAY)]);
    own.advance(2 * DAY);
    await ofOwn.savePlan(source, NO_PLAN);
    assert.equal((await ofOwn.test(source)).rejected[0].code, "timestamp_too_old");
    const replay = await ofOwn.replay(source);
    assert.deepEqual([replay.accepted, replay.rejected], [0, [{ code: "timestamp_too_old", events: 1 }]]);
    await ofOwn.patch(source, { retentionDays: 30 });
    assert.equal((await ofOwn.replay(source)).accepted, 1);
  });

  it("counts against the quota of the day on which the events were received", async () => {
    const source = await world.createSource();
    const over = { limits: { eventsPerDay: 1 } };
    await room.patch(source, over);
    await room.send(source, [room.order()]);
    refused(await world.send(bootstrapPath(source), room.withEvents([room.order()])), 429, "quota_exceeded");
    const tested = await room.test(source);
    assert.deepEqual([tested.accepted, tested.rejected[0].code], [0, "quota_exceeded"]);
    const again = await room.replay(source);
    assert.deepEqual(again.rejected, [{ code: "quota_exceeded", events: 1 }]);
    await room.patch(source, { limits: { eventsPerDay: 2 } });
    assert.equal((await room.replay(source)).accepted, 1);
  });

  it("is in the audit log and in the stats of its source", async () => {
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    await room.send(source, [room.order()]);
    const { replayId } = await room.replay(source);
    const { items } = (await world.ask(`${sourcePath(source)}/saved`)).body;
    const day = new Date(world.now()).toISOString().slice(0, 10);
    assert.deepEqual(
      items.map((item: Record<string, unknown>) => [item.kind, item.name, item.shared, item.day]),
      [["annotation", "Replay of 1 kept event", true, day]],
    );
    const audit = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`);
    const entry = audit.body.entries.find(
      (one: { action: string }) => one.action === "source.replay_started",
    );
    assert.deepEqual(entry.after, { replayId, selection: {}, edits: [], selected: 1 });
    const { replays } = (await world.ask(`${sourcePath(source)}/quarantine/replays`)).body;
    assert.deepEqual(
      replays.map((one: { replayId: string }) => one.replayId),
      [replayId],
    );
  });
});

/** A world whose replays advance by the given number of slices only. */
async function openHeld(test: Parameters<typeof openClockedWorldFor>[0]) {
  let slices = 0;
  const changeLedger = (ledger: Ledger) =>
    override(ledger, {
      claimReplay: async (claim: Parameters<Ledger["claimReplay"]>[0]) => {
        if (slices === 0) return null;
        slices -= 1;
        return ledger.claimReplay(claim);
      },
    });
  const world = await openClockedWorldFor(test, {}, { changeLedger });
  const release = (count: number) => {
    slices = count;
  };
  return { world, room: inQuarantineOf(world), release };
}

describe("A replay that is running", () => {
  it("goes on where it stopped when it is resumed", async (t) => {
    const { world, room, release } = await openHeld(t);
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    for (let batch = 0; batch < 3; batch++)
      await room.send(
        source,
        Array.from({ length: 50 }, () => room.order()),
      );
    await room.savePlan(source, NO_PLAN);
    const { replayId } = await room.start(source);
    const path = `${sourcePath(source)}/quarantine/replays`;
    refused(await world.ask(path, { method: "POST", body: {} }), 409, "replay_running");
    const progress = async () => (await world.ask(`${path}/${replayId}`)).body;
    release(1);
    await until("a slice is replayed", async () => (await progress()).accepted === 100);
    assert.equal((await room.switch(source, replayId, "stop")).body.status, "stopped");
    release(10);
    assert.equal((await room.replay(source, { name: "other" })).selected, 0, "another replay can run");
    assert.deepEqual([(await progress()).status, (await progress()).accepted], ["stopped", 100]);
    assert.equal((await room.switch(source, replayId, "resume")).body.status, "running");
    const done = await room.done(source, { replayId });
    assert.deepEqual([done.accepted, done.duplicates, done.selected], [150, 0, 150]);
    assert.equal((await room.switch(source, replayId, "stop")).body.status, "done");
    refused(await room.switch(source, "rpl_unknown", "stop"), 404, "replay_not_found");
    assert.equal(storedEvents(world.dataDir).length, 150);
  });

  it("loses and doubles nothing when the storage fails before or after events are stored", async (t) => {
    let failing: "commit" | "settleKept" | null = null;
    const failOnce = (name: typeof failing) => {
      if (failing !== name) return;
      failing = null;
      throw new StorageError("not now", "failed");
    };
    const changeLedger = (ledger: Ledger) =>
      override(ledger, {
        commit: async (commit: Parameters<Ledger["commit"]>[0]) => {
          failOnce("commit");
          return ledger.commit(commit);
        },
        settleKept: async (settled: Parameters<Ledger["settleKept"]>[0]) => {
          failOnce("settleKept");
          return ledger.settleKept(settled);
        },
      });
    const world = await openClockedWorldFor(t, {}, { changeLedger });
    const room = inQuarantineOf(world);
    for (const [name, accepted] of [
      ["commit", 1],
      ["settleKept", 0],
    ] as const) {
      const source = await world.createSource();
      await room.savePlan(source, ORDER_PLAN);
      await room.send(source, [room.order()]);
      await room.savePlan(source, NO_PLAN);
      failing = name;
      const replay = await room.replay(source);
      assert.deepEqual([replay.accepted, replay.duplicates], [accepted, 1 - accepted], name);
      assert.equal((await room.quarantine(source)).events, 0);
    }
    assert.equal(storedEvents(world.dataDir).length, 2);
  });

  it("stores no event of a visitor who is erased meanwhile", async (t) => {
    const { world, room, release } = await openHeld(t);
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    await room.send(source, [room.order(), room.order({ anonymousId: "visitor-2" })]);
    await room.savePlan(source, NO_PLAN);
    const started = await room.start(source);
    const visitor = { organizationId: ORGANIZATION_ID, anonymousId: "visitor-2" };
    const { body } = await world.ask("/api/visitors/erase", { method: "POST", body: visitor });
    const receipt = `/api/visitors/erase/${body.receiptId}?organizationId=${ORGANIZATION_ID}`;
    await until("the visitor is erased", async () => (await world.ask(receipt)).body.status === "done");
    release(10);
    assert.equal((await room.done(source, started)).accepted, 1);
    assert.deepEqual(
      storedEvents(world.dataDir).map((event) => event.anonymousId),
      ["visitor-1"],
    );
  });

  it("of an event whose visitor is erased at that moment leaves it to the erasure", async (t) => {
    const keptErased = Promise.withResolvers<void>();
    const outboxErased = Promise.withResolvers<void>();
    const probed = Promise.withResolvers<void>();
    let probes = 0;
    const changeLedger = (ledger: Ledger) =>
      override(ledger, {
        commit: async (commit: Parameters<Ledger["commit"]>[0]) => {
          const isReplay = commit.entries.some(({ line }) => Buffer.from(line).includes("replayedAt"));
          // an erasure that did not wait for it would have passed the outbox before two probes
          if (isReplay)
            await keptErased.promise.then(() => Promise.race([outboxErased.promise, probed.promise]));
          return ledger.commit(commit);
        },
        eraseKept: async (asked: Parameters<Ledger["eraseKept"]>[0]) => {
          await ledger.eraseKept(asked);
          keptErased.resolve();
          probes = 2;
        },
        eraseOutbox: async (slice: Parameters<Ledger["eraseOutbox"]>[0]) => {
          const erased = await ledger.eraseOutbox(slice);
          outboxErased.resolve();
          return erased;
        },
        probe: async (at: Parameters<Ledger["probe"]>[0]) => {
          const status = await ledger.probe(at);
          if (probes > 0 && --probes === 0) probed.resolve();
          return status;
        },
      });
    const world = await openClockedWorldFor(t, {}, { changeLedger });
    const room = inQuarantineOf(world);
    const source = await world.createSource();
    await room.savePlan(source, ORDER_PLAN);
    await room.send(source, [room.order()]);
    await room.savePlan(source, NO_PLAN);
    await room.start(source);
    const visitor = { organizationId: ORGANIZATION_ID, anonymousId: "visitor-1" };
    const { body } = await world.ask("/api/visitors/erase", { method: "POST", body: visitor });
    const receipt = `/api/visitors/erase/${body.receiptId}?organizationId=${ORGANIZATION_ID}`;
    await until("the visitor is erased", async () => (await world.ask(receipt)).body.status === "done");
    assert.deepEqual(storedEvents(world.dataDir), []);
  });
});

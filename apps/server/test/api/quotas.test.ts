/** Daily quotas of sources and workspaces, and the byte rate of an address (docs/api/limits.md). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { override } from "../../src/core/members.ts";
import { type Ledger, StorageError } from "../../src/ledger/ledger.ts";
import type { Commit } from "../../src/ledger/records.ts";
import {
  bootstrapBody,
  bootstrapPath,
  type ClockedWorld,
  type CreatedSource,
  DAY,
  eventsBody,
  eventsPath,
  HOUR,
  ORGANIZATION_ID,
  openClockedWorldFor,
  outcomesOf,
  refused,
  SECOND,
  type TestReply,
  trackEvent,
} from "../support/world.ts";

interface Sender {
  source: CreatedSource;
  /** Sends `count` new events in one request. */
  send(count?: number): Promise<TestReply>;
  sendEvents(events: object[]): Promise<TestReply>;
}

async function openSource(world: ClockedWorld): Promise<Sender> {
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const sendEvents = (events: object[]) =>
    world.send(eventsPath(source), eventsBody(sessionId, events, {}, world.now()));
  const send = (count = 1) => sendEvents(Array.from({ length: count }, () => trackEvent({}, world.now())));
  return { source, send, sendEvents };
}

const setLimits = async (world: ClockedWorld, { sourceId }: CreatedSource, limits: object) => {
  const body = { organizationId: ORGANIZATION_ID, limits };
  const reply = await world.ask(`/api/tracking-sources/${sourceId}`, { method: "PATCH", body });
  assert.equal(reply.status, 200, reply.text);
};
const usageOf = async (world: ClockedWorld) =>
  (await world.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`)).body;

describe("A daily quota", () => {
  it("of events refuses the requests after the one that reaches it, until the next UTC day", async (t) => {
    const world = await openClockedWorldFor(t, { SOURCE_EVENTS_PER_DAY: "3" });
    const { source, send } = await openSource(world);
    const other = await openSource(world);
    assert.deepEqual([outcomesOf(await send(2)).length, outcomesOf(await send(2)).length], [2, 2]);

    const reply = await send();
    refused(reply, 429, "quota_exceeded");
    assert.equal(reply.headers.get("retry-after"), String((12 * HOUR) / SECOND));
    const { resetAt, limit, actual, error, retryable } = reply.body;
    assert.deepEqual(
      [resetAt, limit, actual, error, retryable],
      ["2026-11-22T00:00:00.000Z", 3, 4, "rate_limited", true],
    );
    assert.match(reply.body.hint, /limits\.eventsPerDay.*SOURCE_EVENTS_PER_DAY/);
    refused(await world.send(bootstrapPath(source), bootstrapBody()), 429, "quota_exceeded");
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?code=quota_exceeded`);
    assert.deepEqual(body.eventAttempts[0].limit, { name: "eventsPerDay", value: 3, actual: 4 });
    assert.deepEqual(body.limits.dailyQuota.source, { events: 3, bytes: null });

    assert.equal((await other.send()).status, 200, "another source has its own quota");
    world.advance(12 * HOUR - 1);
    refused(await send(), 429, "quota_exceeded");
    world.advance(1);
    assert.equal((await send()).status, 200);
  });

  it("counts what is stored: duplicates and rejected events are free, and so is a commit that failed", async (t) => {
    let failures = 0;
    const changeLedger = (ledger: Ledger) =>
      override(ledger, {
        commit: async (commit: Commit) => {
          if (failures === 0) return ledger.commit(commit);
          failures -= 1;
          throw new StorageError("not now", "failed");
        },
      });
    const world = await openClockedWorldFor(t, { SOURCE_EVENTS_PER_DAY: "2" }, { changeLedger });
    const { sendEvents, send } = await openSource(world);
    const event = trackEvent({}, world.now());
    await sendEvents([event]);
    for (let times = 0; times < 3; times += 1) await sendEvents([event]);
    await sendEvents([{ ...event, type: "unknown" }]);
    failures = 2;
    for (let times = 0; times < 2; times += 1) refused(await send(), 503, "storage_unavailable");
    assert.equal((await send()).status, 200);
    refused(await send(), 429, "quota_exceeded");
  });

  it("holds for concurrent requests: one of them reaches it", async (t) => {
    const world = await openClockedWorldFor(t, { SOURCE_EVENTS_PER_DAY: "5" });
    const { send } = await openSource(world);
    const replies = await Promise.all(Array.from({ length: 20 }, () => send()));
    assert.equal(replies.filter(({ status }) => status === 200).length, 5);
    assert.equal((await usageOf(world)).accepted, 5);
  });

  it("of a source can be lower than the setting, not higher, and a change holds at once", async (t) => {
    const world = await openClockedWorldFor(t, { SOURCE_EVENTS_PER_DAY: "3" });
    const { source, send } = await openSource(world);
    await setLimits(world, source, { eventsPerDay: 1 });
    await send();
    refused(await send(), 429, "quota_exceeded");
    await setLimits(world, source, { eventsPerDay: 1_000 });
    await send(2);
    const reply = await send();
    refused(reply, 429, "quota_exceeded");
    assert.equal(reply.body.limit, 3);
  });

  it("of a workspace counts all of its sources, and no other workspace's", async (t) => {
    const world = await openClockedWorldFor(t, { WORKSPACE_EVENTS_PER_DAY: "2" });
    const [one, two] = [await openSource(world), await openSource(world)];
    await one.send();
    await two.send();
    const reply = await one.send();
    refused(reply, 429, "quota_exceeded");
    assert.match(reply.body.message, /^The workspace/);
    const { body } = await world.ask(`/api/billing?organizationId=${ORGANIZATION_ID}`);
    assert.deepEqual([body.limits.eventsPerDay, body.limits.bytesPerDay], [2, null]);
    const organizationId = await world.workspace();
    const foreign = await world.createSource({ organizationId });
    assert.equal((await world.send(bootstrapPath(foreign), bootstrapBody())).status, 200);
  });

  it("of bytes counts the bodies of requests that stored something, as the usage does", async (t) => {
    const world = await openClockedWorldFor(t);
    const source = await world.createSource();
    const opening = JSON.stringify(bootstrapBody());
    const opened = await world.send(bootstrapPath(source), opening);
    const body = JSON.stringify(
      eventsBody(opened.body.sessionId, [trackEvent({}, world.now())], {}, world.now()),
    );
    await world.send(eventsPath(source), body);
    await world.send(eventsPath(source), body);
    const bytes = opening.length + body.length;
    const usage = await usageOf(world);
    assert.deepEqual([usage.bytes, usage.days[0].bytes], [bytes, bytes]);

    await setLimits(world, source, { bytesPerDay: bytes + 1 });
    assert.equal((await world.send(bootstrapPath(source), opening)).status, 200);
    const reply = await world.send(bootstrapPath(source), opening);
    refused(reply, 429, "quota_exceeded");
    assert.deepEqual([reply.body.limit, reply.body.actual], [bytes + 1, bytes + opening.length]);
    assert.match((await world.ask("/metrics")).text, /^headwater_ingest_bytes_total \d/m);
  });

  it("is off by default", async (t) => {
    const world = await openClockedWorldFor(t);
    const { source, send } = await openSource(world);
    for (let times = 0; times < 5; times += 1) assert.equal((await send(100)).status, 200);
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=1`);
    const none = { events: null, bytes: null };
    assert.deepEqual(body.limits.dailyQuota, { source: none, workspace: none });
    assert.equal(body.limits.clientBytesPerSecond, null);
    world.advance(DAY);
  });
});

describe("CLIENT_BYTES_PER_SECOND", () => {
  it("refuses an address that has sent more than ten seconds' bytes, until they are refilled", async (t) => {
    const world = await openClockedWorldFor(t, { CLIENT_BYTES_PER_SECOND: "1000", TRUST_PROXY: "1" });
    const source = await world.createSource();
    const other = await world.createSource();
    const send = (to: CreatedSource, text: string, address = "203.0.113.7") =>
      world.send(bootstrapPath(to), bootstrapBody({ context: { text } }), { "x-forwarded-for": address });
    const large = "x".repeat(12_000);
    assert.equal((await send(source, large)).status, 200);
    const reply = await send(source, "");
    refused(reply, 429, "rate_limited");
    assert.match(reply.body.hint, /CLIENT_BYTES_PER_SECOND/);
    refused(await send(other, ""), 429, "rate_limited");
    assert.equal((await send(source, "", "203.0.113.8")).status, 200);

    world.advance(Number(reply.headers.get("retry-after")) * SECOND);
    assert.equal((await send(source, "")).status, 200);
  });
});

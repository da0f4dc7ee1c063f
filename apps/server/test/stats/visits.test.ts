/** The latest visits behind a figure (docs/api/stats.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StatsVisit } from "@headwater/contract";
import { issuesOf, refused } from "../support/world.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

let stats: StatsWorld;
let sourceId: string;
before(async () => {
  stats = await openStatsWorld();
  sourceId = (await stats.world.createSource()).sourceId;
  const phone = { device: "mobile", country: "DE" };
  await stats.insert(sourceId, [
    { id: "a1", at: "2026-11-20T10:00:00.000Z", session: "s-ann", visitor: "ann", page: "/cart", ...phone },
    {
      id: "a2",
      at: "2026-11-20T10:01:00.000Z",
      session: "s-ann",
      visitor: "ann",
      page: "/checkout",
      ...phone,
    },
    { id: "a3", at: "2026-11-20T10:03:00.000Z", session: "s-ann", visitor: "ann", page: "/help", ...phone },
    { id: "a4", at: "2026-11-20T18:00:00.000Z", session: "s-ann2", visitor: "ann", page: "/blog", ...phone },
    { id: "b1", at: "2026-11-20T11:00:00.000Z", session: "s-bob", visitor: "bob", page: "/cart" },
    { id: "b2", at: "2026-11-20T11:01:00.000Z", session: "s-bob", visitor: "bob", page: "/checkout" },
    {
      id: "b3",
      at: "2026-11-20T11:02:00.000Z",
      session: "s-bob",
      visitor: "bob",
      name: "purchase",
      user: "u-bob",
    },
    { id: "c1", at: "2026-11-20T12:00:00.000Z", session: "s-cid", visitor: "cid", page: "/cart", ...phone },
    {
      id: "d1",
      at: "2026-11-20T12:30:00.000Z",
      session: "s-bot",
      visitor: "bot",
      page: "/cart",
      isBot: true,
    },
    { id: "e1", at: "2026-11-20T13:00:00.000Z", session: "s-eve", visitor: "eve", page: "/checkout" },
  ]);
});
after(() => stats[Symbol.asyncDispose]());

const ask = (body: Record<string, unknown>, token?: string) =>
  stats.world.ask("/api/stats/visits", {
    method: "POST",
    body: { sourceId, dateRange: ["2026-11-20", "2026-11-21"], ...body },
    ...(token && { token }),
  });
async function sessionsOf(body: Record<string, unknown>): Promise<string[]> {
  const reply = await ask(body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.visits.map(({ sessionId }: StatsVisit) => sessionId);
}

const CHECKOUT = { steps: [{ page: "/cart" }, { page: "/checkout" }, { event: "purchase" }] };
const ON_PHONES = [{ dimension: "device", operator: "is", value: "mobile" }];

test("Visits are listed by their last activity, without bots, as many as are asked for.", async () => {
  assert.deepEqual(await sessionsOf({}), ["s-ann2", "s-eve", "s-cid", "s-bob", "s-ann"]);
  assert.deepEqual(await sessionsOf({ limit: 2 }), ["s-ann2", "s-eve"]);
  assert.deepEqual(await sessionsOf({ include: { bots: true }, limit: 3 }), ["s-ann2", "s-eve", "s-bot"]);
  assert.deepEqual(await sessionsOf({ filters: ON_PHONES }), ["s-ann2", "s-cid", "s-ann"]);
  assert.deepEqual(await sessionsOf({ dateRange: ["2026-11-10", "2026-11-11"] }), []);
});

test("A visit says who came, from where, what they saw and for how long.", async () => {
  const { visits } = (await ask({ filters: [{ dimension: "event", operator: "is", value: "purchase" }] }))
    .body;
  const [bob, ...others]: StatsVisit[] = visits;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [bob?.anonymousId, bob?.userId, bob?.startedAt, bob?.lastActiveAt, bob?.seconds],
    ["bob", "u-bob", "2026-11-20T11:00:00.000Z", "2026-11-20T11:02:00.000Z", 120],
  );
  assert.deepEqual(
    [bob?.entryPage, bob?.lastPage, bob?.lastEvent, bob?.pageviews, bob?.actions, bob?.device],
    ["/cart", "/checkout", "purchase", 2, 1, null],
  );
});

test("Those who dropped off a funnel are listed with the visit of their last step, as many as the funnel counts.", async () => {
  const at = (reached: number) => ({ funnel: { ...CHECKOUT, reached } });
  assert.deepEqual(await sessionsOf(at(1)), ["s-cid"]);
  assert.deepEqual(await sessionsOf(at(2)), ["s-ann"]);
  assert.deepEqual(await sessionsOf(at(3)), ["s-bob"]);
  assert.deepEqual(await sessionsOf({ ...at(2), filters: ON_PHONES }), ["s-ann"]);
  assert.deepEqual(await sessionsOf({ ...at(3), filters: ON_PHONES }), []);
  const body = { sourceId, dateRange: ["2026-11-20", "2026-11-21"], ...CHECKOUT };
  const funnel = await stats.world.ask("/api/stats/funnel", { method: "POST", body });
  assert.deepEqual(
    funnel.body.steps.map(({ visitors }: { visitors: number }) => visitors),
    [3, 2, 1],
  );
  const short = { funnel: { ...CHECKOUT, reached: 1, windowSeconds: 30 } };
  assert.deepEqual(await sessionsOf(short), ["s-cid", "s-bob", "s-ann"], "nobody is as fast");
});

test("Single visits are personal data: they need export:read and are noted in the audit log.", async () => {
  const viewer = await stats.world.person("viewer");
  refused(await ask({}, viewer.token), 403, "permission_denied");
  await ask({});
  const { entries } = (await stats.world.ask("/api/audit?organizationId=org_default")).body;
  assert.ok(entries.some(({ action }: { action: string }) => action === "source.events_read"));
});

test("An unknown goal and more visits than a page has are refused.", async () => {
  const unknown = await ask({ funnel: { steps: [{ name: "no goal" }, { page: "/" }], reached: 1 } });
  assert.match(issuesOf(unknown).join(), /^funnel\.steps\.0\.name: /);
  refused(await ask({ limit: 101 }), 422, "invalid_payload");
});

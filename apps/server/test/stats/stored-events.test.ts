/** The stored events of one session or visitor, and the latest of one name (docs/api/export.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ListedEvent } from "@headwater/contract";
import { issuesOf, ORGANIZATION_ID, openWorld, refused } from "../support/world.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const PURCHASES = [
  { id: "p1", at: "2026-04-30T23:59:59.000Z" },
  { id: "p2", at: "2026-05-12T08:00:00.000Z" },
  { id: "p3", at: "2026-05-12T08:00:00.000Z", visitor: "bob" },
  { id: "p4", at: "2026-05-12T07:00:00.000Z" },
];

let stats: StatsWorld;
let sourceId: string;
before(async () => {
  stats = await openStatsWorld();
  sourceId = (await stats.world.createSource()).sourceId;
  const ann = { visitor: "ann", page: "/" };
  const properties = { plan: "pro", nested: { price: 12.5 } };
  await stats.insert(sourceId, [
    { ...ann, id: "3", at: "2026-05-11T10:00:00.000Z", session: "s2", page: "/later" },
    { ...ann, id: "2", at: "2026-05-10T10:01:00.000Z", session: "s1", name: "signup", properties },
    { ...ann, id: "1", at: "2026-05-10T10:00:00.000Z", session: "s1", user: "usr_ann" },
    { id: "4", at: "2026-05-10T10:00:00.000Z", session: "s3", visitor: "bob", page: "/bob" },
    ...PURCHASES.map((purchase) => ({ session: "s4", visitor: "eve", name: "purchase", ...purchase })),
  ]);
});
after(() => stats[Symbol.asyncDispose]());

const list = (query: Record<string, string>, of = sourceId, token?: string) =>
  stats.world.ask(`/api/tracking-sources/${of}/events?${new URLSearchParams(query)}`, token ? { token } : {});
const idsOf = async (query: Record<string, string>, of = sourceId) => {
  const reply = await list(query, of);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.events.map(({ eventId }: ListedEvent) => eventId);
};

test("The events of a session, a visitor or a user are listed in the order in which they happened.", async () => {
  assert.deepEqual(await idsOf({ sessionId: "s1" }), ["1", "2"]);
  assert.deepEqual(await idsOf({ anonymousId: "ann" }), ["1", "2", "3"]);
  assert.deepEqual(await idsOf({ userId: "usr_ann" }), ["1"]);
  assert.deepEqual(await idsOf({ sessionId: "unknown" }), []);
  const other = await stats.world.createSource({ name: "Other" });
  assert.deepEqual(await idsOf({ anonymousId: "ann" }, other.sourceId), [], "of another source");
});

test("A listed event has its stored fields.", async () => {
  const { events } = (await list({ sessionId: "s1" })).body;
  const [first, second] = events as ListedEvent[];
  assert.deepEqual(
    [first?.occurredAt, first?.type, first?.path, first?.userId, first?.isBot],
    ["2026-05-10T10:00:00.000Z", "page", "/", "usr_ann", false],
  );
  assert.deepEqual([second?.name, second?.properties], ["signup", { plan: "pro", nested: { price: 12.5 } }]);
});

/** The ids of all pages of a list, each of one event. */
async function idsByPage(query: Record<string, string>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body }: { body: { events: ListedEvent[]; nextCursor: string | null } } = await list({
      ...query,
      limit: "1",
      ...(cursor === "" ? {} : { cursor }),
    });
    pages.push(body.events.map(({ eventId }) => eventId));
    cursor = body.nextCursor;
  }
  return pages;
}

test("Pages of a list continue each other, also when events happened at the same time.", async () => {
  assert.deepEqual(await idsByPage({ anonymousId: "ann" }), [["1"], ["2"], ["3"]]);
  assert.deepEqual(await idsByPage({ anonymousId: "ann", order: "latest" }), [["3"], ["2"], ["1"]]);
});

test("The events of a name are listed from the latest to the first, over days and visitors.", async () => {
  const ids = await idsOf({ name: "purchase" });
  assert.deepEqual(ids.slice(0, 2).sort(), ["p2", "p3"]);
  assert.deepEqual(ids.slice(2), ["p4", "p1"]);
  assert.deepEqual((await idsByPage({ name: "purchase" })).flat(), ids);
  assert.deepEqual(await idsOf({ name: "unknown" }), []);
});

test("422: a query names exactly one session, visitor, user or event name.", async () => {
  assert.deepEqual(issuesOf(await list({})), ["sessionId: required"]);
  assert.deepEqual(issuesOf(await list({ sessionId: "s1", userId: "u" })), ["userId: invalid_value"]);
  assert.deepEqual(issuesOf(await list({ sessionId: "s1", name: "signup" })), ["name: invalid_value"]);
  // visitors without an id share `$none`, which therefore names no single visitor
  assert.deepEqual(issuesOf(await list({ anonymousId: "$none" })), ["anonymousId: invalid_value"]);
  assert.deepEqual(issuesOf(await list({ sessionId: "s1", cursor: "x" })), ["cursor: invalid_value"]);
});

test("A viewer and a shared link get 403. Without a warehouse, everybody gets 503.", async () => {
  const { world } = stats;
  const viewer = await world.serviceAccount("viewer");
  refused(await list({ sessionId: "s1" }, sourceId, viewer.token), 403, "permission_denied");
  const body = { organizationId: ORGANIZATION_ID, label: "Board", sourceId };
  const { token } = (await world.ask("/api/tokens", { method: "POST", body })).body;
  refused(await list({ sessionId: "s1" }, sourceId, token), 403, "permission_denied");
  await using bare = await openWorld();
  const { sourceId: other } = await bare.createSource();
  refused(await bare.ask(`/api/tracking-sources/${other}/events?sessionId=s1`), 503, "warehouse_off");
});

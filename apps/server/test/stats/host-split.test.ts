/** Visitors who go from one host of a source to another and count on both (docs/client.md#several-hosts). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { READ_BUDGET } from "../../src/stats/plan.ts";
import { openWorld, refused } from "../support/world.ts";
import type { ExampleEvent } from "./examples.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

let stats: StatsWorld;
before(async () => {
  stats = await openStatsWorld();
});
after(() => stats[Symbol.asyncDispose]());

const WWW = "www.shop.example";
const APP = "app.shop.example";
const DAY = "2026-11-20";

interface HostMove {
  readonly visitors: number;
  readonly from?: string;
  readonly to?: string;
  readonly day?: string;
  /** The same visitor id on both hosts, as with the option of the client; the session is a new one. */
  readonly isJoined?: true;
  readonly isBot?: true;
}
let moves = 0;
/** Visitors who see a page on a host and then follow a link to the other one. */
function eventsOf({ visitors, from = WWW, to = APP, day = DAY, isJoined, isBot }: HostMove): ExampleEvent[] {
  return Array.from({ length: visitors }, () => {
    const id = `${++moves}`;
    const first = {
      id: `${id}a`,
      at: `${day}T10:00:00.000Z`,
      session: `${id}a`,
      visitor: `${id}a`,
      host: from,
    };
    const visitor = isJoined ? first.visitor : `${id}b`;
    const second = {
      id: `${id}b`,
      at: `${day}T10:01:00.000Z`,
      session: `${id}b`,
      visitor,
      host: to,
      referrer: from,
    };
    return [first, second].map((event) => ({ ...event, page: "/", ...(isBot && { isBot }) }));
  }).flat();
}
const visitsOf = (host: string, visitors: number): ExampleEvent[] =>
  Array.from({ length: visitors }, () => {
    const id = `${++moves}`;
    return { id, at: `${DAY}T09:00:00.000Z`, session: id, visitor: id, page: "/", host };
  });

const answerFor = async (events: readonly ExampleEvent[]) => {
  const { sourceId } = await stats.world.createSource();
  if (events.length > 0) await stats.insert(sourceId, events);
  const reply = await stats.world.ask(`/api/stats/host-split?sourceId=${sourceId}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const splitOf = async (...events: ExampleEvent[][]) => (await answerFor(events.flat())).split;

test("Five visitors with another id on the second host are a split, of today and the six days before.", async () => {
  const { split, from, to, accuracy } = await answerFor(eventsOf({ visitors: 5 }));
  assert.deepEqual(split, { fromHost: WWW, toHost: APP, visitors: 5, option: "crossSubdomain" });
  assert.deepEqual(
    [from, to, accuracy],
    ["2026-11-15T00:00:00.000Z", "2026-11-22T00:00:00.000Z", { exact: true }],
  );
  assert.equal(await splitOf(eventsOf({ visitors: 9, day: "2026-11-14" })), null, "earlier ones");
});

test("Hosts of two registrable domains need the links between them.", async () => {
  for (const [from, to] of [
    [WWW, "pay.other.example"],
    ["a.github.io", "b.github.io"],
  ] as const)
    assert.equal((await splitOf(eventsOf({ visitors: 5, from, to }))).option, "linkDomains");
});

test("Four visitors, or less than 1 % of all, are too few.", async () => {
  assert.equal(await splitOf(eventsOf({ visitors: 4 })), null);
  assert.equal(await splitOf(eventsOf({ visitors: 5 }), visitsOf(WWW, 491)), null);
  assert.equal((await splitOf(eventsOf({ visitors: 5 }), visitsOf(WWW, 490))).visitors, 5);
});

test("Visitors whom the option keeps are no split, also when their session has ended in between.", async () => {
  assert.equal(await splitOf(eventsOf({ visitors: 20, isJoined: true })), null);
});

test("Bots, other sites, other sources and a host that somebody has named once are no split.", async () => {
  assert.equal(await splitOf(eventsOf({ visitors: 9, isBot: true })), null);
  const fromElsewhere = eventsOf({ visitors: 9, from: "news.example" }).filter(({ host }) => host === APP);
  assert.equal(await splitOf(fromElsewhere), null);
  assert.equal(await splitOf(fromElsewhere, visitsOf("news.example", 1)), null);
  assert.equal(await splitOf(), null, "no events");
});

test("The largest split is named, as an estimate when the source is large.", async (t) => {
  const { eventsPerSecond } = READ_BUDGET;
  t.after(() => {
    READ_BUDGET.eventsPerSecond = eventsPerSecond;
  });
  READ_BUDGET.eventsPerSecond = { ...eventsPerSecond, events: 7_000 };
  const { split, accuracy } = await answerFor([
    ...eventsOf({ visitors: 20, from: APP, to: WWW }),
    ...eventsOf({ visitors: 400 }),
  ]);
  assert.deepEqual(accuracy, { exact: false, sample: 0.5 });
  assert.deepEqual([split.fromHost, split.toHost], [WWW, APP]);
  assert.ok(split.visitors % 2 === 0 && split.visitors > 300 && split.visitors < 500, `${split.visitors}`);
});

test("Without a warehouse the answer is 503.", async () => {
  await using world = await openWorld();
  const { sourceId } = await world.createSource();
  refused(await world.ask(`/api/stats/host-split?sourceId=${sourceId}`), 503, "warehouse_off");
});

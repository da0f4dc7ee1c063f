/** How days settle: by several nodes, cut off anywhere, and what goes when events have gone. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { deleteEvents } from "../../src/clickhouse/deletion.ts";
import { answerQuery } from "../../src/stats/query.ts";
import { areEventsChanging, forgetChanged } from "../../src/stats/rollups/drop.ts";
import { type Ask, createAsker } from "../../src/stats/run-query.ts";
import { settleRound, startSettler } from "../../src/workers/rollups.ts";
import { until } from "../faults/child.ts";
import { PATIENCE_MS } from "../warehouse/store.ts";
import type { ExampleEvent } from "./examples.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

let stats: StatsWorld;
before(async () => {
  stats = await openStatsWorld();
});
after(() => stats[Symbol.asyncDispose]());

const HOUR_MS = 3_600_000;
let now = Date.UTC(2026, 10, 22);
const later = () => (now += 2 * HOUR_MS);
const settle = (client: WarehouseClient = stats.client) => settleRound(client, later(), { sourceEvents: 1 });

const DAY = "2026-11-10";
const view = (id: string, visitor: string, hour: string): ExampleEvent => ({
  id,
  at: `${DAY}T${hour}:00:00.000Z`,
  session: `s-${visitor}`,
  visitor,
  page: "/",
});
const EVENTS = [view("1", "ann", "10"), view("2", "ann", "11"), view("3", "bob", "12")];

const filled = async () => {
  const { sourceId } = await stats.world.createSource();
  await stats.insert(sourceId, EVENTS);
  return sourceId;
};
const questionAbout = (sourceId: string) => ({
  sourceId,
  dateRange: [DAY, "2026-11-11"] as [string, string],
  metrics: ["visitors" as const, "sessions" as const, "pageviews" as const],
});
const numbers = async (sourceId: string) => {
  const body = questionAbout(sourceId);
  const reply = await stats.world.ask("/api/stats/query", { method: "POST", body });
  return reply.body.results[0]?.metrics;
};
const count = async (table: string, sourceId: string, condition = "1"): Promise<number> => {
  const query = `SELECT count() FROM ${table} WHERE sourceId = '${sourceId}' AND ${condition}`;
  const [row] = await (await stats.client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
  return Number(row?.[0]);
};

test("Two nodes that settle the same day at once count it once; what is not read goes later.", async () => {
  const sourceId = await filled();
  const at = later();
  await Promise.all([0, 1].map(() => settleRound(stats.client, at, { sourceEvents: 1 })));
  assert.deepEqual(await numbers(sourceId), [2, 2, 3]);
  await settle();
  assert.equal(await count("visits", sourceId), 3, "a row for each quarter of an hour of a session");
  assert.equal(await count("settledDays", sourceId, "isDone"), 1);
});

/** A client that does something at each statement. */
const telling = (onStatement: (query: string) => void): WarehouseClient =>
  new Proxy(stats.client, {
    get: (client, name) => {
      const own = Reflect.get(client, name) as unknown;
      if (name !== "command") return typeof own === "function" ? own.bind(client) : own;
      return async (params: Parameters<WarehouseClient["command"]>[0]) => {
        onStatement(params.query);
        return client.command(params);
      };
    },
  });

/** A client of which the statement of that number never ends well. */
function failing(at: number): WarehouseClient {
  let left = at;
  return telling(() => {
    if (left-- === 0) throw new Error("cut off");
  });
}

test("A settling that is cut off counts for nothing, wherever that is, and leaves nothing behind.", async () => {
  const sourceId = await filled();
  for (let at = 0; at < 5; at++) {
    await assert.rejects(settle(failing(at)), /cut off/);
    assert.deepEqual(await numbers(sourceId), [2, 2, 3], `statement ${at}`);
  }
  assert.equal(await settle(), 1);
  assert.deepEqual(await numbers(sourceId), [2, 2, 3]);
  later();
  await settle();
  assert.equal(await count("visits", sourceId), 3);
});

test("A settling that is told to stop ends with its statement, and leaves nothing behind.", async () => {
  const sourceId = await filled();
  const stopping = new AbortController();
  const statements: string[] = [];
  const client = telling((query) => {
    statements.push(query);
    stopping.abort();
  });
  assert.equal(await settleRound(client, later(), { sourceEvents: 1, signal: stopping.signal }), 0);
  assert.ok(!statements.some((query) => query.startsWith("INSERT INTO visits")));
  assert.equal(await count("settledDays", sourceId), 0);
  assert.equal(await settle(), 1);
});

test("A warehouse that hangs does not hold the settler up when it stops.", async () => {
  const asked = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);
  const query = () => {
    asked.resolve();
    return never;
  };
  const client = Object.assign(Object.create(stats.client), { query }) as WarehouseClient;
  const log = { warn: () => undefined };
  const settler = startSettler({ warehouse: { client: () => client }, clock: () => now, log });
  await asked.promise;
  let isOver = false;
  void settler.stop().then(() => {
    isOver = true;
  });
  await until("it has stopped", PATIENCE_MS, () => isOver);
});

const IS_ANN = "visitor = sipHash64('ann')";
const deleteAnn = async (sourceId: string) => {
  const deletion = { name: `ann-${now}`, condition: `sourceId = '${sourceId}' AND anonymousId = 'ann'` };
  const isGone = async () => (await deleteEvents(stats.client, [deletion])).has(deletion.name);
  await until("the events are gone", PATIENCE_MS, isGone);
};

test("What was derived of events goes with them, before anybody is told that they are gone.", async () => {
  const sourceId = await filled();
  assert.equal(await settle(), 1);
  assert.equal(await count("visits", sourceId, IS_ANN), 2);
  await deleteAnn(sourceId);
  assert.ok(await forgetChanged(stats.client, [sourceId]));
  for (const table of ["visits", "hits"]) assert.equal(await count(table, sourceId, IS_ANN), 0, table);
  assert.deepEqual(await numbers(sourceId), [1, 1, 1]);
  await until("nothing is under way", PATIENCE_MS, async () => !(await areEventsChanging(stats.client)));
  assert.equal(await settle(), 1);
  assert.deepEqual(await numbers(sourceId), [1, 1, 1]);
});

test("A question that reads what goes meanwhile is answered of what there is then.", async () => {
  const sourceId = await filled();
  assert.equal(await settle(), 1);
  const ask = createAsker(() => ({ state: () => "up", client: () => stats.client }))({
    organizationId: "org",
    signal: new AbortController().signal,
  });
  let reads = 0;
  const interrupted: Ask = async (statement) => {
    if (/FROM visits/.test(statement.query) && reads++ === 0) {
      await deleteAnn(sourceId);
      assert.ok(await forgetChanged(stats.client, [sourceId]));
    }
    return ask(statement);
  };
  const { results } = await answerQuery(interrupted, questionAbout(sourceId), now);
  assert.equal(reads, 1, "it began with what had settled");
  assert.deepEqual(results[0]?.metrics, [1, 1, 1]);
});

test("Nobody is told that it is gone while a day is being settled, even if that ends just then.", async () => {
  const sourceId = await filled();
  await deleteAnn(sourceId);
  // of a settling that read the events before: what it has written, and the last thing that it writes
  const version = now * 1_000;
  const write = (query: string) => stats.client.command({ query });
  const record = (isDone: number) =>
    write(
      `INSERT INTO settledDays (sourceId, day, version, isDone) VALUES ('${sourceId}', '${DAY}', ${version}, ${isDone})`,
    );
  await record(0);
  await write(`INSERT INTO visits (sourceId, day, version, visitor)
    SELECT '${sourceId}', '${DAY}', ${version}, sipHash64('ann')`);
  let looks = 0;
  const ending = new Proxy(stats.client, {
    get: (client, name) => {
      const own = Reflect.get(client, name) as unknown;
      if (name !== "query") return typeof own === "function" ? own.bind(client) : own;
      return async (params: Parameters<WarehouseClient["query"]>[0]) => {
        const answer = await client.query(params);
        if (looks++ === 0) await record(1);
        return answer;
      };
    },
  });
  assert.equal(await forgetChanged(ending, [sourceId]), false);
  assert.equal(await forgetChanged(stats.client, [sourceId]), true);
  assert.equal(await count("visits", sourceId, IS_ANN), 0);
});

test("An erasure does not wait for a settling that has failed.", async () => {
  const sourceId = await filled();
  await assert.rejects(settle(failing(2)), /cut off/);
  assert.ok(await forgetChanged(stats.client, [sourceId]));
});

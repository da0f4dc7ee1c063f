/** How rollups are built by several nodes, interrupted anywhere, and dropped when events are erased. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { deleteEvents } from "../../src/clickhouse/deletion.ts";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { answerQuery } from "../../src/stats/query.ts";
import { dropOutdatedRollups, hasRunningMutations } from "../../src/stats/rollups/drop.ts";
import { FailedDays } from "../../src/stats/rollups/failed-days.ts";
import { type RunStatement, runOn } from "../../src/stats/sql/run-on.ts";
import type { Statement } from "../../src/stats/sql/statement.ts";
import { runRollupRound, startRollupWorker } from "../../src/workers/rollups.ts";
import { until } from "../support/until.ts";
import { eventsBody, eventsPath, outcomesOf, pageEvent } from "../support/world.ts";
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
const build = (client: WarehouseClient = stats.client) =>
  runRollupRound(client, later(), { minSourceEvents: 1 });

const DAY = "2026-11-10";
const view = (id: string, visitor: string, hour: string): ExampleEvent => ({
  id,
  at: `${DAY}T${hour}:00:00.000Z`,
  session: `s-${visitor}`,
  visitor,
  page: "/",
});
const EVENTS = [view("1", "ann", "10"), view("2", "ann", "11"), view("3", "bob", "12")];

const filledSource = async () => {
  const { sourceId } = await stats.world.createSource();
  await stats.insert(sourceId, EVENTS);
  return sourceId;
};
const queryOf = (sourceId: string) => ({
  sourceId,
  dateRange: [DAY, "2026-11-11"] as [string, string],
  metrics: ["visitors" as const, "sessions" as const, "pageviews" as const],
});
const metrics = async (sourceId: string) => {
  const body = queryOf(sourceId);
  const reply = await stats.world.ask("/api/stats/query", { method: "POST", body });
  return reply.body.results[0]?.metrics;
};
const count = async (table: string, sourceId: string, condition = "1"): Promise<number> => {
  const query = `SELECT count() FROM ${table} WHERE sourceId = '${sourceId}' AND ${condition}`;
  const [row] = await (await stats.client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
  return Number(row?.[0]);
};

test("An old event that ingest accepts counts once on its day, which is rolled up already, before and after the next build.", async () => {
  const sourceId = await filledSource();
  assert.ok((await build()) > 0);
  const { world } = stats;
  const source = (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
  const at = Date.parse(`${DAY}T15:00:00.000Z`);
  const today = at + 100 * 24 * HOUR_MS;
  stats.setNow(today);
  now = today;
  const sessionId = await world.openSession(source);
  const event = pageEvent({}, at);
  const send = () => world.send(eventsPath(source), eventsBody(sessionId, [event], {}, today));
  assert.deepEqual(outcomesOf(await send()), ["accepted"]);
  await until("it is shipped", async () => (await count("events", sourceId)) === 4);
  assert.deepEqual(outcomesOf(await send()), ["duplicate"]);
  const wanted = [3, 3, 4];
  assert.deepEqual(await metrics(sourceId), wanted);
  assert.ok((await build()) > 0);
  assert.deepEqual(await metrics(sourceId), wanted);
});

test("Two nodes that build one day at once count it once; the build that is not read is dropped later.", async () => {
  const sourceId = await filledSource();
  const at = later();
  await Promise.all([0, 1].map(() => runRollupRound(stats.client, at, { minSourceEvents: 1 })));
  assert.deepEqual(await metrics(sourceId), [2, 2, 3]);
  await build();
  assert.equal(await count("sessionRollups", sourceId), 3, "a row for each quarter of an hour of a session");
  assert.equal(await count("rollupBuilds", sourceId, "state = 1"), 1);
});

/** A client that reports each command before it is sent. */
const observed = (onCommand: (query: string) => void): WarehouseClient =>
  new Proxy(stats.client, {
    get: (client, name) => {
      const own = Reflect.get(client, name) as unknown;
      if (name !== "command") return typeof own === "function" ? own.bind(client) : own;
      return async (params: Parameters<WarehouseClient["command"]>[0]) => {
        onCommand(params.query);
        return client.command(params);
      };
    },
  });

/** A client whose command of that number fails. */
function failing(at: number): WarehouseClient {
  let left = at;
  return observed(() => {
    if (left-- === 0) throw new Error("interrupted");
  });
}

test("A build that is interrupted at any command is never read, and leaves nothing behind.", async () => {
  const sourceId = await filledSource();
  for (let at = 0; at < 5; at++) {
    await assert.rejects(build(failing(at)), /interrupted/);
    assert.deepEqual(await metrics(sourceId), [2, 2, 3], `command ${at}`);
  }
  assert.equal(await build(), 1);
  assert.deepEqual(await metrics(sourceId), [2, 2, 3]);
  later();
  await build();
  assert.equal(await count("sessionRollups", sourceId), 3);
});

test("A day whose build fails in the warehouse is left out for a while, and the other days are built.", async () => {
  const sourceId = await filledSource();
  await stats.insert(sourceId, [{ ...view("4", "eve", "10"), at: "2026-11-13T10:00:00.000Z" }]);
  const client: WarehouseClient = new Proxy(stats.client, {
    get: (target, name) => {
      const own = Reflect.get(target, name) as unknown;
      if (name !== "command") return typeof own === "function" ? own.bind(target) : own;
      return async (params: Parameters<WarehouseClient["command"]>[0]) => {
        const { query, query_params } = params;
        if (query.startsWith("INSERT INTO sessionRollups") && query_params?.day === "2026-11-13")
          throw Object.assign(new Error("memory limit exceeded"), { code: "241" });
        return target.command(params);
      };
    },
  });
  const failedDays = new FailedDays();
  const failures: string[] = [];
  const round = (at: number) =>
    runRollupRound(client, at, {
      minSourceEvents: 1,
      failedDays,
      onFailure: (_, { day }) => failures.push(day),
    });
  const at = later();
  assert.equal(await round(at), 1, "the newest day fails, the other one is built");
  assert.equal(failedDays.count(), 1);
  assert.equal(await round(at + 59_000), 0, "it is not tried again within a minute");
  await round(at + 61_000);
  assert.ok(failedDays.isWaiting({ sourceId, day: "2026-11-13" }, at + 61_000 + 119_000), "the wait doubles");
  assert.deepEqual(failures, ["2026-11-13"], "only the first failure is reported");
  assert.equal(await runRollupRound(stats.client, later(), { minSourceEvents: 1, failedDays }), 1);
  assert.equal(failedDays.count(), 0);
  assert.equal(await count("sessionRollups", sourceId), 4);
});

test("A build that is stopped ends after its present command, and leaves nothing behind.", async () => {
  const sourceId = await filledSource();
  const stop = new AbortController();
  const commands: string[] = [];
  const client = observed((query) => {
    commands.push(query);
    stop.abort();
  });
  assert.equal(await runRollupRound(client, later(), { minSourceEvents: 1, stopping: stop.signal }), 0);
  assert.ok(!commands.some((query) => query.startsWith("INSERT INTO sessionRollups")));
  assert.equal(await count("rollupBuilds", sourceId), 0);
  assert.equal(await build(), 1);
});

test("The worker stops although the warehouse hangs.", async () => {
  const asked = Promise.withResolvers<void>();
  const query = ({ abort_signal }: Parameters<WarehouseClient["query"]>[0]) => {
    asked.resolve();
    return new Promise<never>((_, reject) =>
      abort_signal?.addEventListener("abort", () => reject(abort_signal.reason)),
    );
  };
  const client = Object.assign(Object.create(stats.client), { query }) as WarehouseClient;
  const log = { warn: () => undefined };
  const worker = startRollupWorker({
    warehouse: { client: () => client },
    clock: () => now,
    failedDays: new FailedDays(),
    memoryBytes: 536_870_912,
    log,
  });
  await asked.promise;
  let hasStopped = false;
  void worker.stop().then(() => {
    hasStopped = true;
  });
  await until("it has stopped", () => hasStopped);
});

const IS_ANN = "visitor = sipHash64('ann')";
const deleteAnn = async (sourceId: string) => {
  const deletion = { name: `ann-${now}`, condition: `sourceId = '${sourceId}' AND anonymousId = 'ann'` };
  const isGone = async () => (await deleteEvents(stats.client, [deletion])).has(deletion.name);
  await until("the events are gone", isGone);
};

test("An erasure drops the rollups of the deleted events before it is reported as done.", async () => {
  const sourceId = await filledSource();
  assert.equal(await build(), 1);
  assert.equal(await count("sessionRollups", sourceId, IS_ANN), 2);
  await deleteAnn(sourceId);
  assert.ok(await dropOutdatedRollups(stats.client, [sourceId]));
  for (const table of ["sessionRollups", "eventRollups"])
    assert.equal(await count(table, sourceId, IS_ANN), 0, table);
  assert.deepEqual(await metrics(sourceId), [1, 1, 1]);
  await until("no mutation runs", async () => !(await hasRunningMutations(stats.client)));
  assert.equal(await build(), 1);
  assert.deepEqual(await metrics(sourceId), [1, 1, 1]);
});

test("A query that reads a rollup while it is dropped runs again.", async () => {
  const sourceId = await filledSource();
  assert.equal(await build(), 1);
  const run = runOn(stats.client, new AbortController().signal);
  let reads = 0;
  const interrupt: RunStatement = async <Row extends readonly unknown[]>(statement: Statement) => {
    if (/FROM sessionRollups/.test(statement.query) && reads++ === 0) {
      await deleteAnn(sourceId);
      assert.ok(await dropOutdatedRollups(stats.client, [sourceId]));
    }
    return run<Row>(statement);
  };
  const interrupted = Object.assign(interrupt, { memoryBytes: SERVER_LIMITS.maxStatsMemoryBytes });
  const { results } = await answerQuery(interrupted, queryOf(sourceId), null, now);
  assert.equal(reads, 1, "the first try reads a rollup");
  assert.deepEqual(results[0]?.metrics, [1, 1, 1]);
});

test("An erasure is not done while a build is under way, even if that build ends at this moment.", async () => {
  const sourceId = await filledSource();
  await deleteAnn(sourceId);
  // a build that read the events before: the rows that it has written, and the record that it writes last
  const number = now * 1_000;
  const write = (query: string) => stats.client.command({ query });
  const record = (state: number) =>
    write(
      `INSERT INTO rollupBuilds (sourceId, day, build, state) VALUES ('${sourceId}', '${DAY}', ${number}, ${state})`,
    );
  await record(0);
  await write(`INSERT INTO sessionRollups (sourceId, day, build, visitor)
    SELECT '${sourceId}', '${DAY}', ${number}, sipHash64('ann')`);
  let queries = 0;
  const ending = new Proxy(stats.client, {
    get: (client, name) => {
      const own = Reflect.get(client, name) as unknown;
      if (name !== "query") return typeof own === "function" ? own.bind(client) : own;
      return async (params: Parameters<WarehouseClient["query"]>[0]) => {
        const answer = await client.query(params);
        if (queries++ === 0) await record(1);
        return answer;
      };
    },
  });
  assert.equal(await dropOutdatedRollups(ending, [sourceId]), false);
  assert.equal(await dropOutdatedRollups(stats.client, [sourceId]), true);
  assert.equal(await count("sessionRollups", sourceId, IS_ANN), 0);
});

test("An erasure does not wait for a build that has failed.", async () => {
  const sourceId = await filledSource();
  await assert.rejects(build(failing(2)), /interrupted/);
  assert.ok(await dropOutdatedRollups(stats.client, [sourceId]));
});

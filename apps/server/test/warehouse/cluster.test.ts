/**
 * The tables on a cluster: the engine can parse every statement, sharded reads return the oracle's results, and a retried
 * insert through the Distributed table is stored once. Keeper, replicas and other hosts are not tested.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { connect, type WarehouseClient } from "../../src/clickhouse/client.ts";
import { countDeletions, deleteEvents } from "../../src/clickhouse/deletion.ts";
import { migrate } from "../../src/clickhouse/migrate.ts";
import { dayOf } from "../../src/core/time.ts";
import { sumEvents } from "../../src/ledger/warehouse-report.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { storeMissing } from "../../src/shipping/store.ts";
import { compareSome } from "../stats/generated-queries.ts";
import { openStatsWorld } from "../stats/stats-world.ts";
import { until } from "../support/until.ts";
import { type ClusterOfOne, startClusterOfOne } from "./cluster-of-one.ts";
import { anEvent } from "./store.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const QUERIES = process.env.TEST_LONG === "1" ? 2_000 : 24;
const { signal } = new AbortController();

describe("Two shards", () => {
  let cluster: ClusterOfOne;
  before(async () => {
    cluster = await startClusterOfOne(2);
  });
  after(() => cluster[Symbol.asyncDispose]());

  describe("when queried", () =>
    compareSome(QUERIES, (environment) => openStatsWorld(environment, cluster.endpoint)));
});

describe("One shard", () => {
  let cluster: ClusterOfOne;
  let made: Awaited<ReturnType<typeof migrate>>;
  let client: WarehouseClient;
  before(async () => {
    cluster = await startClusterOfOne(1);
    made = await migrate(cluster.endpoint);
    client = connect(cluster.endpoint);
  });
  after(async () => {
    await client.close();
    await cluster[Symbol.asyncDispose]();
  });
  const rows = async (query: string) => (await client.query({ query, format: "JSONEachRow" })).json();
  const textOf = (entries: { json: string }[]) => entries.map(({ json }) => json).join("\n");
  const storeIn = async (token: string, entries: { json: string }[]) =>
    sumEvents(await storeMissing(client, blockOf(token, textOf(entries)), "retried", signal));

  it("is migrated once", async () => {
    assert.equal(made.from, 0);
    assert.ok(made.to > 0);
    assert.deepEqual(await migrate(cluster.endpoint), { from: made.to, to: made.to });
  });

  it("stores missing events through the Distributed table, and an insert with a known token once", async () => {
    const entries = Array.from({ length: 50 }, (_, index) => anEvent(NOW, { sessionId: `ses_${index % 7}` }));
    await storeIn("a", entries.slice(0, 30));
    assert.equal(await storeIn("b", entries), 20);
    assert.equal(await storeIn("b", entries), 0);
    const { stream } = await client.exec({
      query: `INSERT INTO events FORMAT JSONEachRow\n${textOf(entries.slice(30))}`,
      clickhouse_settings: { insert_deduplication_token: "c", date_time_input_format: "best_effort" },
    });
    await stream.resume().toArray();
    assert.deepEqual(
      await rows("SELECT toUInt32(count()) AS n, toUInt32(uniqExact(sessionId)) AS s FROM events"),
      [{ n: 70, s: 7 }],
    );
  });

  it("deletes stored events", async () => {
    const deletion = { name: "del_1", condition: "sessionId = 'ses_1'" };
    const events = 9;
    assert.deepEqual(await countDeletions(client, [deletion], new AbortController().signal), [
      { sourceId: "src_1", day: dayOf(NOW), events },
    ]);
    await until("the deletion is done", async () => (await deleteEvents(client, [deletion])).has("del_1"));
    const held = await rows("SELECT DISTINCT sessionId FROM events ORDER BY sessionId");
    assert.deepEqual(
      held,
      [0, 2, 3, 4, 5, 6].map((number) => ({ sessionId: `ses_${number}` })),
    );
  });

  it("receives only statements that the engine can parse, with ON CLUSTER for changes of the schema", async () => {
    const query = "SELECT formatQuery({text:String}) AS text";
    const read = async (text: string) => {
      const answer = await client.query({ query, query_params: { text }, format: "JSONEachRow" });
      return (await answer.json<{ text: string }>())[0]!.text;
    };
    const sent = cluster.statements.filter((text) => !text.includes("formatQuery"));
    const formatted = [];
    for (const text of new Set(
      sent.map((one) => one.replace(/FORMAT JSONEachRow[\s\S]*$/, "FORMAT JSONEachRow")),
    ))
      formatted.push(await read(text));
    const words = ["CREATE DATABASE", "CREATE TABLE", "CREATE OR REPLACE VIEW", "ALTER TABLE"];
    for (const word of words) {
      const those = formatted.filter((text) => text.startsWith(word));
      assert.ok(those.length > 0, word);
      for (const text of those) assert.match(text, / ON CLUSTER '?of_1/, word);
    }
    const all = formatted.join("\n");
    assert.match(
      all,
      /ReplicatedMergeTree\('\/clickhouse\/tables\/\{shard\}\/headwater\/events_local', '\{replica\}'\)/,
    );
    assert.match(
      all,
      /Distributed\('of_1', 'headwater', 'events_local', cityHash64\(sourceId, sessionId\)\)/,
    );
    assert.match(all, /FROM clusterAllReplicas\('of_1', headwater.events_local\)/);
    assert.match(all, /FROM clusterAllReplicas\('of_1', system.mutations\)/);
    assert.match(all, /FROM clusterAllReplicas\('of_1', system.processes\)/);
  });
});

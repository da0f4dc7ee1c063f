/** `headwater move-warehouse`: the target has every event once, unchanged, after any interruption. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { connect, type WarehouseClient } from "../../src/clickhouse/client.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import { migrate } from "../../src/clickhouse/migrate.ts";
import { writeMark } from "../../src/ledger/sqlite/folder-mark.ts";
import { blockOf } from "../../src/shipping/block.ts";
import { store } from "../../src/shipping/store.ts";
import { BIN, folder, headwaterHere } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { askWarehouse } from "./ask.ts";
import { startClusterOfOne } from "./cluster-of-one.ts";
import { type StartedEndpoint, startEndpoint } from "./endpoint.ts";
import { anEvent } from "./store.ts";
import { addressOf, MEMORY_BYTES } from "./test-warehouse.ts";

const NOW = Date.UTC(2026, 10, 1, 12);
const DAY_MS = 86_400_000;
/** Events on one day; more than two pages. */
const MANY = 45_000;
const { signal } = new AbortController();
const data = folder();
const settings = { DATA_DIR: data.path, WAREHOUSE: "" };
let target: StartedEndpoint;
let there: WarehouseClient;

const events = [
  ...Array.from({ length: MANY }, (_, index) =>
    anEvent(NOW - index, { sessionId: `ses_${index % 900}`, sourceId: "src_many" }),
  ),
  ...Array.from({ length: 60 }, (_, index) =>
    anEvent(NOW - index * DAY_MS, {
      sourceId: "src_long",
      properties: { index, half: index / 2, "it's": "ünï", list: [1, "x", { a: null }], day: "2026-01-01" },
    }),
  ),
];

before(async () => {
  const options = { folder: data.at("warehouse"), memoryBytes: MEMORY_BYTES, threads: 2 };
  const engine = await startEmbedded(options);
  const client = connect(engine.endpoint);
  await migrate(engine.endpoint);
  for (let at = 0; at < events.length; at += 10_000) {
    const some = events.slice(at, at + 10_000).map(({ json }) => json);
    await store(client, blockOf(`fill-${at}`, some.join("\n")), "new", signal);
  }
  await client.close();
  engine.end();
  await engine.ended;
  target = await startEndpoint(false);
  there = connect(target.endpoint);
});
after(async () => {
  await there.close();
  await target[Symbol.asyncDispose]();
  data[Symbol.dispose]();
});

const rows = async (query: string): Promise<Record<string, unknown>[]> =>
  (await there.query({ query, format: "JSONEachRow" })).json();
const held = async () => {
  const [row] = await rows(
    "SELECT toUInt32(count()) AS events, toUInt32(uniqExact(analyticsEventId)) AS ids FROM events",
  ).catch(() => []);
  return row ?? { events: 0, ids: 0 };
};
const move = (...words: string[]) =>
  headwaterHere(settings, "move-warehouse", "--to", addressOf(target.endpoint), ...words);

test("A move that was killed resumes, and the target has the same events.", async () => {
  const first = spawn(process.execPath, [BIN, "move-warehouse", "--to", addressOf(target.endpoint)], {
    env: { PATH: process.env.PATH ?? "", ...settings },
    stdio: "ignore",
  });
  const ended = once(first, "exit");
  await until("a page is there", async () => Number((await held()).events) > 60);
  first.kill("SIGKILL");
  assert.deepEqual(await ended, [null, "SIGKILL"]);
  assert.ok(Number((await held()).events) < events.length, "it was killed before the end");

  // the killed command's engine releases the folder when it has ended
  await askWarehouse(data.path, "SELECT 1");
  const half = await headwaterHere({ ...settings, PORT: "0" }, "serve");
  assert.equal(half.code, 78);
  assert.match(half.stderr, /is not finished\. Run `npx headwater move-warehouse --to/);
  const second = await move("--json");
  assert.equal(second.code, 0, second.stderr);
  const { events: here, moved, there: count, months } = second.json();
  assert.deepEqual([here, count], [events.length, events.length]);
  assert.ok(moved > 0 && moved < events.length, `${moved} moved by the second run`);
  assert.deepEqual(
    months.map((one: { sourceId: string; month: string; eventsHere: number; eventsThere: number }) => [
      one.sourceId,
      one.month,
      one.eventsHere,
      one.eventsThere,
    ]),
    [
      ["src_long", "2026-09", 28, 28],
      ["src_long", "2026-10", 31, 31],
      ["src_long", "2026-11", 1, 1],
      ["src_many", "2026-11", MANY, MANY],
    ],
  );
  assert.deepEqual(await held(), { events: events.length, ids: events.length });
  const query = "SELECT * FROM events WHERE sourceId = 'src_long' ORDER BY analyticsEventId";
  assert.deepEqual(await rows(query), await askWarehouse(data.path, query));
});

test("A second run moves only events that the target lacks, and keeps events that only the target has.", async () => {
  const shipped = anEvent(NOW, { sourceId: "src_long" });
  await store(there, blockOf("shipped", shipped.json), "new", signal);
  await there.command({
    query:
      "ALTER TABLE events DELETE WHERE sourceId = 'src_many' AND sessionId = 'ses_7' SETTINGS mutations_sync = 2",
  });
  const { code, stdout, stderr } = await move();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^all +- +45060 +45061 +50$/m);
  assert.match(stderr, /On the days of these events the target has 1 more/);
});

test("Events move from a server to a cluster.", async () => {
  await using cluster = await startClusterOfOne(1);
  const { code, stderr, json } = await headwaterHere(
    settings,
    "move-warehouse",
    "--from",
    addressOf(target.endpoint),
    "--to",
    addressOf(cluster.endpoint),
    "--cluster",
    cluster.endpoint.cluster!,
    "--json",
  );
  assert.equal(code, 0, stderr);
  const { events: here, there: count, moved } = json();
  assert.deepEqual([here, count, moved], [events.length + 1, events.length + 1, events.length + 1]);
  assert.ok(cluster.statements.some((text) => text.includes("ON CLUSTER 'of_1'")));
});

test("An interrupted move can be given up; a finished one needs no giving up.", async () => {
  writeMark(data.path, "move-warehouse", {});
  const states = [78, 1];
  for (const words of [
    ["given up", "can use DATA_DIR again"],
    ["nothing", "nothing to give up"],
  ] as const) {
    // without a ledger `source list` fails with 1
    assert.equal((await headwaterHere(settings, "source", "list")).code, states.shift(), words[0]);
    const { code, stdout } = await headwaterHere(settings, "move-warehouse", "--give-up");
    assert.equal(code, 0);
    assert.ok(stdout.includes(words[1]), stdout);
  }
});

test("Without a source warehouse the move fails and creates none.", async () => {
  using empty = folder();
  const words = ["move-warehouse", "--to", addressOf(target.endpoint)];
  const { code, stderr } = await headwaterHere({ DATA_DIR: empty.path, WAREHOUSE: "" }, ...words);
  assert.equal(code, 1);
  assert.match(stderr, /There is no warehouse in DATA_DIR/);
  assert.ok(!existsSync(empty.at("warehouse")));
});

test("A move to a folder whose warehouse does not answer says to wait for it.", async () => {
  using empty = folder();
  const { code, stderr } = await headwaterHere(settings, "move-warehouse", "--to", empty.path);
  assert.equal(code, 1);
  assert.match(stderr, /No embedded warehouse answers in --to .* the warehouse is `up`/);
});

test("Invalid addresses are refused.", async () => {
  const missing = await headwaterHere(settings, "move-warehouse");
  assert.deepEqual([missing.code, missing.stderr.startsWith("Missing option --to")], [64, true]);
  const same = await move("--from", addressOf(target.endpoint));
  assert.match(same.stderr, /are the same warehouse/);
  const secret = await headwaterHere(settings, "move-warehouse", "--to", "tcp://u:secret@h");
  assert.equal(secret.code, 78);
  assert.ok(!secret.stderr.includes("secret"));
  const unreachable = await headwaterHere(
    settings,
    "move-warehouse",
    "--to",
    "http://u:secret@127.0.0.1:1/x",
  );
  assert.deepEqual(
    [unreachable.code, unreachable.stderr],
    [1, "The warehouse at http://127.0.0.1:1 cannot be reached (ECONNREFUSED).\n"],
  );
});

/** The whole service with its warehouse: accepted events can be queried. Without a warehouse the service works too. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "../../src/clickhouse/client.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import { readConfig } from "../../src/config/config.ts";
import { createWarehouseMonitor } from "../../src/workers/warehouse-monitor.ts";
import { storedEvents } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import { drivenClock, ORIGIN, openWorld, passTime, type World } from "../support/world.ts";
import { MEMORY_BYTES } from "./store.ts";

const DAY_MS = 86_400_000;

const warehouseOf = async (world: World) => (await world.ask("/readyz", { token: null })).body.warehouse;

async function sendEvents(world: World, ids: string[]) {
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const body = {
    ingestVersion: 2,
    sdkVersion: "2.0.0",
    batchId: "b1",
    sentAt: new Date().toISOString(),
    sessionId,
    anonymousId: "visitor-1",
    events: ids.map((id) => ({
      id,
      type: "page",
      timestamp: new Date().toISOString(),
      page: { url: `${ORIGIN}/${id}` },
    })),
  };
  return { source, reply: await world.send(`/api/ingest/v2/${source.publicKey}/events`, body) };
}

test("Accepted events are shipped to the warehouse soon, and are still there after the service has ended.", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-service-"));
  const world = await openWorld({ WAREHOUSE: "embedded" }, {}, dataDir);
  // closes the service when the test fails before it does so itself
  t.after(() => world.server.close().catch(() => undefined));
  const { source, reply } = await sendEvents(world, ["one", "two"]);
  assert.equal(reply.body.accepted, 2);
  const metricsOf = async () => (await world.ask("/metrics", { token: null })).body as string;
  const metrics = await until("both are shipped", async () => {
    const text = await metricsOf();
    return /^headwater_shipped_events_total 2$/m.test(text) && text;
  });
  // the service updates the number of waiting events once per second
  const shipped = await until("no events wait", async () => {
    const found = await warehouseOf(world);
    return found.waitingEvents === 0 && found;
  });
  assert.deepEqual(shipped, {
    state: "up",
    missingEvents: 0,
    waitingEvents: 0,
    lagSeconds: 0,
    failedRollups: 0,
    problems: [],
  });
  assert.match(metrics, /^headwater_warehouse_up 1$/m);
  await world.server.close();

  const options = { folder: join(dataDir, "warehouse"), memoryBytes: MEMORY_BYTES, threads: 1 };
  // the service's engine releases the folder when its process has ended
  const engine = await until("the folder is free", () => startEmbedded(options).catch(() => null));
  const client = connect(engine.endpoint);
  const query =
    "SELECT eventId, page.path AS path FROM events WHERE sourceId = {sourceId:String} ORDER BY eventId";
  const query_params = { sourceId: source.sourceId };
  assert.deepEqual(await (await client.query({ query, query_params, format: "JSONEachRow" })).json(), [
    { eventId: "one", path: "/one" },
    { eventId: "two", path: "/two" },
  ]);
  await client.close();
  engine.end();
  await engine.ended;
  rmSync(dataDir, { recursive: true, force: true });
});

test("Without a warehouse events are accepted and deleted after RETENTION_DAYS.", async () => {
  const time = drivenClock(Date.now());
  await using world = await openWorld({ RETENTION_DAYS: "20" }, { clock: time.clock });
  await sendEvents(world, ["one"]);
  await passTime(world, time, 19 * DAY_MS);
  assert.equal(storedEvents(world.dataDir).length, 1);
  const { state, lagSeconds } = await until("the event is counted", async () => {
    const found = await warehouseOf(world);
    return found.waitingEvents === 1 && found;
  });
  assert.equal(state, "off");
  assert.ok(lagSeconds >= 18 * 86_400);
  await passTime(world, time, 2 * DAY_MS);
  assert.equal(storedEvents(world.dataDir).length, 0);
});

test("While the warehouse is unreachable, ingest answers and the events wait.", async () => {
  await using world = await openWorld({ WAREHOUSE: "", CLICKHOUSE_URL: "http://127.0.0.1:9" });
  const { reply } = await sendEvents(world, ["one"]);
  assert.equal(reply.body.accepted, 1);
  await until("it is known to be down", async () => (await warehouseOf(world)).state === "down");
  const { waitingEvents } = await until("the event is counted", async () => {
    const found = await warehouseOf(world);
    return found.waitingEvents === 1 && found;
  });
  assert.equal(waitingEvents, 1);
});

for (const [what, page] of Object.entries({ "a web page": "<html>Welcome</html>", nothing: "" }))
  test(`A URL that answers 200 with ${what} is not used as a warehouse, and the events wait.`, async (t) => {
    const server = createServer((from, to) => void from.resume().once("end", () => to.end(page)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    await using world = await openWorld({ WAREHOUSE: "", CLICKHOUSE_URL: `http://127.0.0.1:${port}` });
    await sendEvents(world, ["one"]);
    const seen = await until("it is seen", async () => {
      const found = await warehouseOf(world);
      return found.state !== "starting" && found.waitingEvents === 1 && found;
    });
    assert.equal(seen.state, "down");
    const health = await world.ask("/metrics", { token: null });
    assert.match(health.body, /^headwater_shipped_events_total 0$/m);
  });

test("A warehouse that is still starting does not delay the stop of the service.", async (t) => {
  const begun = Promise.withResolvers<void>();
  const givenUp = Promise.withResolvers<void>();
  const monitor = createWarehouseMonitor({
    startWarehouse: async (signal) => {
      signal?.addEventListener("abort", () => givenUp.resolve());
      begun.resolve();
      await givenUp.promise;
      throw new Error("it was given up");
    },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  }).start();
  t.after(() => givenUp.resolve());
  await begun.promise;
  let isClosed = false;
  void monitor.stop().then(() => {
    isClosed = true;
  });
  await until("it is closed", () => isClosed);
});

test("An embedded warehouse whose start is aborted releases its folder.", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "headwater-service-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const options = { folder, memoryBytes: MEMORY_BYTES, threads: 1 };
  const giving = new AbortController();
  const started = startEmbedded(options, giving.signal);
  giving.abort();
  await assert.rejects(started, /its process ended \(SIGKILL\)/);
  const engine = await startEmbedded(options);
  engine.end();
  await engine.ended;
});

test("Contradictory settings are refused with a message that names them.", () => {
  const CLICKHOUSE_URL = "http://u:p%40@h/x";
  assert.throws(() => readConfig({ WAREHOUSE: "embedded", CLICKHOUSE_URL }), /exclude each other/);
  assert.throws(() => readConfig({ CLICKHOUSE_CLUSTER: "main" }), /CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL/);
  assert.throws(
    () => readConfig({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: "a'b" }),
    /CLICKHOUSE_CLUSTER cannot be "a'b"/,
  );
  assert.throws(
    () => readConfig({ CLICKHOUSE_URL: "tcp://h:9000" }),
    /CLICKHOUSE_URL cannot be the given value/,
  );
  assert.deepEqual(readConfig({ CLICKHOUSE_URL }).CLICKHOUSE_URL, {
    url: "http://h:8123",
    username: "u",
    password: "p@",
    database: "x",
  });
});

/** Failing merges, stuck mutations and too many parts are reported while they last: in /readyz, the metrics and the log. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, type WarehouseClient } from "../../src/clickhouse/client.ts";
import { readFindings } from "../../src/clickhouse/health.ts";
import { migrate } from "../../src/clickhouse/migrate.ts";
import { createWarehouseHealth, type WarehouseHealth } from "../../src/clickhouse/problems.ts";
import type { WarehouseProcess } from "../../src/clickhouse/warehouse.ts";
import { metricValue } from "../support/metrics.ts";
import { PATIENCE_MS, until } from "../support/until.ts";
import { onServedWarehouse, onWarehouse } from "./ask.ts";
import { openDamagedService } from "./damage.ts";
import { newFolder } from "./store.ts";
import { clearTestWarehouse, startTestWarehouse } from "./test-warehouse.ts";

const MINUTE_MS = 60_000;
const folder = join(newFolder(), "warehouse");
let engine: WarehouseProcess;
let client: WarehouseClient;
const run = (query: string) => client.command({ query });

before(async () => {
  engine = await startTestWarehouse(folder);
  await migrate(engine.endpoint);
  client = connect(engine.endpoint);
});
after(async () => {
  await client.close();
  engine.end();
  await engine.ended;
  await clearTestWarehouse(folder);
});

/** One look at the warehouse. */
async function look(health: WarehouseHealth, now = Date.now()): Promise<string[]> {
  health.update(
    await readFindings(client, health.failedMerges(), now, AbortSignal.timeout(PATIENCE_MS)),
    now,
  );
  return health.problems().map(({ text }) => text);
}

const untilReported = (health: WarehouseHealth, text: RegExp) =>
  until(`reported: ${text}`, async () => (await look(health)).find((problem) => text.test(problem)));
const untilQuiet = (health: WarehouseHealth) =>
  until("nothing is reported", async () => (await look(health)).length === 0);

test("Nothing is reported while the warehouse works.", async () => {
  const health = createWarehouseHealth();
  assert.deepEqual(await look(health), []);
  assert.deepEqual(
    { ...health.figures(), partsRatio: 0 },
    {
      failingMerges: 0,
      stuckMutations: 0,
      partsRatio: 0,
      detachedParts: 0,
    },
  );
});

test("A failing merge is reported until it succeeds, even when its error is replaced by another one.", async () => {
  const health = createWarehouseHealth();
  // the third row cannot be merged: isDeleted must be 0 or 1
  await run(`CREATE TABLE broken (id UInt8, version UInt8, isDeleted UInt8)
    ENGINE = ReplacingMergeTree(version, isDeleted) ORDER BY id`);
  await run("SYSTEM STOP MERGES broken");
  for (const isDeleted of [0, 0, 2])
    await run(`INSERT INTO broken SETTINGS optimize_on_insert = 0 VALUES (1, 1, ${isDeleted})`);
  await run("SYSTEM START MERGES broken");
  await run("OPTIMIZE TABLE broken FINAL").catch(() => undefined);
  const reported = await untilReported(health, /^Merges fail in partition \S+ of table broken/);
  assert.match(
    reported,
    /partition all of table broken \(INCORRECT_DATA\).*docs\/operate\/runbook\/HeadwaterMergesFailing\.md/,
  );
  assert.equal(health.figures()?.failingMerges, 1);

  const findings = await readFindings(client, [], Date.now(), AbortSignal.timeout(PATIENCE_MS));
  assert.deepEqual(findings.mutations, []);
  // the error of a query with the same name
  await run("SELECT throwIf(1, 'x', 117::Int16) SETTINGS allow_custom_error_code_in_throwif = 1").catch(
    () => 0,
  );
  assert.equal((await look(health)).length, 1);

  await run("ALTER TABLE broken UPDATE isDeleted = 0 WHERE isDeleted = 2 SETTINGS mutations_sync = 2").catch(
    // on the sorting engine a column of its own may not be changed
    () => run("ALTER TABLE broken DELETE WHERE isDeleted = 2 SETTINGS mutations_sync = 2"),
  );
  await run("OPTIMIZE TABLE broken FINAL");
  await untilQuiet(health);
  assert.deepEqual(await look(createWarehouseHealth()), [], "nor to a service that starts now");
  await run("DROP TABLE broken SYNC");
});

test("A failed merge that is not tried again is no longer reported after a quarter of an hour.", async () => {
  const health = createWarehouseHealth();
  const planned = { partition: "all", min: 1, max: 2, level: 1 };
  const merge = { host: "h", table: "t", planned, error: "X", failedAt: Date.now() - 16 * MINUTE_MS };
  health.update({ failedMerges: [merge], mutations: [], fullest: [], detached: [] }, Date.now());
  assert.equal(health.problems().length, 1);
  assert.deepEqual(await look(health), []);
});

test("A failing mutation is reported until it is gone, without the visitor that it names.", async () => {
  const health = createWarehouseHealth();
  await run("CREATE TABLE stuck (id String) ENGINE = MergeTree ORDER BY id");
  await run("INSERT INTO stuck VALUES ('visitor-7')");
  await run(
    "ALTER TABLE stuck DELETE WHERE throwIf(id = 'visitor-7', 'no visitor-7') = 0 SETTINGS mutations_sync = 0",
  );
  const reported = await untilReported(health, /^A mutation of table stuck makes no progress/);
  assert.match(reported, /\(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO\)/);
  assert.doesNotMatch(reported, /visitor/);
  assert.deepEqual([health.figures()?.stuckMutations, health.figures()?.failingMerges], [1, 0]);
  await run(`KILL MUTATION WHERE database = '${client.database}' AND table = 'stuck' SYNC`);
  await untilQuiet(health);
  await run("DROP TABLE stuck SYNC");
});

test("A waiting mutation is reported after ten minutes without progress.", async () => {
  const health = createWarehouseHealth();
  await run("CREATE TABLE waiting (id UInt8) ENGINE = MergeTree ORDER BY id");
  await run("INSERT INTO waiting VALUES (1)");
  await run("SYSTEM STOP MERGES waiting");
  await run("ALTER TABLE waiting DELETE WHERE id = 1 SETTINGS mutations_sync = 0");
  const start = Date.now();
  assert.deepEqual(await look(health, start), []);
  assert.deepEqual(await look(health, start + 9 * MINUTE_MS), []);
  assert.match((await look(health, start + 10 * MINUTE_MS)).join(), /table waiting makes no progress,/);
  await run("SYSTEM START MERGES waiting");
  await untilQuiet(health);
  await run("DROP TABLE waiting SYNC");
});

test("A partition is reported at 80 % of the number of parts at which ClickHouse delays inserts.", async () => {
  const health = createWarehouseHealth();
  await run(`CREATE TABLE full (id UInt8) ENGINE = MergeTree PARTITION BY id ORDER BY id
    SETTINGS parts_to_delay_insert = 5, parts_to_throw_insert = 50`);
  await run("SYSTEM STOP MERGES full");
  for (const id of [1, 1, 1, 2, 2]) await run(`INSERT INTO full VALUES (${id})`);
  assert.deepEqual(await look(health), []);
  await run("INSERT INTO full VALUES (1)");
  assert.match((await look(health)).join(), /^Partition 1 of table full has 4 parts\. From 5 on/);
  assert.equal(health.figures()?.partsRatio, 0.8);
  await run("ALTER TABLE full DROP PARTITION 1");
  await untilQuiet(health);
  await run("DROP TABLE full SYNC");
});

test("A service reports it in /readyz, its metrics, its support bundle and its log, and stays ready.", async () => {
  await using service = await openDamagedService();
  await service.ship(await service.world.createSource(), 1);
  await service.restartAfter(() =>
    onWarehouse(service.dataDir, async (stopped) => {
      for (const query of [
        "CREATE TABLE stuck (id UInt8) ENGINE = MergeTree ORDER BY id",
        "INSERT INTO stuck VALUES (1)",
        "ALTER TABLE stuck DELETE WHERE throwIf(id = 1, 'no') = 0 SETTINGS mutations_sync = 0",
      ])
        await stopped.command({ query });
    }),
  );
  const readyz = async () => (await service.world.ask("/readyz", { token: null })).body;
  const problemsAre = (count: number) =>
    until(`${count} problems`, async () => {
      const { warehouse } = await readyz();
      return warehouse.problems.length === count && warehouse;
    });
  const { problems } = await problemsAre(1);
  assert.match(problems[0], /^A mutation of table stuck makes no progress/);
  assert.equal((await readyz()).status, "ready");
  const { text } = await service.world.ask("/metrics", { token: null });
  assert.equal(metricValue(text, "headwater_warehouse_stuck_mutations"), 1);
  assert.equal(metricValue(text, "headwater_warehouse_failing_merges"), 0);
  assert.ok(service.world.logged.some((line) => JSON.stringify(line).includes(problems[0].slice(0, 40))));
  const { body } = await service.world.ask("/api/support?organizationId=org_default");
  assert.deepEqual([body.health.ready, body.health.problems], [true, problems]);
  await onServedWarehouse(service.dataDir, (served) =>
    served.command({ query: "KILL MUTATION WHERE table = 'stuck' SYNC" }),
  );
  await problemsAre(0);
});

/** What brings a damaged warehouse back: the service itself, the command check-warehouse, and a restored backup. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { folder, headwater } from "../cli/command-line.ts";
import { until } from "../faults/child.ts";
import { askServedWarehouse, askWarehouse, onWarehouse } from "./ask.ts";
import { type DamagedService, flipBytes, openDamagedService, truncateParts } from "./damage.ts";
import { PATIENCE_MS } from "./store.ts";

const today = () => new Date().toISOString().slice(0, 10);

const queryStats = async ({ world }: DamagedService, sourceId: string) =>
  world.ask("/api/stats/query", {
    method: "POST",
    body: { sourceId, dateRange: "7d", metrics: ["events"] },
  });
test("A damaged projection is computed anew: no event is missing, and queries work.", async () => {
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  await service.ship(source, 200);
  await service.restartAfter(() => flipBytes(service.dataDir, (path) => path.includes("/days.proj/")));
  const rebuilt = async () => {
    const { status, body } = await queryStats(service, source.sourceId);
    return status === 200 && body.incomplete === false && body.results[0].metrics[0] === 200;
  };
  await until("queries work", PATIENCE_MS, rebuilt);
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  await service.restartAfter(() => undefined);
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  assert.ok(await rebuilt());
});

const check = ({ dataDir }: DamagedService, ...words: string[]) =>
  headwater({ DATA_DIR: dataDir, WAREHOUSE: "" }, "check-warehouse", ...words);

test("The command check-warehouse lists the missing events by day, and with --accept they are no longer reported.", async () => {
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  await service.ship(source, 100);
  await service.restartAfter(() => truncateParts(service.dataDir));
  await service.untilWarehouse({ state: "incomplete", missingEvents: 100 });
  const listed = await check(service, "--json");
  assert.equal(listed.code, 1);
  const { detachedParts, ...found } = listed.json();
  const day = { sourceId: source.sourceId, day: today(), shipped: 100, held: 0, missing: 100 };
  assert.deepEqual(found, { missingEvents: 100, days: [day] });
  assert.match(detachedParts.join(), /^broken-on-start_\d+_/);
  const shown = await check(service);
  assert.match(shown.stdout, new RegExp(`^${source.sourceId} +${today()} +100 +0 +100$`, "m"));
  assert.match(shown.stderr, /check-warehouse --accept/);

  const accepted = await check(service, "--accept", "--json");
  assert.deepEqual([accepted.code, accepted.json()], [0, { accepted: 100 }]);
  assert.equal((await check(service)).code, 0);
  await service.restartAfter(() => undefined);
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  assert.equal((await queryStats(service, source.sourceId)).body.incomplete, false);
  await service.ship(source, 100);
  await service.restartAfter(() => truncateParts(service.dataDir));
  await service.untilWarehouse({ state: "incomplete", missingEvents: 100 });
});

test("The events of a restored backup that the warehouse lacks can be moved into it while the service runs, each once.", async () => {
  using data = folder();
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  await service.ship(source, 150);
  const own = { DATA_DIR: service.dataDir, WAREHOUSE: "" };
  assert.equal((await headwater(own, "backup", "--to", data.at("backup"))).code, 0);
  await service.ship(source, 50);
  await service.restartAfter(() => truncateParts(service.dataDir));
  await service.untilWarehouse({ state: "incomplete", missingEvents: 200 });

  const restored = { DATA_DIR: data.at("restored"), WAREHOUSE: "" };
  assert.equal((await headwater(restored, "restore", "--from", data.at("backup"))).code, 0);
  const move = () => headwater(restored, "move-warehouse", "--to", service.dataDir, "--json");
  const first = await move();
  assert.deepEqual([first.code, first.json().moved], [0, 150], first.stderr);
  assert.equal((await move()).json().moved, 0);
  assert.equal((await check(service, "--json")).json().missingEvents, 50);
  await service.untilWarehouse({ state: "incomplete", missingEvents: 50 });
  const { body } = await queryStats(service, source.sourceId);
  assert.deepEqual([body.incomplete, body.results[0].metrics], [true, [150]]);
});

test("Rollups whose files are damaged are emptied, so that no figure comes from them.", async () => {
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  await service.ship(source, 200);
  const rowsOf = "SELECT toUInt32(count()) AS rows FROM rollupBuilds";
  await service.restartAfter(async () => {
    await onWarehouse(service.dataDir, async (client) => {
      await client.command({
        query: `INSERT INTO rollupBuilds (sourceId, day, build, state) VALUES ('${source.sourceId}', today(), 1, 1)`,
      });
      await client.command({
        query: `INSERT INTO sessionRollups (sourceId, day, build) VALUES ('${source.sourceId}', today(), 1)`,
      });
    });
    assert.deepEqual(await askWarehouse(service.dataDir, rowsOf), [{ rows: 1 }]);
    const sessionRollups = await askWarehouse(
      service.dataDir,
      "SELECT path FROM system.parts WHERE table = 'sessionRollups' AND active",
    );
    truncateParts(service.dataDir, (path) => sessionRollups.some((part) => path.startsWith(part.path)));
  });
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  await until("the rollups are empty", PATIENCE_MS, async () => {
    const [{ rows }] = await askServedWarehouse(service.dataDir, rowsOf);
    return rows === 0;
  });
  assert.deepEqual((await queryStats(service, source.sourceId)).body.results[0].metrics, [200]);
});

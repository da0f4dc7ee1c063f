/** Damaged parts of the warehouse are set aside, and what is derived from events is built again. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { refused, trackEvent } from "../support/world.ts";
import { askServedWarehouse, askWarehouse, onWarehouse } from "./ask.ts";
import { breakSizes, exportOf, flipBytes, openDamagedService, queryStats, truncateParts } from "./damage.ts";

test("A query that meets damaged bytes is answered 503, and the service then sets the damaged part aside.", async () => {
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  await service.ship(source, 200);
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  flipBytes(service.dataDir);
  const exported = await exportOf(service, source.sourceId);
  refused(exported, 503, "warehouse_damaged");
  assert.ok(exported.headers.get("retry-after"));
  assert.equal((await service.warehouse()).state, "incomplete");
  await service.untilWarehouse({ state: "incomplete", missingEvents: 200 });
  assert.equal((await queryStats(service, source.sourceId)).body.incomplete, true);
  assert.ok(service.world.logged.some((line) => /"parts":\["\d+_/.test(JSON.stringify(line))));
});

test("A part with a large damaged block is set aside at the next start, although reading the block takes minutes.", async () => {
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  // random text is not compressed, so the block is large
  const properties = () => ({ text: randomBytes(1_500).toString("base64") });
  await service.send(
    source,
    Array.from({ length: 600 }, () => trackEvent({ properties: properties() })),
  );
  await service.restartAfter(() => flipBytes(service.dataDir, (path) => !path.includes(".proj/")));
  await service.untilWarehouse({ state: "incomplete", missingEvents: 600 });
  assert.equal((await queryStats(service, source.sourceId)).status, 200);
});

test("A part is set aside when its blocks have an impossible size, in its rows and in its projection.", async () => {
  await using service = await openDamagedService();
  const source = await service.world.createSource();
  await service.ship(source, 200);
  await service.restartAfter(() => breakSizes(service.dataDir));
  await service.untilWarehouse({ state: "incomplete", missingEvents: 200 });
  assert.equal((await exportOf(service, source.sourceId)).status, 200);
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
  await until("queries work", rebuilt);
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  await service.restartAfter(() => undefined);
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  assert.ok(await rebuilt());
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
  await until("the rollups are empty", async () => {
    const [{ rows }] = await askServedWarehouse(service.dataDir, rowsOf);
    return rows === 0;
  });
  assert.deepEqual((await queryStats(service, source.sourceId)).body.results[0].metrics, [200]);
});

/** A warehouse that has lost events says so everywhere: readiness, metrics, log, stats, exports. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { headwaterHere } from "../cli/command-line.ts";
import { OWNER_TOKEN } from "../support/world.ts";
import {
  type DamagedService,
  exportOf,
  flipBytes,
  openDamagedService,
  queryStats,
  truncateAll,
  truncateParts,
} from "./damage.ts";

const today = () => new Date().toISOString().slice(0, 10);

const metricOf = async ({ world }: DamagedService) => {
  const text: string = (await world.ask("/metrics", { token: null })).body;
  return Number(/^headwater_warehouse_missing_events (\d+)$/m.exec(text)?.[1]);
};
const stateOfSource = async ({ world }: DamagedService, sourceId: string) =>
  (await world.ask(`/api/stats/source?sourceId=${sourceId}`)).body.missingEvents;

for (const [what, damage] of Object.entries({
  "whose parts ClickHouse finds empty at its start": (dataDir: string) => truncateParts(dataDir),
  "whose parts and projections are all empty, those of its migrations too": truncateAll,
  "whose bytes have changed": (dataDir: string) => flipBytes(dataDir),
})) {
  test(`A warehouse ${what} is incomplete: readiness, metric, log, stats and exports say so.`, async () => {
    await using service = await openDamagedService();
    const source = await service.world.createSource();
    const { sourceId } = source;
    await service.ship(source, 200);
    await service.untilWarehouse({ state: "up", missingEvents: 0 });
    assert.equal((await queryStats(service, sourceId)).body.incomplete, false);

    await service.restartAfter(() => damage(service.dataDir));
    await service.untilWarehouse({ state: "incomplete", missingEvents: 200 });
    assert.equal(await metricOf(service), 200);
    const answer = await queryStats(service, sourceId);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.body.incomplete, answer.body.results[0].metrics], [true, [0]]);
    assert.deepEqual(await stateOfSource(service, sourceId), {
      events: 200,
      firstDay: today(),
      lastDay: today(),
    });
    const exported = await exportOf(service, sourceId);
    assert.deepEqual([exported.status, exported.headers.get("headwater-incomplete")], [200, "true"]);
    const file = join(service.dataDir, "exported.ndjson");
    const token = join(service.dataDir, "token");
    writeFileSync(token, OWNER_TOKEN);
    const words = [
      "export",
      "--source",
      sourceId,
      "--out",
      file,
      "--api",
      service.world.url,
      "--token-file",
      token,
    ];
    const { code, stderr } = await headwaterHere({}, ...words);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /The warehouse has lost events of this source and range/);
    const logged = service.world.logged.find((line) =>
      JSON.stringify(line).includes("the warehouse lacks 200"),
    );
    assert.match(JSON.stringify(logged), new RegExp(`${sourceId}.*check-warehouse`));

    await service.ship(source, 200);
    await service.restartAfter(async () => {
      rmSync(file);
      const settings = { DATA_DIR: service.dataDir, WAREHOUSE: "embedded" };
      const stored = await headwaterHere(settings, "export", "--source", sourceId, "--out", file, "--json");
      assert.equal(stored.code, 0, stored.stderr);
      assert.equal(stored.json().isIncomplete, true);
    });
    await service.untilWarehouse({ state: "incomplete", missingEvents: 200 });
    const after = await queryStats(service, sourceId);
    assert.deepEqual([after.body.incomplete, after.body.results[0].metrics], [true, [200]]);
  });
}

/** A warehouse that has lost events says so everywhere: readiness, metrics, log, stats, exports. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { refused, trackEvent } from "../support/world.ts";
import { type DamagedService, flipBytes, openDamagedService, truncateAll, truncateParts } from "./damage.ts";

const today = () => new Date().toISOString().slice(0, 10);

const queryStats = async ({ world }: DamagedService, sourceId: string) =>
  world.ask("/api/stats/query", {
    method: "POST",
    body: { sourceId, dateRange: "7d", metrics: ["events"] },
  });
const metricOf = async ({ world }: DamagedService) => {
  const text: string = (await world.ask("/metrics", { token: null })).body;
  return Number(/^headwater_warehouse_missing_events (\d+)$/m.exec(text)?.[1]);
};
const exportOf = ({ world }: DamagedService, sourceId: string) =>
  world.ask(`/api/export/events?sourceId=${sourceId}`);
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
    await service.ship(source, 600);
    await service.untilWarehouse({ state: "up", missingEvents: 0 });
    assert.equal((await queryStats(service, sourceId)).body.incomplete, false);

    await service.restartAfter(() => damage(service.dataDir));
    await service.untilWarehouse({ state: "incomplete", missingEvents: 600 });
    assert.equal(await metricOf(service), 600);
    const answer = await queryStats(service, sourceId);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.body.incomplete, answer.body.results[0].metrics], [true, [0]]);
    assert.deepEqual(await stateOfSource(service, sourceId), {
      events: 600,
      firstDay: today(),
      lastDay: today(),
    });
    const exported = await exportOf(service, sourceId);
    assert.deepEqual([exported.status, exported.headers.get("headwater-incomplete")], [200, "true"]);
    const logged = service.world.logged.find((line) =>
      JSON.stringify(line).includes("the warehouse lacks 600"),
    );
    assert.match(JSON.stringify(logged), new RegExp(`${sourceId}.*check-warehouse`));

    await service.ship(source, 200);
    const after = await queryStats(service, sourceId);
    assert.deepEqual([after.body.incomplete, after.body.results[0].metrics], [true, [200]]);
  });
}

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

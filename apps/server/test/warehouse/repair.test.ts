/** What the operator does about missing events: list them, bring them back from a backup, accept their loss. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { folder, headwater, headwaterHere } from "../cli/command-line.ts";
import { type DamagedService, openDamagedService, queryStats, truncateParts } from "./damage.ts";

const today = () => new Date().toISOString().slice(0, 10);

const check = ({ dataDir }: DamagedService, ...words: string[]) =>
  headwaterHere({ DATA_DIR: dataDir, WAREHOUSE: "" }, "check-warehouse", ...words);

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
  const move = () => headwaterHere(restored, "move-warehouse", "--to", service.dataDir, "--json");
  const first = await move();
  assert.deepEqual([first.code, first.json().moved], [0, 150], first.stderr);
  assert.equal((await move()).json().moved, 0);
  assert.equal((await check(service, "--json")).json().missingEvents, 50);
  await service.untilWarehouse({ state: "incomplete", missingEvents: 50 });
  const { body } = await queryStats(service, source.sourceId);
  assert.deepEqual([body.incomplete, body.results[0].metrics], [true, [150]]);
});

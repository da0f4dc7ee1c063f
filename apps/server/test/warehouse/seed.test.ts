/** `headwater seed --to-warehouse`: writes events to the warehouse while no service runs, in the form that ingest writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { folder, headwaterHere, serve } from "../cli/command-line.ts";
import { askWarehouse } from "./ask.ts";

test("Generated visits are in the warehouse; a second run stores nothing new.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const served = await serve(settings);
  const { sourceId } = (await headwaterHere(settings, "source", "create", "--name", "Shop", "--json")).json();
  const words = ["seed", "--to-warehouse", "--source", sourceId, "--events", "3000", "--days", "40"];
  const refused = await headwaterHere(settings, ...words);
  assert.deepEqual(
    [refused.code, /Another Headwater process serves/.test(refused.stderr)],
    [78, true],
    refused.stderr,
  );
  await served.stop();

  for (const _ of ["once", "twice"]) {
    const { code, stderr, json } = await headwaterHere(settings, ...words, "--until", "2026-11-21", "--json");
    assert.equal(code, 0, stderr);
    assert.equal(json().intoWarehouse, 3000);
  }
  const [row] = await askWarehouse(
    data.path,
    `SELECT toUInt32(count()) AS events, toUInt32(uniqExact(eventId)) AS ids, uniqExact(device.browser) > 2 AS browsers,
       countIf(device.isBot) > 0 AS bots, countIf(page.utm.campaign IS NOT NULL) > 0 AS campaigns, uniqExact(country) > 5 AS countries,
       countIf(revenue > 0 AND currency IS NOT NULL) > 0 AS revenue, min(occurredAt) >= '2026-10-12 00:00:00' AS begins, max(occurredAt) < '2026-11-21 00:00:00' AS ends
     FROM events WHERE sourceId = '${sourceId}'`,
  );
  const yes = { browsers: 1, bots: 1, campaigns: 1, countries: 1, revenue: 1, begins: 1, ends: 1 };
  assert.deepEqual(row, { events: 3000, ids: 3000, ...yes });
});

/** `headwater import` with a warehouse: events older than ingest accepts are stored once, however often they are imported. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { folder, headwater, serve } from "../cli/command-line.ts";
import { linesOf } from "../export/exported.ts";
import { askWarehouse } from "./ask.ts";

const DAY_MS = 86_400_000;

test("Old and recent events are stored once, and an export of them can be imported again.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const served = await serve(settings);
  const make = async () =>
    (await headwater(settings, "source", "create", "--name", "Shop", "--json")).json().sourceId;
  const [sourceId, copy] = [await make(), await make()];
  await served.stop();
  const run = async (...words: string[]) => {
    const outcome = await headwater(settings, ...words);
    assert.equal(outcome.code, 0, outcome.stderr);
    return outcome;
  };
  const counts = async (name: string, into: string) => {
    const { accepted, duplicates, rejected } = (
      await run("import", data.at(name), "--source", into, "--json")
    ).json();
    return [accepted, duplicates, rejected];
  };

  const now = Date.now();
  const event = (id: string, at: number) =>
    JSON.stringify({
      id,
      type: "track",
      name: "a",
      timestamp: new Date(at).toISOString(),
      sessionId: "s",
      anonymousId: "v",
    });
  const old = ["a", "b", "c"].map((id, index) => event(id, now - (30 + 40 * index) * DAY_MS));
  const recent = event("d", now - DAY_MS);
  writeFileSync(data.at("first"), [old[0], old[1], old[1], recent].join("\n"));
  assert.deepEqual(await counts("first", sourceId), [3, 1, 0]);
  writeFileSync(data.at("second"), [...old, recent].join("\n"));
  assert.deepEqual(await counts("second", sourceId), [1, 3, 0]);

  await run("export", "--source", sourceId, "--out", data.at("out"));
  const went = linesOf(readFileSync(data.at("out"), "utf8")).map(({ eventId }) => eventId);
  assert.deepEqual(went, ["c", "b", "a"]);
  assert.deepEqual(await counts("out", sourceId), [0, 3, 0]);
  assert.deepEqual(await counts("out", copy), [3, 0, 0]);

  const rows = await askWarehouse(
    data.path,
    "SELECT sourceId, toUInt8(count()) AS rows, toUInt8(uniqExact(eventId)) AS ids FROM events GROUP BY sourceId ORDER BY sourceId",
  );
  assert.deepEqual(
    rows,
    [sourceId, copy].sort().map((one) => ({ sourceId: one, rows: 3, ids: 3 })),
  );
});

test("A file may contain events of many years.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const served = await serve(settings);
  const { sourceId } = (await headwater(settings, "source", "create", "--name", "Shop", "--json")).json();
  await served.stop();
  const months = 121;
  const lines = Array.from({ length: months }, (_, index) =>
    JSON.stringify({
      id: `e${index}`,
      type: "track",
      name: "a",
      timestamp: new Date(Date.UTC(2010, index, 2)).toISOString(),
      sessionId: "s",
      anonymousId: "v",
    }),
  );
  writeFileSync(data.at("old"), lines.join("\n"));
  const taken = await headwater(settings, "import", data.at("old"), "--source", sourceId, "--json");
  assert.equal(taken.code, 0, taken.stderr);
  assert.equal(taken.json().accepted, months);
});

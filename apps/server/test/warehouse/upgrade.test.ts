/** Data of version 0.1.0 in a folder: the ledger, the debug history and the embedded warehouse. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../faults/child.ts";
import { checkOldData, fixture, openOld, readOldData } from "../upgrade/upgrade.ts";

test("A folder of version 0.1.0 keeps its sources, tokens, sessions, ids, attempts, events and stats.", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-upgrade-"));
  execFileSync("tar", ["-xzf", fixture("sqlite.tar.gz"), "-C", dataDir]);
  const old = readOldData("sqlite");
  await using world = await openOld(old, { DATA_DIR: dataDir, WAREHOUSE: "embedded" }, dataDir);
  const readyz = async () => (await world.ask("/readyz", { token: null })).body;
  await until("the warehouse is up", 60_000, async () => (await readyz()).warehouse.state === "up");

  assert.ok(old.stats);
  const body = {
    sourceId: old.source.sourceId,
    dateRange: [old.stats.from, old.stats.to],
    metrics: ["visitors", "sessions", "pageviews"],
    dimensions: ["time:day"],
  };
  const ask = async () => {
    const answer = await world.ask("/api/stats/query", { method: "POST", body });
    // version 0.1.0 did not say whether a bucket is complete
    const rows: Record<string, unknown>[] = answer.body.results;
    return rows.map(({ dimensions, metrics, comparison }) => ({ dimensions, metrics, comparison }));
  };
  assert.deepEqual(await ask(), old.stats.results);
  // the events get a source and channel in the background
  const byChannel = { ...body, metrics: ["events"], dimensions: ["source", "channel"] };
  await until("all events are classified", 60_000, async () =>
    /^headwater_unclassified_events 0$/m.test((await world.ask("/metrics")).text),
  );
  const classified = await world.ask("/api/stats/query", { method: "POST", body: byChannel });
  assert.deepEqual(
    classified.body.results.map(({ dimensions }: { dimensions: unknown }) => dimensions),
    [[null, "Direct"]],
  );
  // rollups are built again after an upgrade, and change no answer
  await world.server.maintain();
  assert.deepEqual(await ask(), old.stats.results);
  await checkOldData(world, old);
});

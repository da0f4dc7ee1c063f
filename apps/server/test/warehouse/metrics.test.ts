/** The metrics of the embedded warehouse. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { metricValue } from "../support/metrics.ts";
import { until } from "../support/until.ts";
import { openWorld } from "../support/world.ts";

const MEGABYTE = 1_048_576;

/** The processes that this one started. */
const childProcesses = (): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").map(Number);

test("/metrics has the memory of the embedded warehouse, and counts its losses and restarts.", {
  skip: process.platform !== "linux" && "it needs /proc",
}, async () => {
  const before = childProcesses();
  await using world = await openWorld({ WAREHOUSE: "embedded" });
  const scrape = async () => (await world.ask("/metrics", { token: null })).text;
  const whenUp = (restarts: number) =>
    until(`it is up with ${restarts} restarts`, async () => {
      const text = await scrape();
      const isUp = metricValue(text, "headwater_warehouse_up") === 1;
      return isUp && metricValue(text, "headwater_warehouse_restarts_total") === restarts && text;
    });
  const text = await whenUp(0);
  assert.ok((metricValue(text, "headwater_warehouse_engine_memory_bytes") ?? 0) > 50 * MEGABYTE);
  assert.equal(metricValue(text, "headwater_warehouse_losses_total"), 0);
  const [engine] = childProcesses().filter((pid) => !before.includes(pid));
  assert.ok(engine);
  process.kill(engine, "SIGKILL");
  assert.equal(metricValue(await whenUp(1), "headwater_warehouse_losses_total"), 1);
});

/** What a service takes that nobody asks anything of. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../faults/child.ts";
import { folder, serve } from "./command-line.ts";

const AT_REST_MB = 150;
const MEGABYTE = 1_048_576;
const PATIENCE_MS = 60_000;

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;

test("At rest, its warehouse beside it, the process takes 150 MB at most, on the first start, which compiles, and on later ones.", {
  skip: process.platform !== "linux" && "only where /proc says it",
}, async (t) => {
  using data = folder();
  const cache = data.at("cache");
  const settings = {
    DATA_DIR: data.at("data"),
    LOG_LEVEL: "silent",
    NODE_COMPILE_CACHE: cache,
    WAREHOUSE: "",
  };
  for (const start of ["first", "second", "third"]) {
    const service = await serve(settings);
    try {
      await until("the warehouse is up", PATIENCE_MS, async () => {
        const text = await (await fetch(`${service.url}/metrics`)).text();
        return /^headwater_warehouse_up 1$/m.test(text);
      });
      // what a start has used is given back soon after it; from here on nobody asks it anything
      const bytes = await until(`the ${start} start is at rest`, PATIENCE_MS, async () => {
        const resident = residentBytes(service.process.pid!);
        return resident <= AT_REST_MB * MEGABYTE && resident;
      });
      t.diagnostic(`${start} start: ${Math.round(bytes / MEGABYTE)} MB`);
    } finally {
      assert.equal(await service.stop(), 0);
    }
  }
  assert.ok(readdirSync(cache).length > 0, "compiled code is kept");
});

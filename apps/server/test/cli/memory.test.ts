/** The memory of an idle service. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { folder, serve } from "./command-line.ts";

/** A first start takes 166 MB at rest, later ones 141 to 144: the first one compiles and creates the warehouse. */
const MAX_IDLE_MB = { first: 172, second: 150, third: 150 };
const MEGABYTE = 1_048_576;

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;

test("An idle service with an embedded warehouse takes at most 172 MB on the first start, which compiles, and 150 MB on later ones.", {
  skip: process.platform !== "linux" && "it needs /proc",
}, async (t) => {
  using data = folder();
  const cache = data.at("cache");
  const settings = {
    DATA_DIR: data.at("data"),
    LOG_LEVEL: "silent",
    NODE_COMPILE_CACHE: cache,
    WAREHOUSE: "",
  };
  for (const start of ["first", "second", "third"] as const) {
    const service = await serve(settings);
    try {
      await until("the warehouse is up", async () => {
        const text = await (await fetch(`${service.url}/metrics`)).text();
        return /^headwater_warehouse_up 1$/m.test(text);
      });
      // the memory of the start is released soon after it; no requests are sent from here on
      const bytes = await until(`the ${start} start is at rest`, async () => {
        const resident = residentBytes(service.process.pid!);
        return resident <= MAX_IDLE_MB[start] * MEGABYTE && resident;
      });
      t.diagnostic(`${start} start: ${Math.round(bytes / MEGABYTE)} MB`);
    } finally {
      assert.equal(await service.stop(), 0);
    }
  }
  assert.ok(readdirSync(cache).length > 0, "compiled code is kept");
});

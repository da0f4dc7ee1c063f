/** The worker that returns memory after a peak. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MIN_RELEASED_BYTES, startMemoryWorker } from "../../src/workers/memory.ts";

const MEGABYTE = 1_048_576;

test("Memory is released once after the start, and when a peak is over.", async () => {
  let [mib, busy, released] = [0, 0, 0];
  await using worker = startMemoryWorker({
    residentBytes: () => mib * MEGABYTE,
    busyShare: () => busy,
    releaseMemory: async () => {
      released += 1;
      mib -= 100;
    },
    log: { warn: () => undefined },
  });
  const releasesAt = async (nowMib: number, nowBusy: number) => {
    [mib, busy] = [nowMib, nowBusy];
    const before = released;
    await worker.runOnce();
    return released - before;
  };
  const most = MIN_RELEASED_BYTES / MEGABYTE;
  assert.equal(await releasesAt(250, 0.9), 0, "the start is not over");
  assert.equal(await releasesAt(250, 0.1), 1, "the start is over");
  assert.equal(await releasesAt(100, 0.1), 0, "less is in use");
  assert.equal(await releasesAt(100 + most - 1, 0.1), 0, "not a peak");
  assert.equal(await releasesAt(500, 0.9), 0, "the peak lasts");
  assert.equal(await releasesAt(500, 0.1), 1, "the peak is over");
  assert.equal(await releasesAt(400, 0.1), 0, "400 MiB are in use");
  assert.equal(await releasesAt(400 + most, 0.1), 1, "another peak");
});

/** A loss of power under load: every acknowledged event is on the disk. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { until } from "../support/until.ts";
import { type Child, createSource, startChild } from "./child.ts";
import type { StoredEvent } from "./events.ts";
import { DENSE, Load } from "./load.ts";
import { checkAnswers, checkUsage, compare, sendAgain, storedEvents } from "./oracle.ts";
import { createRandom, type SeededRandom } from "./random.ts";
import { openVolume, type Volume, whyNoVolume } from "./volume.ts";

const CYCLES = process.env.TEST_LONG ? 5 : 2;
const MEGABYTES = 512;
const missing = whyNoVolume("ext4");

/** Waits until a random time after some acknowledgements, cuts the power, kills the process, and mounts the disk again. */
async function lose(volume: Volume, child: Child, load: Load, random: SeededRandom): Promise<void> {
  await load.start();
  const enough = load.acknowledged().length + random.between(100, 300);
  await until(`${enough} batches are acknowledged`, () => load.acknowledged().length >= enough);
  await new Promise((resolve) => setTimeout(resolve, random.between(0, 25)));
  volume.cutPower();
  await child.end("SIGKILL");
  load.url = null;
  load.pause();
  volume.unmount();
  volume.mount();
}

function readRemainingEvents(dataDir: string): StoredEvent[] {
  try {
    return storedEvents(dataDir);
  } catch (error) {
    // no file, no table or no database: everything is lost
    if (error instanceof assert.AssertionError) throw error;
    return [];
  }
}

it("A loss of power loses no acknowledged event", { skip: missing ?? false }, async (t) => {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}, ${CYCLES} cycles`);
  using volume = openVolume("ext4", MEGABYTES);
  const dataDir = join(volume.path, "data");
  let child = await startChild(dataDir);
  const source = await createSource(child.url);
  await using load = new Load(child.url, source, random, DENSE);
  try {
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      await lose(volume, child, load, random);
      const acknowledged = load.acknowledged().length * 10;
      const left = compare(storedEvents(dataDir), load.sent);
      t.diagnostic(`cycle ${cycle}: ${acknowledged} acknowledged, on the disk ${JSON.stringify(left)}`);
      assert.deepEqual([left.lost, left.doubled], [0, 0]);
      child = await startChild(dataDir);
      load.url = child.url;
      await load.settle();
    }
    checkAnswers(load.sent);
    await sendAgain(child.url, source, load.sent);
    await checkUsage(child.url, load.sent);
  } finally {
    await child.end("SIGKILL");
  }
});

it("The same loss of power loses events of a ledger that does not wait for the disk, so the test above detects losses", {
  skip: missing ?? false,
}, async (t) => {
  const random = createRandom();
  using volume = openVolume("ext4", MEGABYTES);
  const dataDir = join(volume.path, "data");
  const child = await startChild(dataDir, { unsynced: true });
  await using load = new Load(child.url, await createSource(child.url), random, DENSE);
  try {
    await lose(volume, child, load, random);
    const { lost } = compare(readRemainingEvents(dataDir), load.sent);
    t.diagnostic(`${load.acknowledged().length * 10} acknowledged, ${lost} lost`);
    assert.ok(
      lost > 0,
      "Nothing was lost: cutting the power has no effect on this machine, so the test above proves nothing.",
    );
  } finally {
    await child.end("SIGKILL");
  }
});

/** kill -9 under load: no acknowledged event is lost, and none is stored twice. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { until } from "../support/until.ts";
import { createSource, startChild } from "./child.ts";
import { Load } from "./load.ts";
import { checkAnswers, checkUsage, compare, sendAgain, storedEvents } from "./oracle.ts";
import { createRandom } from "./random.ts";

const ROUNDS = process.env.TEST_LONG ? 20 : 2;
const MAX_ACKNOWLEDGED = process.env.TEST_LONG ? 300 : 80;
const READY_MS = 3_000;

it("A process that is killed under load loses no acknowledged event and stores none twice", async (t) => {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}, ${ROUNDS} rounds`);
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-kill-"));
  let child = await startChild(dataDir);
  try {
    const source = await createSource(child.url);
    await using load = new Load(child.url, source, random);
    const readyMs: number[] = [];
    let checked = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      await load.start();
      await randomMoment(
        load,
        load.acknowledged().length + random.between(20, MAX_ACKNOWLEDGED),
        random.between(0, 25),
      );
      await child.end("SIGKILL");
      load.url = null;
      // everything acknowledged so far is on the disk before any client retries
      const unanswered = load.sent.length - load.acknowledged().length;
      const atDeath = compare(storedEvents(dataDir), load.sent);
      assert.deepEqual([atDeath.lost, atDeath.doubled], [0, 0]);

      child = await startChild(dataDir);
      load.url = child.url;
      await load.settle();
      const fresh = load.sent.slice(checked);
      checked = load.sent.length;
      checkAnswers(fresh);
      await sendAgain(child.url, source, fresh);
      await checkUsage(child.url, load.sent);
      t.diagnostic(
        `round ${round}: killed with ${unanswered} batches unanswered, ${atDeath.stored} events on the disk, ready again in ${child.readyMs} ms`,
      );
      readyMs.push(child.readyMs);
    }
    await sendAgain(child.url, source, load.sent);
    await checkUsage(child.url, load.sent);
    // printed and not asserted, because the machine may have other work
    const usual = readyMs.sort((a, b) => a - b)[Math.floor((ROUNDS - 1) / 2)]!;
    t.diagnostic(`ready again in ${usual} ms (median), the target is ${READY_MS}`);
    assert.equal((await child.end("SIGTERM")).code, 0);
    const found = compare(storedEvents(dataDir), load.sent);
    t.diagnostic(
      `sent ${load.sent.length} batches: ${JSON.stringify(found)}; ${JSON.stringify([...load.refused])}`,
    );
    assert.deepEqual(found, { stored: load.sent.length * 10, lost: 0, doubled: 0 });
  } finally {
    await child.end("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Waits until that many batches are acknowledged, and then a random time. */
async function randomMoment(load: Load, acknowledged: number, afterMs: number): Promise<void> {
  await until(`${acknowledged} batches are acknowledged`, () => load.acknowledged().length >= acknowledged);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
}

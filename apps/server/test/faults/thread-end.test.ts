/** A thread ends under load: requests are answered 503, and the process exits so that its supervisor starts a new one. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { until } from "../support/until.ts";
import { createSource, startChild } from "./child.ts";
import { Load } from "./load.ts";
import { checkAnswers, checkUsage, sendAgain } from "./oracle.ts";
import { createRandom } from "./random.ts";

const ENDING = new URL("./ending-threads.ts", import.meta.url).href;

for (const thread of ["ledger", "attempts"]) {
  it(`A process whose ${thread} thread has ended answers 503, reports the thread, and exits with 1`, async (t) => {
    const random = createRandom();
    const dataDir = mkdtempSync(join(tmpdir(), "headwater-thread-"));
    const environment = { NODE_OPTIONS: `--import=${ENDING}`, ENDED_THREAD: thread, LOG_LEVEL: "error" };
    let child = await startChild(dataDir, { environment });
    try {
      const source = await createSource(child.url);
      await using load = new Load(child.url, source, random);
      await load.start();
      await until("50 batches are acknowledged", () => load.acknowledged().length >= 50);
      process.kill(child.pid, "SIGCONT");
      const { code, ms } = await child.ended();
      load.url = null;
      t.diagnostic(
        `ended with ${code} in ${ms} ms; ${JSON.stringify(Object.fromEntries(load.refused))} meanwhile`,
      );
      assert.equal(code, 1);
      assert.match(
        child.said(),
        new RegExp(`Stopping because of a failure: the ${thread} thread has ended: exit code 7\\.`),
      );
      assert.match(child.logged(), new RegExp(`"level":60.*the ${thread} thread has ended`));
      const answered = [...load.refused.keys()].filter((what) => /^\d/.test(what));
      assert.ok(answered.every((what) => /^503 (storage_unavailable|shutting_down|overloaded)$/.test(what)));

      child = await startChild(dataDir);
      load.url = child.url;
      await load.settle();
      checkAnswers(load.sent);
      await sendAgain(child.url, source, load.sent);
      await checkUsage(child.url, load.sent);
    } finally {
      await child.end("SIGKILL");
      rmSync(dataDir, { recursive: true });
    }
  });
}

it("A SIGBUS ends the process at once, without running a handler", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-thread-"));
  const child = await startChild(dataDir);
  try {
    process.kill(child.pid, "SIGBUS");
    const { code } = await child.ended();
    assert.equal(code, null, "the signal ended the process");
  } finally {
    await child.end("SIGKILL");
    rmSync(dataDir, { recursive: true });
  }
});

/** The helper that runs every background worker. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startWorker, type WorkerOptions } from "../../src/workers/worker.ts";

const LONG_MS = 3_600_000;

function start(round: WorkerOptions["round"], changed: Partial<WorkerOptions> = {}) {
  const warnings: string[] = [];
  const worker = startWorker({
    name: "test",
    round,
    idleMs: LONG_MS,
    retryMs: 1,
    maxRetryMs: 2,
    stopMs: LONG_MS,
    consequence: "nothing is done",
    log: { warn: (_fields, message) => warnings.push(message) },
    ...changed,
  });
  return { worker, warnings };
}

describe("A worker", () => {
  it("starts the next round at once while a round says that more work waits", async () => {
    const rounds: number[] = [];
    const { promise: idle, resolve } = Promise.withResolvers<void>();
    const { worker } = start(async () => {
      rounds.push(rounds.length);
      if (rounds.length === 3) resolve();
      return rounds.length < 3;
    });
    await idle;
    await worker.stop();
    assert.equal(rounds.length, 3);
  });

  it("tries again after a failure, logs the first one of a streak, and reports the streak", async () => {
    const { promise: recovered, resolve } = Promise.withResolvers<void>();
    let rounds = 0;
    const { worker, warnings } = start(async () => {
      rounds += 1;
      if (rounds < 4) throw new Error(`round ${rounds}`);
      resolve();
      return false;
    });
    await recovered;
    await worker.stop();
    assert.deepEqual(warnings, ["nothing is done; retrying"]);
    assert.deepEqual(worker.status(), { name: "test", failuresInRow: 0, lastError: null });
  });

  it("waits for its round when it is stopped, and aborts the round's signal after stopMs", async () => {
    const { promise: began, resolve } = Promise.withResolvers<void>();
    let ended = false;
    const { worker } = start(
      (signal) =>
        new Promise((done) => {
          signal.addEventListener("abort", () => {
            ended = true;
            done(false);
          });
          resolve();
        }),
      { stopMs: 1 },
    );
    await began;
    await worker.stop();
    assert.equal(ended, true);
  });

  it("starts a round at once when it is woken", async () => {
    let rounds = 0;
    const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { worker } = start(async () => {
      waits[rounds]?.resolve();
      rounds += 1;
      return false;
    });
    await waits[0]?.promise;
    await new Promise((resolve) => setImmediate(resolve));
    worker.wake();
    await waits[1]?.promise;
    await worker.stop();
    assert.equal(rounds, 2);
  });

  it("stops although a round ignores its signals", async () => {
    const { promise: began, resolve } = Promise.withResolvers<void>();
    const { worker } = start(
      () => {
        resolve();
        return new Promise(() => undefined);
      },
      { stopMs: 1 },
    );
    await began;
    await worker.stop();
  });

  it("waits before its first round if it is asked to, and runs one by hand meanwhile", async () => {
    let rounds = 0;
    const round = async () => {
      rounds += 1;
      return false;
    };
    const { worker } = start(round, { initialDelayMs: LONG_MS });
    await worker.runOnce();
    await worker.stop();
    assert.equal(rounds, 1);
  });

  it("rejects a round that is run by hand and fails, and counts no failure", async () => {
    const { worker } = start(() => Promise.reject(new Error("no")), { initialDelayMs: LONG_MS });
    await assert.rejects(worker.runOnce(), /no/);
    await worker.stop();
    assert.equal(worker.status().failuresInRow, 0);
  });

  it("aborts the second signal at once when it is stopped", async () => {
    const { promise: began, resolve } = Promise.withResolvers<void>();
    const { worker } = start(
      (_cutOff, stopping) =>
        new Promise((done) => {
          stopping.addEventListener("abort", () => done(false));
          resolve();
        }),
    );
    await began;
    await worker.stop();
  });
});

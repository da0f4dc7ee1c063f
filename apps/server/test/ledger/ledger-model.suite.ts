/** Commit against a model of it in memory: random histories of batches, rotations and reopenings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEDUP_WINDOW_SECONDS } from "@headwater/contract/limits";
import fc from "fast-check";
import { aCommit, keyOf, type LedgerHome, type NewHome, NOW, SOME_DAY } from "./ledger-home.suite.ts";

const HOUR = 3_600_000;
const WINDOW = DEDUP_WINDOW_SECONDS * 1_000;
const RUNS = process.env.TEST_LONG ? 200 : 25;

/** One thing that happens: batches sent at once, time that passes with its upkeep, or a stop and a start. */
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      send: fc.array(fc.array(fc.nat(30), { maxLength: 6 }), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 120 }) }) },
  { weight: 1, arbitrary: fc.constant({ reopen: true as const }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

interface Model {
  now: number;
  /** When each id was last accepted. */
  acceptedAt: Map<number, number>;
  /** Acceptances in all. */
  total: number;
}

/** Within the window an id is accepted once; beyond it the ledger may have forgotten it, or not. */
function check(model: Model, batches: number[][], outcomes: number[][]): void {
  const news = new Map<number, number>();
  for (const [at, batch] of batches.entries()) {
    assert.equal(outcomes[at]!.length, batch.length);
    for (const [index, id] of batch.entries()) news.set(id, (news.get(id) ?? 0) + outcomes[at]![index]!);
  }
  for (const [id, times] of news) {
    const before = model.acceptedAt.get(id);
    const known = before !== undefined && model.now - before <= WINDOW;
    const allowed = known ? [0] : before === undefined ? [1] : [0, 1];
    assert.ok(allowed.includes(times), `id ${id} was accepted ${times} times, allowed: ${allowed}`);
    if (times === 1) model.acceptedAt.set(id, model.now);
    model.total += times;
  }
}

async function live(home: LedgerHome, history: Happening[]): Promise<void> {
  const model: Model = { now: NOW, acceptedAt: new Map(), total: 0 };
  let ledger = await home.open(NOW);
  try {
    for (const one of history) {
      if ("send" in one) {
        const commits = one.send.map((ids) =>
          aCommit({
            receivedAt: model.now,
            entries: ids.map((id) => ({
              key: keyOf(`${id}`),
              line: Buffer.from(`{"id":${id}}`),
              day: SOME_DAY,
            })),
          }),
        );
        const outcomes = await Promise.all(commits.map((commit) => ledger.commit(commit)));
        check(
          model,
          one.send,
          outcomes.map((flags) => [...flags]),
        );
      } else if ("hours" in one) {
        model.now += one.hours * HOUR;
        await ledger.maintain({ now: model.now });
      } else {
        await ledger.close();
        ledger = await home.open(model.now);
      }
    }
    assert.equal((await ledger.probe({ now: model.now })).outboxEvents, model.total);
  } finally {
    await ledger.close();
  }
}

export function modelSuite(name: string, newHome: NewHome): void {
  describe(`any history of ${name}`, () => {
    it("accepts each id once within the window, whatever is sent, rotated and reopened", async (t) => {
      const property = fc.asyncProperty(fc.array(happening, { maxLength: 25 }), async (history) => {
        const home = await newHome();
        await live(home, history).finally(() => home.remove());
      });
      const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
      t.diagnostic(`seed ${seed}, ${RUNS} histories`);
      await fc.assert(property, { seed, numRuns: RUNS });
    });
  });
}

/** Keys wait in memory and a log before they are filed: no path through that may forget one or take one twice. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { openDatabase } from "../../src/ledger/sqlite/database.ts";
import { openGenerations } from "../../src/ledger/sqlite/generations.ts";

const NUMBERS = { filedFrom: 40, sample: 5, sliceRows: 7, fullKeys: 90 };
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);

type Step = { commit: number[] } | { lost: number[] } | { learn: number } | "reopen" | "turn";

const ids = fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: ids.map((commit) => ({ commit })) },
  { weight: 1, arbitrary: ids.map((lost) => ({ lost })) },
  { weight: 1, arbitrary: fc.constant<Step>("reopen") },
  { weight: 3, arbitrary: fc.constant<Step>("turn") },
  { weight: 3, arbitrary: fc.nat({ max: 40 }).map((learn) => ({ learn })) },
);

const keysOf = (numbers: number[]) =>
  new Uint8Array(
    Buffer.concat(
      numbers.map((number) => createHash("sha256").update(String(number)).digest().subarray(0, 16)),
    ),
  );

/** The same steps on the ledger's keys and on a plain set. */
function runBoth(dataDir: string, steps: Step[]): { seen: number[][]; expected: number[][] } {
  const open = () => {
    const database = openDatabase(dataDir);
    return { database, generations: openGenerations(database, NOW, NUMBERS) };
  };
  const known = new Set<number>();
  const seen: number[][] = [];
  const expected: number[][] = [];
  let now = NOW;
  let { database, generations } = open();
  const reopen = () => {
    database.close();
    ({ database, generations } = open());
  };
  for (const one of steps) {
    if (one === "reopen") reopen();
    else if (one === "turn") {
      // no key is older than the window within a run
      now = Math.min(now + 2 * DAY_MS, NOW + 15 * DAY_MS);
      generations.turn(now);
    } else if ("learn" in one) {
      for (let slice = 0; slice < one.learn && generations.learn(); slice++);
    } else if ("lost" in one) {
      database.exec("begin immediate");
      generations.remember(keysOf(one.lost));
      database.exec("rollback");
      reopen();
    } else {
      database.exec("begin immediate");
      seen.push([...generations.remember(keysOf(one.commit))]);
      database.exec("commit");
      expected.push(one.commit.map((id) => (known.has(id) ? 0 : known.add(id) && 1)));
    }
  }
  database.close();
  return { seen, expected };
}

it("a key is new once, whatever is filed, lost, learned, reopened or turned in between", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const dataDir = mkdtempSync(join(tmpdir(), "headwater-keys-"));
      try {
        const { seen, expected } = runBoth(dataDir, steps);
        assert.deepEqual(seen, expected);
      } finally {
        rmSync(dataDir, { recursive: true });
      }
    }),
    { numRuns: process.env.TEST_LONG ? 500 : 50 },
  );
});

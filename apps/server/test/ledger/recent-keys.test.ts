/** Dedup keys on SQLite: on no path through log, filing, generations and filters is a key lost or accepted twice. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { openDatabase } from "../../src/ledger/sqlite/database.ts";
import { DedupKeys } from "../../src/ledger/sqlite/dedup-keys.ts";
import { eachKey, KeySet } from "../../src/ledger/sqlite/key-set.ts";
import { Statements } from "../../src/ledger/sqlite/statements.ts";

/** So small that every path is taken. */
const LIMITS = { mergeFrom: 40, sampleKeys: 5, sliceRows: 7, fullKeys: 90 };
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);

type Step = { commit: number[] } | { lost: number[] } | { fill: number } | "reopen" | "rotate";

const ids = fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: ids.map((commit) => ({ commit })) },
  { weight: 1, arbitrary: ids.map((lost) => ({ lost })) },
  { weight: 1, arbitrary: fc.constant<Step>("reopen") },
  { weight: 3, arbitrary: fc.constant<Step>("rotate") },
  { weight: 3, arbitrary: fc.nat({ max: 40 }).map((fill) => ({ fill })) },
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
    return { database, keys: new DedupKeys(new Statements(database), NOW, LIMITS) };
  };
  const known = new Set<number>();
  const seen: number[][] = [];
  const expected: number[][] = [];
  let now = NOW;
  let { database, keys } = open();
  const reopen = () => {
    database.close();
    ({ database, keys } = open());
  };
  for (const one of steps) {
    if (one === "reopen") reopen();
    else if (one === "rotate") {
      // no key is older than the window within a run
      now = Math.min(now + 2 * DAY_MS, NOW + 15 * DAY_MS);
      keys.rotate({ now });
    } else if ("fill" in one) {
      for (let slice = 0; slice < one.fill && keys.fillFilters(); slice++);
    } else if ("lost" in one) {
      database.exec("begin immediate");
      keys.add(keysOf(one.lost));
      database.exec("rollback");
      reopen();
    } else {
      database.exec("begin immediate");
      seen.push([...keys.add(keysOf(one.commit))]);
      database.exec("commit");
      expected.push(one.commit.map((id) => (known.has(id) ? 0 : known.add(id) && 1)));
    }
  }
  database.close();
  return { seen, expected };
}

it("A key is new only once, whatever is merged, rolled back, filtered, reopened or rotated in between", () => {
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

it("A set of keys holds each key that was added, whatever its size, and puts them in order", () => {
  const keys = new KeySet();
  const numbers = Array.from({ length: 5_000 }, (_, number) => number);
  for (const key of eachKey(keysOf(numbers))) {
    assert.equal(keys.has(key), false);
    keys.add(key);
  }
  assert.ok([...eachKey(keysOf(numbers))].every((key) => keys.has(key)));
  const ordered = [...eachKey(keys.inOrder())].map((key) => Buffer.from(key).toString("hex"));
  const added = [...eachKey(keysOf(numbers))].map((key) => Buffer.from(key).toString("hex"));
  assert.deepEqual(ordered.toSorted(), added.toSorted());
  const prefixes = ordered.map((key) => key.slice(0, 4));
  assert.deepEqual(prefixes, prefixes.toSorted());
});

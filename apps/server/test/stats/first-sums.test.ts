/** The keys with the greatest sums, from slices of which each returns only its greatest counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstSums, type SliceCounts } from "../../src/stats/first-sums.ts";

type CountsOfKeys = readonly (readonly [key: string, count: number])[];

const descending = (counts: CountsOfKeys) => counts.toSorted(([, one], [, other]) => other - one);

/** A slice with these counts that returns at most `rows` of them. */
function sliceOf(all: CountsOfKeys, rows: number): SliceCounts {
  const counts = descending(all).slice(0, rows);
  return { counts: new Map(counts), maxOther: counts.length < rows ? 0 : (counts.at(-1)?.[1] ?? 0) };
}
function sumsOf(slices: readonly CountsOfKeys[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, count] of slices.flat()) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

const counts = fc
  .uniqueArray(fc.tuple(fc.constantFrom(..."abcdefgh"), fc.integer({ min: 1, max: 20 })), {
    selector: ([key]) => key,
  })
  .map((all): CountsOfKeys => all);

test("All keys with one of the greatest sums are found, or none is promised.", () => {
  fc.assert(
    fc.property(
      fc.array(counts, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      (slices, rows, limit) => {
        const found = firstSums(
          slices.map((all) => sliceOf(all, rows)),
          limit,
        );
        if (found === null) return;
        const sums = sumsOf(slices);
        const least = descending([...sums])[limit - 1]?.[1] ?? 0;
        for (const [key, sum] of sums) {
          if (sum >= least) assert.ok(found.sums.has(key), key);
          if (found.areComplete && found.sums.has(key)) assert.equal(found.sums.get(key), sum, key);
        }
      },
    ),
  );
});

test("Slices that return all keys have complete sums.", () => {
  const slices: CountsOfKeys[] = [
    [
      ["a", 5],
      ["b", 2],
    ],
    [["b", 4]],
  ];
  const found = firstSums(
    slices.map((all) => sliceOf(all, 3)),
    2,
  );
  assert.deepEqual(found, {
    sums: new Map([
      ["a", 5],
      ["b", 6],
    ]),
    areComplete: true,
  });
});

test("A key that a slice has left out is incomplete.", () => {
  const slices: CountsOfKeys[] = [
    [
      ["a", 9],
      ["b", 2],
      ["c", 1],
    ],
    [
      ["b", 8],
      ["c", 3],
      ["a", 1],
    ],
  ];
  const found = firstSums(
    slices.map((all) => sliceOf(all, 2)),
    1,
  );
  assert.deepEqual([found?.areComplete, [...(found?.sums.keys() ?? [])]], [false, ["a", "b"]]);
});

test("Nothing is promised when a key that no slice has returned may be among the first.", () => {
  const even: CountsOfKeys = [..."abcd"].map((key) => [key, 2]);
  assert.equal(
    firstSums(
      [even, even].map((all) => sliceOf(all, 2)),
      2,
    ),
    null,
  );
});

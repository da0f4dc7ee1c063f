/** Parts are added up and sorted by the service, in the same order as ClickHouse sorts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareText } from "../../src/stats/sql/statement.ts";

const compareBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
// U+E000 and later come after surrogates as bytes, and before them as code units
const text = fc.string({
  unit: fc.constantFrom("", "a", "Z", "é", "\ud7ff", "\ue000", "\uffee", "\u{1f600}", "\u{10ffff}"),
});

test("Texts are sorted by their bytes, also those with characters of two code units.", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      assert.equal(Math.sign(compareText(one, other)), compareBytes(one, other));
    }),
  );
});

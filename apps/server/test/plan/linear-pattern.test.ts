/** Patterns of tracking plans match what JavaScript's own regular expressions match. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePattern, PatternError } from "../../src/plan/linear-pattern.ts";
import { createRandom, type SeededRandom } from "../faults/random.ts";

const TEXT = ["a", "b", "1", "é", "𝒳", "\n"];
const ATOMS = ["a", "b", ".", "[ab]", "[^a]", "\\d", "\\W", "é", "\\u{1d4b3}", "\\."];
const QUANTIFIERS = ["", "", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?"];

function patternOf(random: SeededRandom, depth: number): string {
  const atom = () => {
    if (depth === 0 || random.between(0, 2) > 0) return random.pick(ATOMS);
    return `${random.pick(["(", "(?:", "(?<n>"])}${patternOf(random, depth - 1)})`;
  };
  const parts = Array.from({ length: random.between(0, 3) }, () => atom() + random.pick(QUANTIFIERS));
  const sequence = `${random.between(0, 7) === 0 ? "^" : ""}${parts.join("")}${random.between(0, 5) === 0 ? "$" : ""}`;
  return random.between(0, 2) === 0 ? `${sequence}|${random.pick(ATOMS)}` : sequence;
}

test("A pattern matches the same texts as the same regular expression", (t) => {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}`);
  let matches = 0;
  let compared = 0;
  for (let round = 0; round < 20_000; round++) {
    const inner = patternOf(random, 2);
    const pattern = (random.between(0, 2) === 0 ? inner : `^(?:${inner})$`).replaceAll("(?<n>", "(");
    const own = new RegExp(pattern, "u");
    let linear: ReturnType<typeof compilePattern>;
    try {
      linear = compilePattern(pattern);
    } catch (error) {
      if (error instanceof PatternError) continue;
      throw error;
    }
    for (let texts = 0; texts < 4; texts++) {
      const text = Array.from({ length: random.between(0, 7) }, () => random.pick(TEXT)).join("");
      const expected = own.test(text);
      assert.equal(linear.test(text), expected, `${pattern} on ${JSON.stringify(text)}`);
      compared += 1;
      if (expected) matches += 1;
    }
  }
  assert.ok(matches > compared / 10 && matches < (compared * 9) / 10, `${matches} of ${compared}`);
});

test("A pattern that a backtracking matcher cannot finish is matched at once", () => {
  for (const pattern of ["(a+)+$", "(a*)*b", "^(a|a|aa)+$", "(.{1,20}x){10}"])
    assert.equal(compilePattern(pattern).test(`${"a".repeat(8_192)}!`), false, pattern);
});

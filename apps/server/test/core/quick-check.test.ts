/** The quick check of tracking plans gives the same verdicts as ajv, for generated schemas and values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isValidBySchema } from "../../src/core/plan/compile-plan.ts";
import { compileQuickCheck, type SharedRules } from "../../src/core/plan/quick-check.ts";
import { fits } from "../../src/core/plan/value-rules.ts";

const RUNS = Number(process.env.TEST_LONG === "1" ? 20_000 : 1_500);
const VALUES_PER_SCHEMA = 12;

const NAMES = ["price", "plan", "items", "a.b", "", "é"];
const name = fc.constantFrom(...NAMES);
const infinite = fc.constant(Number.POSITIVE_INFINITY);
const plain = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -0, 1, 2.5, -1, 1e300, "", "a", "ab", "ABC-1", "𝒳"),
  fc.constantFrom("2026-01-31", "2026-01-31T10:00:00Z", "a@b.example", "https://x.example/"),
);
const value: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 6, arbitrary: plain },
    { weight: 1, arbitrary: infinite },
    { weight: 2, arbitrary: fc.array(tie("any"), { maxLength: 3 }) },
    { weight: 4, arbitrary: fc.dictionary(name, tie("any"), { maxKeys: 4 }) },
  ),
})).any;

const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];
const types = fc.oneof(
  fc.constantFrom(...TYPES),
  fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 4 }),
);
const size = fc.integer({ min: 0, max: 3 });
const limit = fc.constantFrom(-1, 0, 1, 2, 2.5);
const schema: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => {
  const keywords = {
    type: types,
    enum: fc.uniqueArray(plain, { minLength: 1, maxLength: 4, comparator: "SameValueZero" }),
    const: plain,
    minimum: limit,
    maximum: limit,
    exclusiveMinimum: limit,
    exclusiveMaximum: limit,
    minLength: size,
    maxLength: size,
    pattern: fc.constantFrom("^a", "^[A-Z]{3}-\\d+$", "."),
    format: fc.constantFrom("date", "date-time", "email", "uri", "uuid"),
    minItems: size,
    maxItems: size,
    items: tie("any"),
    properties: fc.dictionary(name, tie("any"), { maxKeys: 4 }),
    required: fc.uniqueArray(name, { maxLength: 3 }),
    additionalProperties: fc.oneof(fc.boolean(), tie("any")),
    description: fc.constant("text"),
    default: fc.constant(1),
  };
  const names = Object.keys(keywords);
  /** A few keywords: with all of them no value is valid. */
  const few = fc
    .uniqueArray(fc.constantFrom(...names, "properties", "type", "required"), { maxLength: 4 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(Object.entries(keywords).filter(([one]) => chosen.includes(one)))),
    );
  return {
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 9, arbitrary: few },
    ),
  };
}).any;

const isObject = (one: unknown): one is Record<string, unknown> => typeof one === "object" && one !== null;

test("The quick check and ajv agree on every generated value", (t) => {
  // as if all were of one plan
  const shared: SharedRules = new Map();
  const seen = { checked: 0, valid: 0, left: 0 };
  const values = fc.array(value, { minLength: VALUES_PER_SCHEMA, maxLength: VALUES_PER_SCHEMA });
  const property = fc.property(schema.filter(isObject), values, (one, given) => {
    const rules = compileQuickCheck(one, shared);
    if (rules === null) {
      seen.left += 1;
      return;
    }
    const isValid = isValidBySchema(one);
    for (const each of given) {
      const expected = isValid(each);
      assert.equal(fits(rules, each), expected, `${JSON.stringify(one)} of ${JSON.stringify(each)}`);
      seen.checked += 1;
      if (expected) seen.valid += 1;
    }
  });
  fc.assert(property, { numRuns: RUNS });
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.left < RUNS / 3, `${seen.left} of ${RUNS} schemas were left to ajv`);
  assert.ok(seen.valid > seen.checked / 10 && seen.valid < (seen.checked * 9) / 10, JSON.stringify(seen));
});

test("A planned event that fits has the verdict of ajv when a member is renamed, missing, or of another type", () => {
  const properties = {
    price: { type: "number", minimum: 0 },
    plan: { enum: ["free", "pro"] },
    code: { type: "string", pattern: "^[A-Z]{3}-\\d+$" },
    items: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
  };
  const schema = { type: "object", properties, required: ["price"], additionalProperties: false };
  const order = { price: 5, plan: "pro", code: "ABC-1", items: [{ sku: "1" }] };
  const rules = compileQuickCheck(schema, new Map());
  assert.ok(rules);
  assert.ok(fits(rules, order));
  const { price, ...withoutPrice } = order;
  const wrong = [
    withoutPrice,
    { ...withoutPrice, prise: price },
    { ...order, price: "5" },
    { ...order, extra: 1 },
    { ...order, items: [{ sku: 1 }] },
  ];
  const isValid = isValidBySchema(schema);
  for (const one of wrong) assert.deepEqual([fits(rules, one), isValid(one)], [false, false]);
});

test("Schemas that ajv alone can check are left to it", () => {
  const left = [
    { anyOf: [{ type: "string" }] },
    { $ref: "#/$defs/price", $defs: { price: {} } },
    { properties: { constructor: { type: "string" } } },
    { required: ["__proto__"] },
    { required: [""] },
    { const: { a: 1 } },
    { enum: [[1]] },
    { items: { multipleOf: 2 } },
    { required: ["a"], additionalProperties: false },
  ];
  for (const one of left) assert.equal(compileQuickCheck(one, new Map()), null, JSON.stringify(one));
});

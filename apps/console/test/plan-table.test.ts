/** The table of an event's properties in the plan editor: it shows a part of a JSON Schema and loses nothing of the rest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addProperty,
  type EventSchema,
  formatValues,
  isTable,
  otherKeywords,
  parseValues,
  readRows,
  removeProperty,
  setRequired,
  setType,
  setValues,
} from "../src/pages/events/plan-table.ts";

const name = fc.oneof(
  fc.constantFrom("price", "a", "constructor", "__proto__", "0", "type", "enum"),
  fc.string(),
);
const type = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
/** Schemas with keywords that the table shows and others, in any order. */
const property = fc.oneof(
  { weight: 1, arbitrary: fc.boolean() },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
        enum: fc.oneof(fc.uniqueArray(scalar), fc.array(fc.jsonValue())),
        const: fc.jsonValue(),
        pattern: fc.string(),
        properties: fc.dictionary(name, fc.jsonValue()),
        $ref: fc.constant("#/$defs/a"),
        description: fc.string(),
      },
      { requiredKeys: [] },
    ),
  },
);
const schema: fc.Arbitrary<EventSchema> = fc.record(
  {
    type: fc.constantFrom("object", "array"),
    description: fc.string(),
    properties: fc.array(fc.tuple(name, property)).map((entries) => Object.fromEntries(entries)),
    required: fc.uniqueArray(name),
    additionalProperties: fc.boolean(),
    allOf: fc.array(fc.jsonValue()),
    $defs: fc.dictionary(name, fc.jsonValue()),
  },
  { requiredKeys: [] },
);

/** The schema without what an edit of the property may change. */
function untouched(whole: EventSchema, edited: string, keywords: readonly string[]) {
  const {
    properties = {},
    required = [],
    ...others
  } = whole as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const entries = Object.entries(properties).flatMap(([other, value]) => {
    if (other !== edited || typeof value !== "object" || value === null)
      return other === edited ? [] : [[other, value]];
    return Object.entries(value)
      .filter(([keyword]) => !keywords.includes(keyword))
      .map(([keyword, kept]) => [`${other}/${keyword}`, kept]);
  });
  return JSON.stringify([others, entries, required.filter((one) => one !== edited)]);
}

test("An edit of the table loses no keyword of the schema, whatever it has.", () => {
  const cases = fc.tuple(schema, name, type, fc.uniqueArray(scalar), fc.boolean());
  fc.assert(
    fc.property(cases, ([before, edited, newType, values, isRequired]) => {
      const keep = (after: EventSchema, keywords: readonly string[]) =>
        assert.equal(untouched(after, edited, keywords), untouched(before, edited, keywords));
      keep(setType(before, edited, newType), ["type"]);
      keep(setType(before, edited, ""), ["type"]);
      keep(setValues(before, edited, values), ["enum"]);
      keep(setRequired(before, edited, isRequired), []);
      if (!readRows(before, null).some((row) => row.name === edited && row.isPlanned)) {
        const added = addProperty(before, { name: edited, seen: null });
        keep(added, []);
        assert.ok(readRows(added, null).some((row) => row.name === edited && row.isPlanned));
      }
      const all = ["type", "enum", "const", "pattern", "properties", "$ref", "description"];
      const removed = removeProperty(before, edited);
      assert.equal(untouched(removed, edited, all), untouched(before, edited, all));
      assert.ok(!readRows(removed, null).some((row) => row.name === edited));
    }),
  );
});

test("What the table shows can be written back: the schema means the same.", () => {
  fc.assert(
    fc.property(schema, (before) => {
      for (const row of readRows(before, null)) {
        if (!row.isEditable) continue;
        const again = setValues(setType(before, row.name, row.type), row.name, row.values ?? []);
        const [after] = readRows(again, null).filter((one) => one.name === row.name);
        assert.deepEqual(
          { ...after, values: after?.values ?? [] },
          { ...row, isPlanned: true, values: row.values ?? [] },
        );
      }
    }),
  );
});

test("Allowed values are read as they are written.", () => {
  const cases = fc.tuple(fc.uniqueArray(scalar), fc.constantFrom("", "number", "string, null"));
  fc.assert(
    fc.property(cases, ([values, of]) => assert.deepEqual(parseValues(formatValues(values, of), of), values)),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), (texts) =>
      assert.deepEqual(parseValues(formatValues(texts, "string"), "string"), texts),
    ),
  );
  assert.deepEqual(parseValues("free, pro,3, true", ""), ["free", "pro", 3, true]);
  assert.deepEqual(parseValues("free, 3", "string"), ["free", "3"]);
  assert.equal(formatValues(["a, b", "3", 3, null], ""), '"a, b", "3", 3, null');
});

test("A property's other keywords are named, and a schema without a table is recognized.", () => {
  const planned = {
    type: "object",
    properties: {
      a: { type: "string", minLength: 1 },
      b: false,
      c: { enum: [{}] },
      d: { type: ["string", "null"] },
    },
    required: ["e"],
    additionalProperties: false,
  };
  assert.deepEqual(
    readRows(planned, null).map((row) => [row.name, row.type, row.isRequired, row.others, row.isEditable]),
    [
      ["a", "string", false, ["minLength"], true],
      ["b", "", false, ["false"], false],
      ["c", "", false, ["type or enum"], false],
      ["d", "string, null", false, [], true],
      ["e", "", true, [], true],
    ],
  );
  assert.deepEqual(otherKeywords(planned), ["additionalProperties"]);
  for (const other of [{ properties: [] }, { required: "a" }, { required: [1] }])
    assert.equal(isTable(other), false);
  assert.equal(isTable({}), true);
});

/** Arbitraries for fast-check: values of JSON Schemas, and mutations of them. */
import fc from "fast-check";

export interface Schema {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

/** Generators for members by name, where the schema is not specific enough: real ids, sessions, times. */
export type Real = Record<string, fc.Arbitrary<unknown>>;

const text = (schema: Schema): fc.Arbitrary<string> => {
  if (schema.pattern)
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .filter((value) => value.length <= (schema.maxLength ?? 500));
  const minLength = schema.minLength ?? 0;
  return fc.string({
    minLength,
    maxLength: Math.min(schema.maxLength ?? 40, minLength + 40),
    unit: "grapheme",
  });
};

const free = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });

/** A value that matches the schema, with or without its optional members. */
export function valid(schema: Schema, real: Real): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, real)));
  switch (schema.type) {
    case "string":
      return text(schema);
    case "integer":
    case "number":
      return fc.integer({
        min: Math.ceil(schema.minimum ?? 0),
        max: Math.min(schema.maximum ?? 1_000, 1_000_000),
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valid(schema.items ?? {}, real), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case "object":
      return schema.properties ? validObject(schema, real) : free;
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function validObject({ properties = {}, required = [] }: Schema, real: Real): fc.Arbitrary<unknown> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, schema] of Object.entries(properties)) members[name] = real[name] ?? valid(schema, real);
  return fc.record(members, { requiredKeys: [...required] });
}

type MutableBody = Record<string, unknown>;
const isObject = (value: unknown): value is MutableBody =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The path to every value inside a value. */
function placesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || path.length > 5) return [path];
  return [
    path,
    ...Object.keys(value).flatMap((key) => placesOf((value as MutableBody)[key], [...path, key])),
  ];
}

function changedAt(value: unknown, path: string[], change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? changedAt(item, rest, change) : item));
  return Object.fromEntries(
    Object.entries(value as MutableBody).map(([name, item]) => [
      name,
      name === key ? changedAt(item, rest, change) : item,
    ]),
  );
}

const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const ODD = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  "",
  " ",
  "0",
  "null",
  [],
  {},
  [[]],
  [null],
  "\u0000",
  "\ud800",
  "\uffff",
  "\u202e",
  "x".repeat(300),
  "x".repeat(5_000),
  "x".repeat(70_000),
  "😀".repeat(300),
  "2026-02-30T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "'; --",
  "https://evil.example",
  { toString: null },
  { length: -1 },
  deep(50),
  deep(2_000),
];

const changes: fc.Arbitrary<(old: unknown) => unknown> = fc.oneof(
  fc.constantFrom(...ODD).map((odd) => () => odd),
  fc.jsonValue({ maxDepth: 4 }).map((json) => () => json),
  fc.string({ unit: "binary", maxLength: 50 }).map((binary) => () => binary),
  fc.constant((old: unknown) => [old, old]),
  fc.constant((old: unknown) => ({ nested: old })),
  fc.constant((old: unknown) => (typeof old === "string" ? old.repeat(30) : JSON.stringify(old))),
  fc
    .nat({ max: 5 })
    .map(
      (at) => (old: unknown) =>
        isObject(old)
          ? Object.fromEntries(Object.entries(old).filter((_, index) => index !== at))
          : undefined,
    ),
  fc.constant((old: unknown) => (isObject(old) ? { ...old, surplus: old } : old)),
  fc.constant((old: unknown) =>
    isObject(old)
      ? JSON.parse(`{"__proto__":{"isAdmin":true},${JSON.stringify(old).slice(1)}`.replace(",}", "}"))
      : old,
  ),
);

/** The value with one to a few changes. */
export const mutated = (value: unknown): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(fc.nat(), changes), { minLength: 1, maxLength: 3 }).map((list) =>
    list.reduce<unknown>((now, [place, change]) => {
      const places = placesOf(now);
      return changedAt(now, places[place % places.length]!, change);
    }, value),
  );

/** JSON text, sometimes damaged as text: cut, doubled keys, numbers out of range. */
export const asText = (value: unknown): fc.Arbitrary<string> => {
  const json = JSON.stringify(value) ?? "";
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(json) },
    { weight: 1, arbitrary: fc.nat({ max: json.length }).map((end) => json.slice(0, end)) },
    { weight: 1, arbitrary: fc.constant(json.replace(/\d+/, "1e400")) },
    { weight: 1, arbitrary: fc.constant(json.replace("{", `{"a":1,"a":2,`)) },
    { weight: 1, arbitrary: fc.constant(`\ufeff${json}`) },
  );
};

/**
 * Compiles schemas of common keywords to rules, which one function checks for all schemas (`value-rules.ts`). ajv generates a
 * function for each schema: with 200 planned events, each runs too rarely to be optimized for the first 250,000 events, and costs
 * 5 µs an event until then. The shared function is optimized soon and costs 0.3 µs. It only says whether a value is valid. ajv says
 * what is wrong with one that is not, and checks the schemas with other keywords.
 */
import { isRecord } from "../members.ts";
import { FORMATS } from "./formats.ts";
import { compilePattern } from "./linear-pattern.ts";
import {
  ANY_TYPE,
  BOOLEAN,
  FRACTION,
  INTEGER,
  LIST,
  type NamedRules,
  NULL,
  OBJECT,
  TEXT,
  type TextTest,
  type ValueRules,
} from "./value-rules.ts";

/**
 * The rules of members that several events of a plan have, by name and schema. Reading 200 schemas from memory is most of what the
 * checks cost, so equal rules are one object.
 */
export type SharedRules = Map<string, NamedRules>;

const TYPES: ReadonlyMap<unknown, number> = new Map([
  ["string", TEXT],
  ["boolean", BOOLEAN],
  ["null", NULL],
  ["array", LIST],
  ["object", OBJECT],
  ["integer", INTEGER],
  ["number", INTEGER | FRACTION],
]);

const ANYTHING: ValueRules = {
  types: ANY_TYPE,
  values: null,
  minimum: Number.NEGATIVE_INFINITY,
  maximum: Number.POSITIVE_INFINITY,
  exclusiveMinimum: Number.NEGATIVE_INFINITY,
  exclusiveMaximum: Number.POSITIVE_INFINITY,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  texts: [],
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  items: null,
  properties: [],
  allowsOthers: true,
};
const NOTHING: ValueRules = { ...ANYTHING, types: 0 };

/** Thrown when the schema has a keyword that only ajv checks. */
class UnsupportedSchema extends Error {}

type Keywords = Readonly<Record<string, unknown>>;
type Change = Partial<ValueRules>;

function typesOf(value: unknown): number {
  let types = 0;
  for (const name of [value].flat()) types |= TYPES.get(name) ?? 0;
  return types;
}

/** Objects and lists are not equal to themselves in a set. ajv reports an empty list as an error. */
function valuesOf(values: unknown): Change {
  if (!Array.isArray(values) || values.length === 0 || values.some((value) => value instanceof Object))
    throw new UnsupportedSchema();
  return { values: new Set(values) };
}

const numberIn = <K extends keyof ValueRules>(name: K, value: unknown) => {
  if (typeof value !== "number") throw new UnsupportedSchema();
  return { [name]: value };
};

function formatOf(name: unknown): TextTest {
  const format = typeof name === "string" && Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) throw new UnsupportedSchema();
  return format;
}

const NO_RULES: Change = {};

/** The rules of the keywords that stand for themselves. */
function rulesOfKeyword(keyword: string, value: unknown, shared: SharedRules): Change {
  switch (keyword) {
    case "type":
      return { types: typesOf(value) };
    case "enum":
      return valuesOf(value);
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return numberIn(keyword, value);
    case "items":
      return { items: compileValue(value, shared) };
    case "title":
    case "description":
    case "examples":
    case "default":
    case "deprecated":
    case "$comment":
    // of several keywords: see compileValue
    case "const":
    case "pattern":
    case "format":
    case "properties":
    case "required":
    case "additionalProperties":
      return NO_RULES;
    default:
      throw new UnsupportedSchema();
  }
}

function textsOf({ pattern, format }: Keywords): TextTest[] {
  const texts: TextTest[] = [];
  if (pattern !== undefined) texts.push(compilePattern(String(pattern)));
  if (format !== undefined) texts.push(formatOf(format));
  return texts;
}

/** The types of a schema that says nothing else of its values. 0: it says more. */
function sufficientTypes({ types, ...others }: ValueRules): number {
  const isOnlyTyped = Object.entries(others).every(([name, value]) =>
    Array.isArray(value) ? value.length === 0 : value === Reflect.get(ANYTHING, name),
  );
  return isOnlyTyped ? types : 0;
}

function propertiesOf({ properties = {}, required = [] }: Keywords, shared: SharedRules): NamedRules[] {
  if (!isRecord(properties) || !Array.isArray(required)) throw new UnsupportedSchema();
  const names = new Set([...Object.keys(properties), ...required.map(String)]);
  return [...names].map((name) => {
    // every object inherits such members, and ajv does not require an empty name
    if (name in Object.prototype || name === "") throw new UnsupportedSchema();
    const isRequired = required.includes(name);
    const key = JSON.stringify([name, isRequired, properties[name]]);
    const known = shared.get(key);
    if (known) return known;
    const rules = compileValue(properties[name] ?? true, shared);
    const member = { name, isRequired, types: sufficientTypes(rules), rules };
    shared.set(key, member);
    return member;
  });
}

/** `additionalProperties` are those that `properties` does not name, even if they are required. */
function allowsOthers({ properties = {}, required = [], additionalProperties = true }: Keywords): boolean {
  if (additionalProperties === true) return true;
  const isNamed = (name: unknown) => Object.hasOwn(Object(properties), String(name));
  if (additionalProperties !== false || ![required].flat().every(isNamed)) throw new UnsupportedSchema();
  return false;
}

function compileValue(schema: unknown, shared: SharedRules): ValueRules {
  if (schema === true) return ANYTHING;
  if (schema === false) return NOTHING;
  if (!isRecord(schema)) throw new UnsupportedSchema();
  let rules = ANYTHING;
  for (const [keyword, value] of Object.entries(schema))
    rules = { ...rules, ...rulesOfKeyword(keyword, value, shared) };
  if (schema.const !== undefined) {
    if (schema.enum !== undefined) throw new UnsupportedSchema();
    rules = { ...rules, ...valuesOf([schema.const]) };
  }
  return {
    ...rules,
    texts: textsOf(schema),
    properties: propertiesOf(schema, shared),
    allowsOthers: allowsOthers(schema),
  };
}

/**
 * @param shared of the schemas of a plan
 * @returns null: the schema has other keywords, so only ajv can check it
 */
export function compileQuickCheck(schema: Keywords, shared: SharedRules): ValueRules | null {
  const { $schema: _, ...keywords } = schema;
  try {
    return compileValue(keywords, shared);
  } catch (error) {
    if (error instanceof UnsupportedSchema) return null;
    throw error;
  }
}

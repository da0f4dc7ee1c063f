/**
 * Checks values against schemas of common keywords, with one function for all schemas. ajv generates a function for each schema: with
 * 200 planned events, each runs too rarely to be optimized for the first 250,000 events, and costs 5 µs an event until
 * then. This function is optimized soon and costs 0.3 µs. It only says whether a value is valid. ajv says what is wrong with
 * one that is not, and checks the schemas with other keywords.
 */
import { isRecord } from "../members.ts";
import { FORMATS } from "./formats.ts";
import { compilePattern } from "./linear-pattern.ts";

interface TextTest {
  test(text: string): boolean;
}

interface NamedRules {
  readonly name: string;
  readonly isRequired: boolean;
  readonly rules: ValueRules;
}

/** A schema. All have the same members in the same order, so that the code that reads them is fast. */
export interface ValueRules {
  /** The sum of the types that are allowed. */
  readonly types: number;
  /** Of `enum` and `const`. null: any value. */
  readonly values: ReadonlySet<unknown> | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly exclusiveMinimum: number;
  readonly exclusiveMaximum: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly texts: readonly TextTest[];
  readonly minItems: number;
  readonly maxItems: number;
  readonly items: ValueRules | null;
  readonly properties: readonly NamedRules[];
  readonly allowsOthers: boolean;
}

const TEXT = 1;
const BOOLEAN = 2;
const NULL = 4;
const LIST = 8;
const OBJECT = 16;
const INTEGER = 32;
const FRACTION = 64;
const ANY_TYPE = 127;

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
function rulesOfKeyword(keyword: string, value: unknown): Change {
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
      return { items: compileValue(value) };
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

function propertiesOf({ properties = {}, required = [] }: Keywords): NamedRules[] {
  if (!isRecord(properties) || !Array.isArray(required)) throw new UnsupportedSchema();
  const names = new Set([...Object.keys(properties), ...required.map(String)]);
  return [...names].map((name) => {
    // every object inherits such members, and ajv does not require an empty name
    if (name in Object.prototype || name === "") throw new UnsupportedSchema();
    return { name, isRequired: required.includes(name), rules: compileValue(properties[name] ?? true) };
  });
}

/** `additionalProperties` are those that `properties` does not name, even if they are required. */
function allowsOthers({ properties = {}, required = [], additionalProperties = true }: Keywords): boolean {
  if (additionalProperties === true) return true;
  const isNamed = (name: unknown) => Object.hasOwn(Object(properties), String(name));
  if (additionalProperties !== false || ![required].flat().every(isNamed)) throw new UnsupportedSchema();
  return false;
}

function compileValue(schema: unknown): ValueRules {
  if (schema === true) return ANYTHING;
  if (schema === false) return NOTHING;
  if (!isRecord(schema)) throw new UnsupportedSchema();
  let rules = ANYTHING;
  for (const [keyword, value] of Object.entries(schema))
    rules = { ...rules, ...rulesOfKeyword(keyword, value) };
  if (schema.const !== undefined) {
    if (schema.enum !== undefined) throw new UnsupportedSchema();
    rules = { ...rules, ...valuesOf([schema.const]) };
  }
  return {
    ...rules,
    texts: textsOf(schema),
    properties: propertiesOf(schema),
    allowsOthers: allowsOthers(schema),
  };
}

/** @returns null: the schema has other keywords, so only ajv can check it */
export function compileQuickCheck(schema: Keywords): ValueRules | null {
  const { $schema: _, ...keywords } = schema;
  try {
    return compileValue(keywords);
  } catch (error) {
    if (error instanceof UnsupportedSchema) return null;
    throw error;
  }
}

/** To ajv, an infinite number, such as the JSON `1e999`, is an integer. */
const typeOfNumber = (value: number) => (value % 1 ? FRACTION : INTEGER);

const fitsLimits = (rules: ValueRules, value: number): boolean =>
  value >= rules.minimum &&
  value <= rules.maximum &&
  (value > rules.exclusiveMinimum || rules.exclusiveMinimum === Number.NEGATIVE_INFINITY) &&
  (value < rules.exclusiveMaximum || rules.exclusiveMaximum === Number.POSITIVE_INFINITY);

function fitsText(rules: ValueRules, value: string): boolean {
  if (value.length < rules.minLength || value.length > rules.maxLength) return false;
  for (const text of rules.texts) if (!text.test(value)) return false;
  return true;
}

function fitsList(rules: ValueRules, value: readonly unknown[]): boolean {
  if (value.length < rules.minItems || value.length > rules.maxItems) return false;
  if (rules.items === null) return true;
  for (const item of value) if (!fits(rules.items, item)) return false;
  return true;
}

function fitsObject(rules: ValueRules, value: Keywords): boolean {
  let present = 0;
  for (const property of rules.properties) {
    const member = value[property.name];
    if (member === undefined) {
      if (property.isRequired) return false;
    } else if (fits(property.rules, member)) present += 1;
    else return false;
  }
  return rules.allowsOthers || Object.keys(value).length === present;
}

/** Whether the value, which was read from JSON, is valid. */
export function fits(rules: ValueRules, value: unknown): boolean {
  const { types, values } = rules;
  if (values !== null && !values.has(value)) return false;
  if (typeof value === "string") return (types & TEXT) !== 0 && fitsText(rules, value);
  if (typeof value === "number") return (types & typeOfNumber(value)) !== 0 && fitsLimits(rules, value);
  if (typeof value === "boolean") return (types & BOOLEAN) !== 0;
  if (value === null) return (types & NULL) !== 0;
  if (Array.isArray(value)) return (types & LIST) !== 0 && fitsList(rules, value);
  return (types & OBJECT) !== 0 && isRecord(value) && fitsObject(rules, value);
}

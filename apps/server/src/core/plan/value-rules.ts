/** Checks a value against a compiled schema of a tracking plan (`quick-check.ts`), with one function for all schemas. */
import { isRecord } from "../members.ts";

export interface TextTest {
  test(text: string): boolean;
}

export interface NamedRules {
  readonly name: string;
  readonly isRequired: boolean;
  /** The types with which every value is valid. Most members have a type only, so their rules need not be read. */
  readonly types: number;
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

export const TEXT = 1;
export const BOOLEAN = 2;
export const NULL = 4;
export const LIST = 8;
export const OBJECT = 16;
export const INTEGER = 32;
export const FRACTION = 64;
export const ANY_TYPE = 127;

/** To ajv, an infinite number, such as the JSON `1e999`, is an integer. */
const typeOfNumber = (value: number) => (value % 1 ? FRACTION : INTEGER);

function typeOf(value: unknown): number {
  if (typeof value === "string") return TEXT;
  if (typeof value === "number") return typeOfNumber(value);
  if (typeof value === "boolean") return BOOLEAN;
  if (value === null) return NULL;
  return Array.isArray(value) ? LIST : OBJECT;
}

const fitsLimits = (rules: ValueRules, value: number): boolean =>
  value >= rules.minimum &&
  value <= rules.maximum &&
  (value > rules.exclusiveMinimum || rules.exclusiveMinimum === Number.NEGATIVE_INFINITY) &&
  (value < rules.exclusiveMaximum || rules.exclusiveMaximum === Number.POSITIVE_INFINITY);

/** JSON Schema counts code points, of which a text has at least half as many as UTF-16 code units. */
function fitsLength({ minLength, maxLength }: ValueRules, value: string): boolean {
  const units = value.length;
  if (units < minLength || units > 2 * maxLength) return false;
  if (units >= 2 * minLength && units <= maxLength) return true;
  const { length } = Array.from(value);
  return length >= minLength && length <= maxLength;
}

function fitsText(rules: ValueRules, value: string): boolean {
  if (!fitsLength(rules, value)) return false;
  for (const text of rules.texts) if (!text.test(value)) return false;
  return true;
}

function fitsList(rules: ValueRules, value: readonly unknown[]): boolean {
  if (value.length < rules.minItems || value.length > rules.maxItems) return false;
  if (rules.items === null) return true;
  for (const item of value) if (!fits(rules.items, item)) return false;
  return true;
}

function fitsObject(rules: ValueRules, value: Readonly<Record<string, unknown>>): boolean {
  let present = 0;
  for (const property of rules.properties) {
    const member = value[property.name];
    if (member === undefined) {
      if (property.isRequired) return false;
    } else if ((property.types & typeOf(member)) === 0 && !fits(property.rules, member)) return false;
    else present += 1;
  }
  return rules.allowsOthers || Object.keys(value).length === present;
}

/** Whether the value, which was read from JSON, is valid. */
export function fits(rules: ValueRules, value: unknown): boolean {
  if (rules.values !== null && !rules.values.has(value)) return false;
  if ((rules.types & typeOf(value)) === 0) return false;
  if (typeof value === "string") return fitsText(rules, value);
  if (typeof value === "number") return fitsLimits(rules, value);
  if (Array.isArray(value)) return fitsList(rules, value);
  return !isRecord(value) || fitsObject(rules, value);
}

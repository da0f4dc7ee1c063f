/**
 * The schema of an event as a table of its properties. Every edit returns the schema with one change, and keeps what the table
 * does not show. Pure.
 */
import type { CatalogEvent } from "@headwater/contract";

export type EventSchema = Readonly<Record<string, unknown>>;
type PlainValue = string | number | boolean | null;

export const PROPERTY_TYPES = ["string", "number", "integer", "boolean", "object", "array"] as const;

/** A property that is planned, or that events had. */
export interface PropertyRow {
  readonly name: string;
  /** Whether the schema names it. */
  readonly isPlanned: boolean;
  /** The type, several ones separated by commas, or "" for any. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The allowed values; null: any. */
  readonly values: readonly PlainValue[] | null;
  /** The keywords of its schema that only the JSON shows. */
  readonly others: readonly string[];
  /** Whether the table can edit its schema: it is an object, and the type and values have a form that the table shows. */
  readonly isEditable: boolean;
  /** null: no sampled event had it. */
  readonly seen: CatalogEvent["properties"][number] | null;
}

const isRecord = (value: unknown): value is EventSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isPlainValue = (value: unknown): value is PlainValue => value === null || typeof value !== "object";

const propertiesOf = ({ properties }: EventSchema): EventSchema => (isRecord(properties) ? properties : {});
const requiredOf = ({ required }: EventSchema): readonly string[] =>
  Array.isArray(required) ? required.filter(isText) : [];
const memberOf = (record: EventSchema, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Whether the table can show and edit the schema. Otherwise only its JSON can be edited. */
export const isTable = ({ properties = {}, required = [] }: EventSchema): boolean =>
  isRecord(properties) && Array.isArray(required) && required.every(isText);

/** @returns the keywords beside the properties that only the JSON shows */
export const otherKeywords = (schema: EventSchema): string[] =>
  Object.keys(schema).filter(
    (keyword) =>
      !["properties", "required"].includes(keyword) && !(keyword === "type" && schema.type === "object"),
  );

const isTypeList = (type: unknown) => isText(type) || (Array.isArray(type) && type.every(isText));

/** Reads a property's schema. `true` and none allow every value. */
function readProperty(schema: unknown): Pick<PropertyRow, "type" | "values" | "others" | "isEditable"> {
  if (schema === undefined || schema === true)
    return { type: "", values: null, others: [], isEditable: true };
  if (!isRecord(schema)) return { type: "", values: null, others: ["false"], isEditable: false };
  const { type, enum: values, ...others } = schema;
  const hasType = Object.hasOwn(schema, "type");
  const hasValues = Object.hasOwn(schema, "enum");
  const shownType = hasType && isTypeList(type) ? [type].flat().join(", ") : "";
  const isShown = shownType === "string" ? isText : isPlainValue;
  const isEditable =
    (!hasType || isTypeList(type)) && (!hasValues || (Array.isArray(values) && values.every(isShown)));
  return {
    type: shownType,
    values: hasValues && isEditable && Array.isArray(values) ? values : null,
    others: [...(isEditable ? [] : ["type or enum"]), ...Object.keys(others)],
    isEditable,
  };
}

/** Planned properties come first, in the order of the schema, then those that only events had. */
export function readRows(schema: EventSchema, seen: CatalogEvent | null): PropertyRow[] {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  const planned = new Set([...Object.keys(properties), ...required]);
  const names = new Set([...planned, ...(seen?.properties ?? []).map(({ name }) => name)]);
  return [...names].map((name) => ({
    name,
    isPlanned: planned.has(name),
    isRequired: required.includes(name),
    ...readProperty(memberOf(properties, name)),
    seen: seen?.properties.find((property) => property.name === name) ?? null,
  }));
}

/** @returns the type of a property's values as a keyword; a value that was always null says nothing of others */
export function seenType(types: readonly string[]): string | readonly string[] | null {
  if (types.every((type) => type === "null")) return null;
  return types.length === 1 && types[0] !== undefined ? types[0] : types;
}

/** @param property undefined: it is removed */
function withProperty(schema: EventSchema, name: string, property: unknown): EventSchema {
  const others = Object.entries(propertiesOf(schema));
  const isNew = !others.some(([other]) => other === name);
  const changed = others.flatMap(([other, value]) =>
    other !== name ? [[other, value] as const] : property === undefined ? [] : [[other, property] as const],
  );
  const added = isNew && property !== undefined ? [[name, property] as const] : [];
  return { ...schema, properties: Object.fromEntries([...changed, ...added]) };
}

/** Sets or removes one keyword of a property, and keeps its others. */
function withKeyword(
  schema: EventSchema,
  name: string,
  keyword: "type" | "enum",
  value: unknown,
): EventSchema {
  const property = memberOf(propertiesOf(schema), name);
  const { [keyword]: before, ...others } = isRecord(property) ? property : {};
  if (value === undefined) return withProperty(schema, name, others);
  // a keyword that is there keeps its place
  const changed =
    before !== undefined && isRecord(property)
      ? { ...property, [keyword]: value }
      : { ...others, [keyword]: value };
  return withProperty(schema, name, changed);
}

/** @param type "" for any; several are separated by commas */
export function setType(schema: EventSchema, name: string, type: string): EventSchema {
  const types = type.split(", ");
  return withKeyword(schema, name, "type", type === "" ? undefined : types.length === 1 ? type : types);
}

/** @param values an empty list allows any */
export const setValues = (schema: EventSchema, name: string, values: readonly PlainValue[]): EventSchema =>
  withKeyword(schema, name, "enum", values.length === 0 ? undefined : values);

/** An empty list of required properties is left out. */
export function setRequired(schema: EventSchema, name: string, isRequired: boolean): EventSchema {
  const { required: _, ...others } = schema;
  const rest = requiredOf(schema).filter((other) => other !== name);
  const required = isRequired ? [...rest, name] : rest;
  if (required.length === 0) return others;
  return Object.hasOwn(schema, "required") ? { ...schema, required } : { ...others, required };
}

/** Adds a property with the types that were seen, or of any type. */
export function addProperty(
  schema: EventSchema,
  { name, seen }: Pick<PropertyRow, "name" | "seen">,
): EventSchema {
  const type = seen ? seenType(seen.types) : null;
  return withProperty(schema, name, type === null ? {} : { type });
}

export const removeProperty = (schema: EventSchema, name: string): EventSchema =>
  setRequired(withProperty(schema, name, undefined), name, false);

/** Separated by commas, which can be within quotation marks. */
const VALUE = /\s*("(?:[^"\\]|\\.)*"|[^,]*)(?:,|$)/gy;

function parseScalar(text: string): PlainValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainValue(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads what `formatValues` writes: for texts, only quotation marks mean JSON. */
export function parseValues(text: string, type: string): PlainValue[] {
  const parts = [...text.matchAll(VALUE)].map(([, part = ""]) => part.trim()).filter((part) => part !== "");
  return parts.map((part) => {
    const value = type === "string" && !part.startsWith('"') ? undefined : parseScalar(part);
    return value === undefined ? part : value;
  });
}

/** @returns for example `free, pro, 3`; a text that looks like another value has quotation marks */
export function formatValues(values: readonly PlainValue[], type: string): string {
  const format = (value: PlainValue) => {
    if (typeof value !== "string") return String(value);
    const [read, ...more] = parseValues(value, type);
    // a quotation mark would begin a text that ends in another value
    return read === value && more.length === 0 && !value.includes('"') ? value : JSON.stringify(value);
  };
  return values.map(format).join(", ");
}

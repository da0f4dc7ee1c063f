/**
 * Reads a property from the text of `properties`. ClickHouse parses the text only in events that have the name in it: a search
 * for the name costs a tenth of parsing. The texts are written by JSON.stringify, so a name is always spelt the same.
 */
import { hash } from "node:crypto";
import type { Bind } from "./statement.ts";

/** Names with more dots are read as one name, and as members within each other. */
const MAX_SPLIT_DOTS = 2;

/** The ways to read a name with dots, by precedence: `a.b` is the property of that name, or else the `b` in `a`. */
function readingsOf(name: string): string[][] {
  const parts = name.split(".");
  return parts.length > MAX_SPLIT_DOTS + 1 ? [[name], parts] : split(parts);
}

/** Every way to join neighbours, the longest first name first. */
const split = (parts: readonly string[]): string[][] =>
  parts.flatMap((_, index) => {
    const first = parts.slice(0, parts.length - index).join(".");
    const rest = parts.slice(parts.length - index);
    return rest.length === 0 ? [[first]] : split(rest).map((others) => [first, ...others]);
  });

/**
 * The parser of ClickHouse rejects a text with a whole number beyond 64 bits. Written with an exponent the number is a floating-point number.
 */
const TOLERABLE_TEXT = "replaceRegexpAll(properties, '([:,\\\\[](?:[0-9]{20,}|-[0-9]{19,}))', '\\\\1e0')";

/** Gives an expression a name by which the same statement can repeat it: statements have a largest size. */
function named(expression: string): { defined: string; again: string } {
  const again = `v_${hash("sha1", expression).slice(0, 12)}`;
  return { defined: `(${expression} AS ${again})`, again };
}

/** The JSON of the member at the path; empty: the event has none. */
function rawSql(bind: Bind, path: readonly string[]): string {
  const names = path.map((name) => bind("String", name)).join(", ");
  const hasName = `position(properties, ${bind("String", `${JSON.stringify(path.at(-1))}:`)}) > 0`;
  const raw = named(`JSONExtractRaw(properties, ${names})`);
  const tolerant = `if(${raw.defined} = '', JSONExtractRaw(${TOLERABLE_TEXT}, ${names}), ${raw.again})`;
  return `if(${hasName}, ${tolerant}, '')`;
}

/** A property's value as SQL, each NULL when the event has none or it has another type. */
interface PropertySql {
  readonly text: string;
  readonly number: string;
  /** A text, a number or a boolean with a letter for its type, so that "1" and 1 are different groups: see `propertyKeyOf`. */
  readonly key: string;
}

/** ClickHouse searches for at most this many texts at once. */
const MAX_SPELLINGS = 255;

/**
 * A cheap condition that every event with one of the values satisfies, and few others: the texts spell a name and its value side
 * by side. Without it, a filter parses each event that has the name, which took three times as long with 10 million events.
 */
export function maySpellSql(
  bind: Bind,
  name: string,
  values: readonly (string | number | boolean)[],
): string {
  const spellings = readingsOf(name).flatMap((path) =>
    values.map((value) => `${JSON.stringify(path.at(-1))}:${JSON.stringify(value)}`),
  );
  if (spellings.length === 0 || spellings.length > MAX_SPELLINGS) return "1";
  return `multiSearchAny(properties, ${bind("Array(String)", spellings)})`;
}

/** The name is bound. */
export function propertySql(bind: Bind, name: string): PropertySql {
  const bound = new Map<string, string>();
  const bindOnce: Bind = (type, value) => {
    const placeholder = bound.get(String(value)) ?? bind(type, value);
    bound.set(String(value), placeholder);
    return placeholder;
  };
  const readings = readingsOf(name).map((path) => rawSql(bindOnce, path));
  const raw = named(
    readings.length === 1 ? readings.join() : `coalesce(${readings.map((sql) => `nullIf(${sql}, '')`)}, '')`,
  );
  const { again } = raw;
  // few texts have escapes
  const decoded = `if(position(${again}, '\\\\') = 0, substring(${again}, 2, length(${again}) - 2), JSONExtractString(${again}))`;
  const isText = `startsWith(${raw.defined}, '"')`;
  return {
    text: `if(${isText}, ${decoded}, NULL)`,
    number: `toFloat64OrNull(${raw.defined})`,
    key: `multiIf(${isText}, concat('s', ${decoded}), match(${again}, '^[0-9-]'), concat('n', ${again}),
      ${again} IN ('true', 'false'), concat('b', ${again}), NULL)`,
  };
}

/** The key of a value. ClickHouse spells numbers as JSON.stringify does, but for the plus of an exponent. */
export const propertyKeyOf = (value: string | number | boolean): string =>
  typeof value === "string"
    ? `s${value}`
    : `${typeof value === "number" ? "n" : "b"}${JSON.stringify(value).replace("e+", "e")}`;

/** The value that a property's key stands for. */
export function parsePropertyKey(key: string): string | number | boolean {
  const value = key.slice(1);
  if (key.startsWith("n")) return Number(value);
  return key.startsWith("b") ? value === "true" : value;
}

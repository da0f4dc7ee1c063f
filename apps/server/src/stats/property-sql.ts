/**
 * Reads a property from the text of `properties`. ClickHouse parses the text only in events that have the name in it: a search
 * for the name costs a tenth of parsing. The texts are written by JSON.stringify, so a name is always spelt the same.
 */
import type { Bind } from "./sql.ts";

/** Names with more dots are read as one name, and as members within each other. */
const MAX_SPLIT_DOTS = 3;

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

/** The JSON of the member at the path; empty: the event has none. */
function rawSql(bind: Bind, path: readonly string[]): string {
  const names = path.map((name) => bind("String", name)).join(", ");
  const hasName = `position(properties, ${bind("String", `${JSON.stringify(path.at(-1))}:`)}) > 0`;
  const raw = `if(${hasName}, JSONExtractRaw(properties, ${names}), '')`;
  return `if(${hasName} AND ${raw} = '', JSONExtractRaw(${TOLERABLE_TEXT}, ${names}), ${raw})`;
}

/** A property's value as SQL: as a text, a number or a boolean, each NULL when the value has another type. */
export interface PropertySql {
  readonly text: string;
  readonly number: string;
  readonly boolean: string;
  /** The value with a letter for its type, so that "1" and 1 are different groups. `parsePropertyKey` reads it. */
  readonly key: string;
}

/** The name is bound. */
export function propertySql(bind: Bind, name: string): PropertySql {
  const readings = readingsOf(name).map((path) => rawSql(bind, path));
  const raw =
    readings.length === 1 ? readings.join() : `coalesce(${readings.map((sql) => `nullIf(${sql}, '')`)}, '')`;
  // few texts have escapes
  const decoded = `if(position(${raw}, '\\\\') = 0, substring(${raw}, 2, length(${raw}) - 2), JSONExtractString(${raw}))`;
  const text = `if(startsWith(${raw}, '"'), ${decoded}, NULL)`;
  return {
    text,
    number: `toFloat64OrNull(${raw})`,
    boolean: `multiIf(${raw} = 'true', true, ${raw} = 'false', false, NULL)`,
    key: `multiIf(startsWith(${raw}, '"'), concat('s', ${text}), match(${raw}, '^[0-9-]'), concat('n', ${raw}),
      ${raw} IN ('true', 'false'), concat('b', ${raw}), NULL)`,
  };
}

/** The value that a property's key stands for. */
export function parsePropertyKey(key: string): string | number | boolean {
  const value = key.slice(1);
  if (key.startsWith("n")) return Number(value);
  return key.startsWith("b") ? value === "true" : value;
}

/** Finds the values of dimensions by the names that the console shows for them. */
import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { normalizePath } from "@headwater/contract/path-pattern";
import { formatValue, isPathDimension } from "./value-names.ts";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** All codes of two letters: those that name a country or a language have a name. */
const TWO_LETTERS = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
const codesNamed = (dimension: "country" | "locale", codes: readonly string[], text: string): string[] =>
  codes.filter((code) => {
    const name = formatValue(dimension, code);
    return name !== code && name.toLowerCase().includes(text.toLowerCase());
  });
/** @returns the codes of the countries whose names contain the text */
export const countriesNamed = (text: string): string[] => codesNamed("country", TWO_LETTERS, text);
/** @returns the codes of the languages whose names contain the text */
export const languagesNamed = (text: string): string[] =>
  codesNamed(
    "locale",
    TWO_LETTERS.map((code) => code.toLowerCase()),
    text,
  );

/** Dimensions whose values people know by a name, however it is written: `germany`, `chrome`, `direct / unknown`. */
const NAMED: ReadonlySet<StatsDimension> = new Set([
  "country",
  "locale",
  "device",
  "browser",
  "os",
  "source",
  "channel",
  "referrer",
]);
/** @returns the value that the text is or names; the text itself when it names none of them */
export function valueNamed(
  dimension: StatsDimension,
  text: string,
  values: readonly StatsScalar[],
): StatsScalar {
  if (values.includes(text)) return text;
  if (isPathDimension(dimension))
    return (
      values.find((value) => value !== null && formatValue(dimension, value) === text) ?? normalizePath(text)
    );
  const name = text.trim().toLowerCase();
  const codes = dimension === "country" ? countriesNamed(name) : [];
  const found = [...values, ...codes].find(
    (value) =>
      (value === null || NAMED.has(dimension)) && formatValue(dimension, value).toLowerCase() === name,
  );
  return found === undefined ? text : found;
}

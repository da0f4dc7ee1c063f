/** Searches a list: in its values, and in the names that the console shows for them. */
import type { StatsDimension, StatsFilter } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { normalizePath } from "@headwater/contract/path-pattern";
import type { Breakdown } from "./breakdown.ts";
import { countriesNamed, languagesNamed } from "./named-values.ts";
import { isPathDimension, sitesNamed } from "./value-names.ts";

/** With a parent dimension, such as the browser of a version, each word is in one of the two values. */
export function searchFilters({ dimension, parent }: Breakdown, search: string): StatsFilter[] {
  if (search === "") return [];
  if (parent === undefined) return [{ or: matchesOf(dimension, search) }];
  const words = search.split(/\s+/).filter((word) => word !== "");
  return words.map((word) => ({ or: [...matchesOf(parent, word), ...matchesOf(dimension, word)] }));
}

/** The search is for text, and the API's pattern is a regular expression. */
const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Each letter as a path has it, in either case: `é` is `%C3%A9` there, and `É` is `%C3%89`. */
const pathPattern = (text: string): string =>
  [...text]
    .map((letter) => {
      if (normalizePath(letter) === letter) return escapePattern(letter);
      // `ß` has two letters in upper case
      const cases = [letter, letter.toLowerCase(), letter.toUpperCase()].filter(
        (one) => [...one].length === 1,
      );
      const forms = new Set(cases.map(normalizePath));
      return forms.size === 1 ? [...forms].join("") : `(?:${[...forms].join("|")})`;
    })
    .join("");

function matchesOf(dimension: StatsDimension, text: string): StatsFilter[] {
  const isMatch = (value: string): StatsFilter => ({ dimension, operator: "matches", value });
  const inValue = isMatch(`(?i)${isPathDimension(dimension) ? pathPattern(text) : escapePattern(text)}`);
  if (dimension === "country" || dimension === "site") {
    const named = dimension === "country" ? countriesNamed(text) : sitesNamed(text);
    const codes = inChunks(named, LIMITS.maxStatsValues);
    return [inValue, ...codes.map((value): StatsFilter => ({ dimension, operator: "in", value }))];
  }
  if (dimension !== "locale") return [inValue];
  // a tag such as de-AT is shown as Austrian German or German (Austria)
  const languages = inChunks(languagesNamed(text), PATTERN_CODES).map(
    (all) => `^(?:${all.join("|")})(?:-|$)`,
  );
  const places = inChunks(countriesNamed(text), PATTERN_CODES).map((all) => `-(?:${all.join("|")})$`);
  return [inValue, ...[...languages, ...places].map(isMatch)];
}

/** Codes of two letters in a pattern that is not too long for the API. */
const PATTERN_CODES = 80;

const inChunks = (all: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

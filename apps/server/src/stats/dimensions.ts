/** The closed table of what can be asked for by name, each with its expression over a row of `events`. */
import type { Issue, STATS_GRAINS, STATS_TEXT_DIMENSIONS, StatsDimension } from "@headwater/contract";
import type { Bind } from "./sql.ts";

export type TextName = (typeof STATS_TEXT_DIMENSIONS)[number];
export type Dimension =
  | { readonly kind: "time"; readonly grain: (typeof STATS_GRAINS)[number] }
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "text"; readonly name: TextName };

const TIME = "time:";
const PROPERTY = "property:";

/** @param word one that the contract's pattern let in */
export function readDimension(word: StatsDimension): Dimension {
  if (word.startsWith(TIME))
    return { kind: "time", grain: word.slice(TIME.length) as (typeof STATS_GRAINS)[number] };
  if (word.startsWith(PROPERTY)) return { kind: "property", name: word.slice(PROPERTY.length) };
  return { kind: "text", name: word as TextName };
}

interface Text {
  /** `event`: of the event itself; `entry`: of the first of its session; `exit`: of the last, page views before others. */
  readonly of: "event" | "entry" | "exit";
  readonly sql: string;
}

/** Text or null, each of its own type: a group that is missing is one of its own. */
export const TEXTS: Readonly<Record<TextName, Text>> = {
  page: { of: "event", sql: "page.path" },
  host: { of: "event", sql: "page.host" },
  event: { of: "event", sql: "name" },
  entryPage: { of: "entry", sql: "page.path" },
  exitPage: { of: "exit", sql: "page.path" },
  referrer: { of: "entry", sql: "page.referrerHost" },
  utmSource: { of: "entry", sql: "page.utm.source" },
  utmMedium: { of: "entry", sql: "page.utm.medium" },
  utmCampaign: { of: "entry", sql: "page.utm.campaign" },
  utmTerm: { of: "entry", sql: "page.utm.term" },
  utmContent: { of: "entry", sql: "page.utm.content" },
  clickId: { of: "entry", sql: "if(empty(page.clickIds), NULL, arrayMin(mapKeys(page.clickIds)))" },
  device: { of: "entry", sql: "device.device" },
  browser: { of: "entry", sql: "device.browser" },
  os: { of: "entry", sql: "device.os" },
  locale: { of: "entry", sql: "locale" },
  country: { of: "entry", sql: "country" },
};

export const asText = (sql: string): string => `CAST(${sql} AS Nullable(String))`;

/** A property's value as far as it is a text, a number or a boolean; null where it is none. */
export interface PropertyValue {
  readonly text: string;
  readonly number: string;
  readonly boolean: string;
  /** All three as one text that tells them apart; `readKey` reads it. */
  readonly key: string;
}

/** Some names the engine reads as a subcolumn of a type: what is under them cannot be asked for. */
export const propertyIssue = (name: string, path: (string | number)[]): Issue[] =>
  /(?:^\^|\.:)`/.test(name)
    ? [
        {
          path,
          code: "invalid_value",
          message: "names a property that cannot be asked for: it has .:` in it, or begins with ^`",
        },
      ]
    : [];

/** Its name is bound; one that reads like a subcolumn of another type gives no Dynamic, and so is made one. */
export function propertyOf(bind: Bind, name: string): PropertyValue {
  const value = `CAST(getSubcolumn(properties, ${bind("String", name)}) AS Dynamic)`;
  const element = (type: string) => `dynamicElement(${value}, '${type}')`;
  const number = `coalesce(${["Float64", "Int64", "UInt64"].map((type) => `toFloat64(${element(type)})`).join(", ")})`;
  const [text, boolean] = [element("String"), element("Bool")];
  const key = `coalesce(concat('s', ${text}), concat('n', toString(${number})), concat('b', toString(${boolean})))`;
  return { text, number, boolean, key };
}

/** From a property's key to the value that it stands for. */
export function readKey(key: string): string | number | boolean {
  const value = key.slice(1);
  if (key.startsWith("n")) return Number(value);
  return key.startsWith("b") ? value === "true" : value;
}

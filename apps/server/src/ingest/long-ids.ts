/** Ids that are numbers, such as those of a database or of a GA4 cookie, keep the digits that a double does not hold. */
import { randomBytes } from "node:crypto";
import type { Reviver } from "../core/exact-json.ts";
import { toStorable } from "../core/text.ts";

/** Begins the text of a long number that may be an id. Strangers cannot know it. */
const MARK = randomBytes(12).toString("hex");
const LONG_NUMBER = /\d[\d.]{15}/;
const ID_NAME = /id$/i;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

export const mayHaveLongIds = (text: string): boolean => LONG_NUMBER.test(text);

/** Reads long numbers that may be ids as marked texts. */
export const markLongIds: Reviver = (name, value, { source = "" } = {}) =>
  typeof value === "number" && ID_NAME.test(name) && LONG_NUMBER.test(source) && PLAIN_NUMBER.test(source)
    ? MARK + source
    : value;

/** The id that a text is: the digits of a marked one. */
export const unmarked = (text: string): string => (text.startsWith(MARK) ? text.slice(MARK.length) : text);

/** Reads a text of an event: a marked one that was not read as an id is a number. */
export const numberOrText = (text: string): number | string =>
  text.startsWith(MARK) ? Number(unmarked(text)) : toStorable(text);

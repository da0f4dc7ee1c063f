/** Ids that are numbers, such as those of a database or of a GA4 cookie, keep the digits that a double does not hold. */
import { randomBytes } from "node:crypto";
import { toStorable } from "../core/text.ts";

/** Begins the text of a long number that may be an id. Strangers cannot know it. */
const MARK = randomBytes(12).toString("hex");
const LONG_NUMBER = /\d[\d.]{15}/;
const ID_NAME = /id$/i;
/** A string, and the plain number that follows it if it is the name of one. */
const MEMBER = /"([^"\\]*(?:\\.[^"\\]*)*)"(?:(\s*:\s*)(-?\d+(?:\.\d+)?)(?=\s*[,}]))?/gs;

export const mayHaveLongIds = (text: string): boolean => LONG_NUMBER.test(text);

const isIdName = (name: string) => ID_NAME.test(name.includes("\\") ? JSON.parse(`"${name}"`) : name);

/**
 * Writes long numbers that may be ids as marked texts. A reviver of JSON.parse would overflow the stack in a deep text.
 * @param text is JSON
 */
export const markLongIds = (text: string): string =>
  text.replace(MEMBER, (member: string, name: string, colon: string, number: string | undefined) =>
    number !== undefined && LONG_NUMBER.test(number) && isIdName(name)
      ? `"${name}"${colon}"${MARK}${number}"`
      : member,
  );

/** The id that a text is: the digits of a marked one. */
export const unmarked = (text: string): string => (text.startsWith(MARK) ? text.slice(MARK.length) : text);

/** Reads a text of an event: a marked one that was not read as an id is a number. */
export const numberOrText = (text: string): number | string =>
  text.startsWith(MARK) ? Number(unmarked(text)) : toStorable(text);

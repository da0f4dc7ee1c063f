/**
 * JSON.parse for texts of strangers. V8 may take a name with an escape for the name that an earlier object had in its place: having read
 * `{"a":1,"\\":2}`, Node 24 reads `{"a":1,"\n":2}` as `{"a":1,"\\":2}`. So such names are written without escapes while V8 reads them.
 */
import { randomBytes } from "node:crypto";

/** A name that begins with it is written in hexadecimal digits. Strangers cannot know it. */
const MARK = randomBytes(12).toString("hex");
const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/gs;
/** From an escape to the end of its string, and the colon if that is a name. */
const REST_OF_STRING = /(?:\\.[^"\\]*)+"\s*(:?)/sy;
/** More than any body that is read. Names within are not restored. */
const MAX_DEPTH = 1_000;

function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", REST_OF_STRING.lastIndex)) {
    REST_OF_STRING.lastIndex = at;
    const rest = REST_OF_STRING.exec(text);
    if (rest === null) return false;
    if (rest[1] === ":") return true;
  }
  return false;
}

function markName(string: string, content: string, colon: string | undefined): string {
  if (colon === undefined || !content.includes("\\")) return string;
  const name: string = JSON.parse(`"${content}"`);
  const plain = JSON.stringify(name);
  // a repeated name is one text, so that the last value is used
  return plain.includes("\\")
    ? `"${MARK}${Buffer.from(name, "utf16le").toString("hex")}"${colon}`
    : plain + colon;
}

const nameOf = (name: string): string =>
  name.startsWith(MARK) ? Buffer.from(name.slice(MARK.length), "hex").toString("utf16le") : name;

function restoreNames(value: unknown, levelsLeft: number): unknown {
  if (typeof value !== "object" || value === null || levelsLeft === 0) return value;
  if (Array.isArray(value)) return value.map((item) => restoreNames(item, levelsLeft - 1));
  const members = Object.entries(value).map(([name, item]) => [
    nameOf(name),
    restoreNames(item, levelsLeft - 1),
  ]);
  return Object.fromEntries(members);
}

/** @throws SyntaxError */
export function parseExactJson(text: string): ReturnType<typeof JSON.parse> {
  if (!hasEscapedName(text)) return JSON.parse(text);
  // throws for what is not JSON: to search strings in a text with an open quote would take a time that grows with its square
  JSON.parse(text);
  return restoreNames(JSON.parse(text.replace(STRING, markName)), MAX_DEPTH);
}

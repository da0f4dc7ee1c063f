/** Masks secrets by their names in a text: in query strings, pairs, XML elements and the parts of a form. */

import { createOauthCheck, isSecretName, isSecretParameter } from "./secret-names.ts";
import { MASKED } from "./secret-values.ts";

/** A name is searched in this many characters before its `=` or `:`. */
const NAME_WINDOW = 120;
const BEFORE_QUERY_NAME = /[?&;#\s"'<>(){},/\\=:]/;
const BEFORE_PAIR_NAME = /[?&;#\r\n"'<>(){},/\\=:]/;
const AFTER_VALUE = /[&#\s"<>]/g;
const AFTER_JSON = /[&#]/g;
/** `{…` and `["…`, but not `[masked]`. */
const PLAIN_JSON = /\{|\[["{[\d\s\]]/y;
/** A value that is JSON, percent-encoded or not: `{…`, `%7B…`, `%5B…`. */
const JSON_VALUE = /[{[]|%(?:25)*[57]b/iy;

/** The text with its percent-encoded ASCII characters decoded, up to four times. */
function decoded(text: string): string {
  let now = text;
  for (let level = 0; level < 4 && now.includes("%"); level++) {
    const before = now;
    now = now.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (now === before) break;
  }
  return now;
}

/** The name that ends at `end` and does not start before `floor`. A name that is longer than the window is cut. */
function nameBefore(text: string, end: number, floor: number, ends: RegExp): string {
  const window = text.slice(Math.max(floor, end - NAME_WINDOW), end);
  const plain = window.includes("%") ? decoded(window) : window;
  let start = plain.length;
  while (start > 0 && !ends.test(plain.charAt(start - 1))) start--;
  return plain.slice(start);
}

/** The end of a query value. JSON that is not encoded may contain spaces and quotes. After an encoded `=` (`%3D`, `%253D`), an `&` that is encoded the same number of times ends it. */
function valueEnd(text: string, equals: string, from: number): number {
  PLAIN_JSON.lastIndex = from;
  const after = PLAIN_JSON.test(text) ? AFTER_JSON : AFTER_VALUE;
  after.lastIndex = from;
  const end = after.exec(text)?.index ?? text.length;
  if (equals === "=") return end;
  const ampersand = text.indexOf(`${equals.slice(0, -2)}26`, from);
  return ampersand === -1 ? end : Math.min(end, ampersand);
}

type MaskText = (text: string) => string;

/**
 * Masks `token=abc` anywhere in a string, with plain or encoded names and delimiters.
 * @param maskJson masks a value that is JSON. The value is then shown decoded
 */
export function maskQuery(text: string, maskJson: MaskText): string {
  const oauth = createOauthCheck(text);
  const maskJsonValue: MaskText = (value) => {
    const json = decoded(value);
    const masked = maskJson(json);
    return masked === json ? value : masked;
  };
  /** How the value after `from` is masked; null: not at all. */
  const maskOf = (name: string, from: number): MaskText | null => {
    if (isSecretParameter(name)) return () => MASKED;
    if (oauth.isName(name)) return (value) => (oauth.isSecret(name, value) ? MASKED : value);
    JSON_VALUE.lastIndex = from;
    return JSON_VALUE.test(text) ? maskJsonValue : null;
  };
  const equals = /=|%(?:25)*3d/gi;
  let masked = "";
  let kept = 0;
  let floor = 0;
  for (let at = equals.exec(text); at !== null; at = equals.exec(text)) {
    const from = at.index + at[0].length;
    const mask = maskOf(nameBefore(text, at.index, floor, BEFORE_QUERY_NAME), from);
    floor = mask ? valueEnd(text, at[0], from) : from;
    if (mask && floor > from) {
      masked += text.slice(kept, from) + mask(text.slice(from, floor));
      kept = floor;
    }
    equals.lastIndex = floor;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** Masks `"token": "abc"` and `Cookie: a=b` in a text that cannot be parsed. It masks too much rather than too little. */
export function maskPairs(text: string): string {
  const sign = /\\{0,8}["']?\s{0,8}[:=]\s{0,8}/g;
  let masked = "";
  let kept = 0;
  let floor = 0;
  for (let at = sign.exec(text); at !== null; at = sign.exec(text)) {
    const from = at.index + at[0].length;
    const secret = isSecretName(nameBefore(text, at.index, floor, BEFORE_PAIR_NAME));
    floor = secret ? pairEnd(text, from, at[0].includes("=")) : from;
    if (secret && floor > from) {
      masked += text.slice(kept, from) + MASKED;
      kept = floor;
    }
    sign.lastIndex = floor;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/**
 * The end of a value: after its closing quote, or at the end of the word (after `=`) or of the line (after `:`). An object or
 * a list extends to the end of the text.
 */
function pairEnd(text: string, from: number, equals: boolean): number {
  const quote = /\\{0,8}["']/y;
  quote.lastIndex = from;
  const opening = quote.exec(text)?.[0];
  if (opening === undefined) {
    if (!equals && (text[from] === "{" || text[from] === "[")) return text.length;
    const end = text.slice(from).search(equals ? /[\s&#"'<>,;}]/ : /[\r\n}]/);
    return end === -1 ? text.length : from + end;
  }
  let end = text.indexOf(opening, from + opening.length);
  while (end !== -1 && text[end - 1] === "\\") end = text.indexOf(opening, end + opening.length);
  return end === -1 ? text.length : end + opening.length;
}

/** The start tag of an XML element. Its content ends with the end tag of the same name. */
const START_TAG = /<(?<name>[^\s<>/"'=?!]{1,120})(?:\s[^<>]*)?(?<!\/)>/g;
/** The head of a part of a form (multipart/form-data). Its content ends with the next boundary. */
const PART_HEAD = /\bname="(?<name>[^"\r\n]{1,120})"[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,5}\r?\n/g;

/** Masks what follows each head with a secret name, until its end. */
function maskAfter(text: string, head: RegExp, endOf: (name: string, from: number) => number): string {
  let masked = "";
  let kept = 0;
  head.lastIndex = 0;
  for (let at = head.exec(text); at !== null; at = head.exec(text)) {
    const name = at.groups?.name ?? "";
    if (!isSecretName(name.replace(/^.*:/, ""))) continue; // without the namespace of an element
    const from = head.lastIndex;
    const end = endOf(name, from);
    const to = end === -1 ? text.length : end;
    if (to > from) masked += text.slice(kept, from) + MASKED;
    kept = to > from ? to : kept;
    head.lastIndex = to;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** Masks elements of XML with secret names. */
export const maskElements = (text: string): string =>
  maskAfter(text, START_TAG, (name, from) => text.indexOf(`</${name}`, from));

/** Masks parts of a form with secret names. */
export const maskFormParts = (text: string): string =>
  maskAfter(text, PART_HEAD, (_name, from) => text.indexOf("\n--", from));

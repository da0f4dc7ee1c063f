/** Masks secrets and personal data before they are stored: values of secret names, query strings, e-mail addresses. */
import { maskEmails, mayHoldEmail } from "./email.ts";
import { nestsDeeply } from "./nesting.ts";
import { isSecretName, mayNameSecret } from "./secrets.ts";

export const MASKED = "[masked]";

/** A name is searched in this many characters before its `=` or `:`. */
const NAME_WINDOW = 120;
const QUERY_NAME = /[^?&;#\s"'<>(){},/\\=:]*$/;
const PAIR_NAME = /[^?&;#\r\n"'<>(){},/\\=:]*$/;

/**
 * Masks a JSON text that does not nest deeply. null if the text is not JSON. A text without secrets, the usual case, is
 * searched but not parsed.
 */
export function maskJson(text: string): string | null {
  const escaped = text.includes("\\") && mayHoldEmail(text);
  if (!escaped && !mayNameSecret(text)) return maskEmails(text);
  try {
    return JSON.stringify(maskValue(JSON.parse(text)));
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Masks a value in place. The recursion is bounded, because texts that nest deeply are not parsed. */
function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskString(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = maskValue(value[index]);
    return value;
  }
  if (isRecord(value)) maskMembers(value);
  return value;
}

/** In parsed objects `__proto__` is an ordinary member, so assigning to it only replaces its value. */
function maskMembers(members: Record<string, unknown>): void {
  for (const name of Object.keys(members)) {
    const value = members[name];
    const masked = isSecretName(name) ? maskSecret(value) : maskValue(value);
    const maskedName = maskString(name);
    if (maskedName !== name) delete members[name];
    if (maskedName !== name || masked !== value) members[maskedName] = masked;
  }
}

/** Secrets that are null, empty or a boolean stay visible. */
function maskSecret(value: unknown): unknown {
  return value === null || value === "" || typeof value === "boolean" ? value : MASKED;
}

/** Masks a string, and JSON or a query string inside it. */
export function maskString(text: string): string {
  if (text.length < 3) return text;
  if (!mayNameSecret(text)) return maskEmails(text);
  return maskEmails(maskQuery(maskNested(text)));
}

function maskNested(text: string): string {
  if (!/^\s*[{["]/.test(text)) return text;
  return (nestsDeeply(text) ? null : maskJson(text)) ?? maskPairs(text);
}

/** Masks a text of unknown form, such as the head of a body that is not JSON. */
export function maskText(text: string): string {
  const plain = text.replace(/\\u00([2-7][0-9a-f])/gi, (written, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w@.%=-]/.test(char) ? char : written;
  });
  return maskEmails(maskPairs(maskQuery(plain)));
}

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

/** The name that ends at `end` and does not start before `floor`. */
function nameBefore(text: string, end: number, floor: number, name: RegExp): string {
  const window = decoded(text.slice(Math.max(floor, end - NAME_WINDOW), end));
  return name.exec(window)?.[0] ?? "";
}

/** The end of a query value. After an encoded `=` (`%3D`, `%253D`), an `&` that is encoded the same number of times ends it. */
function valueEnd(text: string, equals: string, from: number): number {
  const ends = /[&#\s"<>]/g;
  ends.lastIndex = from;
  const end = ends.exec(text)?.index ?? text.length;
  if (equals === "=") return end;
  const ampersand = text.indexOf(`${equals.slice(0, -2)}26`, from);
  return ampersand === -1 ? end : Math.min(end, ampersand);
}

/** Masks `token=abc` anywhere in a string, with plain or encoded names and delimiters. */
function maskQuery(text: string): string {
  const equals = /=|%(?:25)*3d/gi;
  let masked = "";
  let kept = 0;
  let floor = 0;
  for (let at = equals.exec(text); at !== null; at = equals.exec(text)) {
    const from = at.index + at[0].length;
    const secret = isSecretName(nameBefore(text, at.index, floor, QUERY_NAME));
    floor = secret ? valueEnd(text, at[0], from) : from;
    if (secret && floor > from) {
      masked += text.slice(kept, from) + MASKED;
      kept = floor;
    }
    equals.lastIndex = floor;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** Masks `"token": "abc"` and `Cookie: a=b` in a text that cannot be parsed. It masks too much rather than too little. */
function maskPairs(text: string): string {
  const sign = /\\{0,8}["']?\s{0,8}[:=]\s{0,8}/g;
  let masked = "";
  let kept = 0;
  let floor = 0;
  for (let at = sign.exec(text); at !== null; at = sign.exec(text)) {
    const from = at.index + at[0].length;
    const secret = isSecretName(nameBefore(text, at.index, floor, PAIR_NAME));
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

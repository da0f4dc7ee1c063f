/** The normalized form of a path, patterns of paths, whose matching takes linear time, and a source's rules for paths. */
import type { PathRules } from "./source-fields.ts";

/** Characters that the one form of a path may write in another way. */
const MAY_CHANGE = /[^\x21-\x7e]|["%<>^`{|}]/;
/** Characters that no path has as they are (RFC 3986). */
const ENCODED_IN_PATHS = /[^\x21-\x7e]+|["<>^`{|}]+/g;
/** One after a half percent-encoding stays encoded, so that both do not become another: `%4%41`. */
const ENCODED_BYTE = /(?<!%[0-9a-f]?)%[0-9a-f]{2}/gi;
const UNRESERVED = /[\w.~-]/;

/**
 * A normalized path, as paths are stored and compared (RFC 3986, 6.2.2): unreserved characters as they are, all others that
 * need it percent-encoded in capital letters. What is not percent-encoding stays as it is.
 * @returns for example `/caf%C3%A9` for `/café`, `/caf%c3%a9` and `/c%61f%C3%A9`
 */
export function normalizePath(path: string): string {
  if (!MAY_CHANGE.test(path)) return path;
  const encoded = path.toWellFormed().replaceAll(ENCODED_IN_PATHS, encodeURIComponent);
  if (!encoded.includes("%")) return encoded;
  return encoded.replaceAll(ENCODED_BYTE, (byte) => {
    const character = String.fromCharCode(Number.parseInt(byte.slice(1), 16));
    return UNRESERVED.test(character) ? character : byte.toUpperCase();
  });
}

/** A percent-encoded character beyond ASCII. */
const ENCODED_LETTER = /%[CD].%[89AB].|%E.(?:%[89AB].){2}|%F[0-4](?:%[89AB].){3}/g;

/** Spaces, and what is not seen or turns the text around it. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

function decode(text: string): string {
  try {
    const letter = decodeURIComponent(text);
    return INVISIBLE.test(letter) ? text : letter;
  } catch {
    return text;
  }
}

/** @param path in its normalized form. @returns the same path as people read it: characters beyond ASCII that are seen are decoded */
export const readablePath = (path: string): string =>
  path.includes("%") ? path.replaceAll(ENCODED_LETTER, decode) : path;

/** @param path in its normalized form. @returns the path with the letters of every script in lower case, in its normalized form */
export const lowerCasePath = (path: string): string =>
  path.includes("%") ? normalizePath(readablePath(path).toLowerCase()) : path.toLowerCase();

function matches(pieces: readonly string[], path: string): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = path.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return path.length - last.length >= from && path.endsWith(last);
}

/** In these patterns, `*` matches any characters, `/` included. @returns a function that tells whether one of the patterns matches a path */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.map((pattern) => pattern.split("*"));
  return (path) => all.some((pieces) => matches(pieces, path));
}

/** Whether a part of a path matches a part of a pattern, where `*` alone needs at least one character. */
const matchesPart = (pieces: readonly string[], part: string | undefined): boolean =>
  part !== undefined && (part !== "" || pieces.length === 1) && matches(pieces, part);

/** The parts of a pattern before and after its `**`. `after` is null if it has none. */
interface PagePattern {
  readonly text: string;
  readonly before: readonly (readonly string[])[];
  readonly after: readonly (readonly string[])[] | null;
}

function parsePagePattern(text: string): PagePattern {
  const parts = text.split("/").map((part) => (part === "**" ? null : part.split("*")));
  const at = parts.indexOf(null);
  const pieces = parts.filter((part) => part !== null);
  return at === -1
    ? { text, before: pieces, after: null }
    : { text, before: pieces.slice(0, at), after: pieces.slice(at) };
}

function matchesPage({ before, after }: PagePattern, parts: readonly string[]): boolean {
  const start = parts.length - (after?.length ?? 0);
  if (after === null ? parts.length !== before.length : start <= before.length) return false;
  return (
    before.every((pieces, index) => matchesPart(pieces, parts[index])) &&
    (after ?? []).every((pieces, index) => matchesPart(pieces, parts[start + index]))
  );
}

/**
 * In these patterns, `*` matches characters of one part of a path, and `**` one or more whole parts. A path that is a pattern
 * stays as it is, so that paths can be merged again.
 * @returns a function that replaces a path by the first pattern that matches it
 */
export function pathMerger(patterns: readonly string[]): (path: string) => string {
  const texts = new Set(patterns);
  const parsed = patterns.map(parsePagePattern);
  return (path) => {
    if (parsed.length === 0 || texts.has(path)) return path;
    const parts = path.split("/");
    return parsed.find((pattern) => matchesPage(pattern, parts))?.text ?? path;
  };
}

const INDEX_FILE = /^index\.[a-z0-9]{1,5}$/i;

/** Removes files such as `index.html`, and slashes, from the end of a path. */
function cleanEnd(path: string, { removeIndex, removeTrailingSlash }: PathRules): string {
  const parts = removeTrailingSlash ? path.replace(/\/{2,}/g, "/").split("/") : path.split("/");
  const isRemoved = (part: string) =>
    part === "" ? removeTrailingSlash : removeIndex && INDEX_FILE.test(part);
  let length = parts.length;
  while (length > 1 && isRemoved(parts[length - 1] ?? "")) length--;
  if (length === parts.length) return parts.join("/");
  const endsWithSlash = length === 1 || !removeTrailingSlash;
  return parts.slice(0, length).join("/") + (endsWithSlash ? "/" : "");
}

/** @returns a function that writes a pattern as paths are stored: in its normalized form, and in lower case if the rules ask for that */
export const storedPattern =
  ({ lowerCase }: Pick<PathRules, "lowerCase">) =>
  (pattern: string): string =>
    lowerCase ? lowerCasePath(normalizePath(pattern)) : normalizePath(pattern);

/** @returns a function that changes a path in its normalized form as the rules say */
export function pathCleaner(rules: PathRules): (path: string) => string {
  const { removeIndex, removeTrailingSlash, lowerCase, patterns } = rules;
  const merge = pathMerger(patterns.map(storedPattern(rules)));
  return (path) => {
    const end = removeIndex || removeTrailingSlash ? cleanEnd(path, rules) : path;
    return merge(lowerCase ? lowerCasePath(end) : end);
  };
}

/** Texts for the `*` of a pattern: nothing, a part of a path, and two parts. */
const EXAMPLES = ["", "0", "0/0"];

/**
 * How the rules store a path that a pattern matches, if they leave no path that it matches: `/shop` for `/shop/` with
 * `removeTrailingSlash`.
 * @returns null when the pattern can match a stored path
 */
export function neverStored(rules: PathRules, pattern: string): string | null {
  const stored = storedPattern(rules)(pattern);
  const clean = pathCleaner(rules);
  const cleaned = EXAMPLES.map((text) => clean(stored.replaceAll("*", text)));
  return cleaned.some(pathMatcher([stored])) ? null : (cleaned[1] ?? null);
}

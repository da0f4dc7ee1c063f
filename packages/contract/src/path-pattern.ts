/** Patterns of paths. Matching takes linear time. */

/** Characters that browsers percent-encode in the path of a URL. */
const ENCODED_IN_PATHS = /[^\x21-\x7e]+|["<>`{}]+/g;

/** @returns for example `/caf%C3%A9` for `/café`: people type paths as they read them, and events have them as URLs do */
export const encodePath = (path: string): string =>
  path.toWellFormed().replaceAll(ENCODED_IN_PATHS, encodeURIComponent);

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

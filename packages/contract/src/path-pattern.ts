/** Path patterns: `*` matches any characters, `/` included. Matching takes linear time. */

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

/** @returns a function that tells whether one of the patterns matches a path */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.map((pattern) => pattern.split("*"));
  return (path) => all.some((pieces) => matches(pieces, path));
}

/** Patterns of paths: `*` stands for any characters, `/` among them; everything else for itself. Linear, whatever the path. */

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

/** Does one of the patterns stand for the path? */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.map((pattern) => pattern.split("*"));
  return (path) => all.some((pieces) => matches(pieces, path));
}

/** How deep a kept JSON text may nest: far beyond any body that is used, far below what a stack takes. */
const DEEPEST = 500;

function count(text: string, sign: string, enough: number): number {
  let found = 0;
  for (let at = text.indexOf(sign); at !== -1 && found <= enough; at = text.indexOf(sign, at + 1)) found++;
  return found;
}

/** The end of the JSON string that begins at `start`, past its closing quote; the text's end when it has none. */
export function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Whether a text may nest deeper than is safe to walk; few brackets, the ordinary case, settle it at once. */
export function nestsDeeply(text: string): boolean {
  if (count(text, "{", DEEPEST) + count(text, "[", DEEPEST) <= DEEPEST) return false;
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const char = text[index];
    if (char === '"') {
      index = stringEnd(text, index);
      continue;
    }
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth > DEEPEST) return true;
    index++;
  }
  return false;
}

/** Finds strings and nesting in a JSON text without parsing it. */

/** Deeper texts are not parsed. Real bodies are far below this, and the stack overflows far above it. */
const MAX_NESTING = 500;

/** Counts how often a character occurs, and stops at `enough` + 1. */
function count(text: string, sign: string, enough: number): number {
  let found = 0;
  for (let at = text.indexOf(sign); at !== -1 && found <= enough; at = text.indexOf(sign, at + 1)) found++;
  return found;
}

/** The index after the closing quote of the JSON string that starts at `start`, or the length of the text. */
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

/** Whether a JSON text nests too deeply to be parsed. A text with few brackets, the usual case, is decided by counting. */
export function nestsDeeply(text: string): boolean {
  if (count(text, "{", MAX_NESTING) + count(text, "[", MAX_NESTING) <= MAX_NESTING) return false;
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
    if (depth > MAX_NESTING) return true;
    index++;
  }
  return false;
}

/** E-mail addresses in a text, also with an encoded at sign (`%40`, `%2540`, `\u0040`), replaced in one linear pass. */
import { encodesUnusual } from "./secrets.ts";

export const EMAIL = "[email]";

const AT = /@|%(?:25)*40|\\u0040/g;
const ENCODED_AT = /%(?:25)*40/;
const ENCODED = /%(?:25)*([0-9a-f]{2})/iy;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** What an address may hold before the at sign, without what parts a URL (`/ ? & =`). */
const LOCAL = charTable("!#$%'*+-.^_`{|}~");
const DOMAIN = charTable("-._");

function charTable(signs: string): Uint8Array {
  const table = new Uint8Array(128);
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (const char of `0123456789${letters}${letters.toUpperCase()}${signs}`) table[char.charCodeAt(0)] = 1;
  return table;
}

function belongs(table: Uint8Array, code: number): boolean {
  return code < 128 ? table[code] === 1 : LETTER.test(String.fromCharCode(code));
}

/** The `%xx` that begins at `index`: its byte and its length. */
function encodedAt(text: string, index: number): { byte: number; length: number } | null {
  ENCODED.lastIndex = index;
  const match = ENCODED.exec(text);
  return match === null ? null : { byte: Number.parseInt(match[1]!, 16), length: match[0].length };
}

function localStart(text: string, at: number, floor: number): number {
  let start = at;
  while (start > floor) {
    const code = text.charCodeAt(start - 1);
    if (!belongs(LOCAL, code)) return start;
    if (code === 37) {
      const encoded = encodedAt(text, start - 1);
      if (encoded && encoded.byte < 128 && !belongs(LOCAL, encoded.byte)) {
        return Math.min(at, start - 1 + encoded.length);
      }
    }
    start--;
  }
  return start;
}

function domainEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (belongs(DOMAIN, code)) {
      end++;
      continue;
    }
    const encoded = code === 37 ? encodedAt(text, end) : null;
    if (!encoded || (encoded.byte < 128 && !belongs(DOMAIN, encoded.byte))) break;
    end += encoded.length;
  }
  while (end > from && text[end - 1] === ".") end--;
  return end;
}

/** False: no at sign is in the text, however it is encoded. */
export function mayHoldEmail(text: string): boolean {
  return text.includes("@") || text.includes("\\u0040") || (encodesUnusual(text) && ENCODED_AT.test(text));
}

/**
 * Every address becomes `[email]`. In a JSON text this is safe as long as the text has no backslash: the
 * letter of an escape would be taken for a part of the address.
 */
export function maskEmails(text: string): string {
  if (!mayHoldEmail(text)) return text;
  let masked = "";
  let kept = 0;
  let floor = 0;
  AT.lastIndex = 0;
  for (let at = AT.exec(text); at !== null; at = AT.exec(text)) {
    const after = at.index + at[0].length;
    const start = localStart(text, at.index, floor);
    const end = domainEnd(text, after);
    if (start < at.index && end > after) {
      masked += text.slice(kept, start) + EMAIL;
      kept = end;
    }
    floor = end;
    AT.lastIndex = end;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

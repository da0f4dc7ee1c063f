/**
 * Masks e-mail addresses in a text in one linear pass, even with an encoded at sign (`%40`, `%2540`, `\u0040`). Versions
 * (`react@18.2.0`), files (`logo@2x.png`) and names without a dot (`A@B`) stay.
 */
import { decodePercent } from "./percent.ts";
import { encodesUnusual } from "./secret-names.ts";

export const EMAIL = "[email]";

const AT = /@|%(?:25)*40|\\u0040/g;
const ENCODED_AT = /%(?:25)*40/;
const ENCODED = /%(?:25)*([0-9a-f]{2})/iy;
const LETTER = /[\p{L}\p{N}\p{M}\p{Cf}]/u;
/** The local part of `"ann smith"@mail.example`, at its end. */
const QUOTED = /\\?"[^"\r\n<>:{}]{1,64}"$/;
const MAX_QUOTED = 68;
/** Characters before the at sign of an address. Those that separate parts of a URL (`/ ? & = #`) are left out. */
const LOCAL = charTable("!$%'*+-.^_`{|}~");
const DOMAIN = charTable("-._");
/** A label after a dot that a top-level domain can be; the extension of a file is none, as in `logo@2x.png`. */
const TOP_LABEL =
  /\.(?!(?:avif|bundle|chunk|css|csv|gif|html?|ico|jpe?g|json|jsx?|map|min|mjs|mp[34]|pdf|php|png|svg|tsx|txt|web[mp]|woff2?|xml|ya?ml)(?:[-_.]|$))(?:xn--[\w-]+|[\p{L}\p{M}\p{Cf}]+)(?=[-_.]|$)/iu;
/** The version of a package with letters: `18.x`, `1.2.3-beta.two` and `4.1.0.Final`. */
const VERSION =
  /\d(?:\.x)+$|^v?\d+(?:\.\d+)+(?:\.\d+-|[-.](?:alpha|beta|canary|dev|final|next|nightly|post|pre|rc|release|snapshot))/i;
/** A dot that another script or HTML writes. */
const OTHER_DOT = /[\u3002\uff0e\uff61]|&(?:#0*46|#x0*2e|period);|\\u002e/iy;

function charTable(signs: string): Uint8Array {
  const table = new Uint8Array(128);
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (const char of `0123456789${letters}${letters.toUpperCase()}${signs}`) table[char.charCodeAt(0)] = 1;
  return table;
}

function isIn(table: Uint8Array, code: number): boolean {
  return code < 128 ? table[code] === 1 : LETTER.test(String.fromCharCode(code));
}

/** The byte and the length of the percent-encoding that starts at `index`. */
function encodedAt(text: string, index: number): { byte: number; length: number } | null {
  ENCODED.lastIndex = index;
  const match = ENCODED.exec(text);
  if (match === null) return null;
  const [whole, hex = ""] = match;
  return { byte: Number.parseInt(hex, 16), length: whole.length };
}

/** The start of the address whose at sign is at `at`. */
function localStart(text: string, at: number, floor: number): number {
  if (text[at - 1] === '"') {
    const quoted = QUOTED.exec(text.slice(Math.max(floor, at - MAX_QUOTED), at));
    return quoted ? at - quoted[0].length : at;
  }
  let start = at;
  while (start > floor) {
    const code = text.charCodeAt(start - 1);
    if (!isIn(LOCAL, code)) return start;
    if (code === 37) {
      const encoded = encodedAt(text, start - 1);
      if (encoded && encoded.byte < 128 && !isIn(LOCAL, encoded.byte)) {
        return Math.min(at, start - 1 + encoded.length);
      }
    }
    start--;
  }
  return start;
}

/** The end of the address whose domain starts at `from`. */
function domainEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (isIn(DOMAIN, code)) {
      end++;
      continue;
    }
    const encoded = code === 37 ? encodedAt(text, end) : null;
    if (!encoded || (encoded.byte < 128 && !isIn(DOMAIN, encoded.byte))) break;
    end += encoded.length;
  }
  while (end > from && text[end - 1] === ".") end--;
  return end;
}

/** Whether the text between `from` and `end` is a domain: it has a dot, and a label that a top-level domain can be. */
function isDomain(text: string, from: number, end: number): boolean {
  const domain = decodePercent(text.slice(from, end).replaceAll(/%(?:25)+/g, "%"));
  if (TOP_LABEL.test(domain)) return !VERSION.test(domain);
  OTHER_DOT.lastIndex = end;
  return end > from && OTHER_DOT.test(text);
}

/** If false, the text contains no at sign, in any encoding. */
export function mayHoldEmail(text: string): boolean {
  return text.includes("@") || text.includes("\\u0040") || (encodesUnusual(text) && ENCODED_AT.test(text));
}

/**
 * Replaces every address by `[email]`. A JSON text must not contain backslashes, because the letter of an escape would be
 * taken as part of the address.
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
    AT.lastIndex = end;
    if (start === at.index || !isDomain(text, after, end)) continue;
    masked += text.slice(kept, start) + EMAIL;
    kept = end;
    floor = end;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

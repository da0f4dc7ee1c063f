/** Shows characters that hide a secret: letters in another form, invisible characters, entities of HTML, and escapes. */

/** The text in place of a secret. */
export const MASKED = "[masked]";

/** Full-width, circled and mathematical letters and signs, and invisible characters. */
const OTHER_FORM = /[\u00ad\u200b-\u200f\u2060\ufeff\uff04-\uff5e\u24b6-\u24e9\ud835]/;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
/** Quotes and brackets stay, so that the structure of the text stays. */
const OTHER_LETTER =
  /[\uff05\uff06\uff0b\uff0d-\uff1a\uff1d\uff20-\uff3a\uff3f\uff41-\uff5a\u24b6-\u24e9]|\ud835[\udc00-\udfff]/g;

/** The text with plain letters, and without invisible characters. */
export const showLetters = (text: string): string =>
  OTHER_FORM.test(text)
    ? text.replace(INVISIBLE, "").replace(OTHER_LETTER, (letter) => letter.normalize("NFKC"))
    : text;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  colon: ":",
  commat: "@",
  equals: "=",
  gt: ">",
  lowbar: "_",
  lt: "<",
  nbsp: " ",
  period: ".",
  quot: '"',
  Tab: "\t",
};
const ENTITY =
  /&(?:#(\d{2,4})|#x([0-9a-f]{2,4})|(amp|apos|colon|commat|equals|gt|lowbar|lt|nbsp|period|quot|Tab));/gi;
const HAS_ENTITY = /&(?:#x?[0-9a-f]{2,4}|amp|commat|colon|equals|lowbar|nbsp|period|quot|apos);/iy;
const ESCAPE = /\\u(00[2-7a][0-9a-f]|200[b-f]|ff[0-5][0-9a-f])/gi;

const fromCode = (digits: string, radix: number): string =>
  String.fromCharCode(Number.parseInt(digits, radix));

const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (written: string, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return fromCode(decimal, 10);
    if (hex !== undefined) return fromCode(hex, 16);
    return ENTITIES[name ?? ""] ?? written;
  });

/** The text with its entities, also `&amp;quot;`, and its `\u0040` decoded. */
export function decodeSigns(text: string): string {
  const plain = text.includes("\\u") ? text.replace(ESCAPE, (_, hex: string) => fromCode(hex, 16)) : text;
  return plain.includes("&") ? decodeEntities(decodeEntities(plain)) : plain;
}

/** Signs of other scripts and forms. One search for all of them: most bodies have none. */
const OTHER_SIGN = /[\u00ad\u0370-\u1fff\u200b-\u200f\u2060\u24b6-\u24e9\u2e80-\uffff]/;

/** Whether the text may have an entity. */
function hasEntity(text: string): boolean {
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    HAS_ENTITY.lastIndex = at;
    if (HAS_ENTITY.test(text)) return true;
  }
  return false;
}

/** If false, the text has plain signs only. */
export const hasOtherSigns = (text: string): boolean => OTHER_SIGN.test(text) || hasEntity(text);

/** Whether the text may have a secret that only its plain form shows. */
export const hidesSigns = (text: string): boolean => OTHER_FORM.test(text) || hasEntity(text);

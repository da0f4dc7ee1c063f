/** Finds numbers of payment cards, even in groups with unusual separators and with digits of other scripts. */
import { MASKED } from "./hidden.ts";

/** How a script writes digits, and what separates them. */
interface Signs {
  readonly digit: string;
  /** Between groups: spaces, dashes, dots and the like. */
  readonly gap: string;
  /** Between all digits. */
  readonly dot: string;
}

const PLAIN: Signs = { digit: String.raw`\d`, gap: String.raw`[\- \t.,_+*/\\|~:;='()\[\]"]`, dot: "[ ._-]" };
const ANY: Signs = {
  // invisible characters may stand between any two digits
  digit: String.raw`\p{Nd}[\p{Cf}\u034f\ufe0f]{0,2}`,
  gap: String.raw`[\p{Z}\p{Pd}\p{Cf}\t.,_+*/\\|~:;='()\[\]"·•‧∙−]`,
  dot: String.raw`[\p{Zs}.·_-]`,
};

function cardPattern({ digit, gap, dot }: Signs): RegExp {
  const group = (digits: string) => `(?:${digit}){${digits}}`;
  const GAP = `(?:${gap}|%20){1,4}`;
  const groupings = [
    group("14,19"),
    `${group("4")}${GAP}${group("4")}${GAP}${group("4")}${GAP}${group("4")}(?:${GAP}${group("1,3")})?`,
    `${group("4")}${GAP}${group("6")}${GAP}${group("4,5")}`,
    `${group("8")}${GAP}${group("8")}`,
    `${group("6")}${GAP}${group("10")}`,
    // a sign after each digit
    `(?<!\\p{Nd}[ .-])${digit}(?<dot>${dot} ?)${digit}(?:\\k<dot>${digit}){12,17}(?![ .-]\\p{Nd})`,
  ];
  // the numbers of a time such as `2026-11-28 15:02` are shorter groups
  return new RegExp(`(?<![\\p{L}\\p{Nd}_])(?:${groupings.join("|")})(?![\\p{L}\\p{Nd}_])`, "gu");
}
const CARD = cardPattern(ANY);
/** The same for ASCII, which is several times as fast. */
const PLAIN_CARD = cardPattern(PLAIN);
const NOT_ASCII = /[^\0-\x7f]/;

/** The numbers of Visa, Mastercard, American Express, Diners Club, JCB, Discover and UnionPay, with their lengths. */
const BRANDS =
  /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17})$/;

/** The check digit of card numbers (ISO/IEC 7812-1). */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

export const isCardNumber = (digits: string): boolean => BRANDS.test(digits) && hasLuhnDigit(digits);

/** Digits of other scripts are in blocks of ten that begin with the zero. */
function toDigit(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 128) return char;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

const digitsOf = (found: string): string =>
  found
    .replace(/%20/g, "")
    .replace(/\P{Nd}/gu, "")
    .replace(/[^\0-\x7f]/gu, toDigit);

export const maskCards = (text: string): string =>
  text.replace(NOT_ASCII.test(text) ? CARD : PLAIN_CARD, (found) =>
    isCardNumber(digitsOf(found)) ? MASKED : found,
  );

/** Masks a list of the groups of one number: `["4111", "1111", "1111", "1111"]`. */
export function maskCardGroups(list: unknown[]): boolean {
  if (list.length < 2 || list.length > 19) return false;
  if (!list.every((item) => /^\d{1,10}$/.test(typeof item === "number" && item < 100 ? "" : String(item))))
    return false;
  if (!isCardNumber(list.join(""))) return false;
  list.fill(MASKED);
  return true;
}

const MIN_CARD_LENGTH = 14;
/** Digits, separators, and `%` for `%20`, by their code. */
const SIGNS = new Uint8Array(128);
for (const sign of "0123456789 \t%+-.,_*/\\|~:;='()[]") SIGNS[sign.charCodeAt(0)] = 1;
const OTHER_SIGN = /[\p{Nd}\p{Z}\p{Pd}\p{Cf}·•‧∙−]|[\u034f\ufe0f\ud835]/u;

const isCardSign = (code: number): boolean =>
  code < 128 ? SIGNS[code] === 1 : code >= 128 && OTHER_SIGN.test(String.fromCharCode(code));

const isDigit = (code: number): boolean => (code >= 48 && code <= 57) || code >= 128;

const GROUP_AFTER = /\s{0,40}"\p{Nd}+"/uy;

/** Whether the signs around a place hold enough digits, and where they end. */
function lookAround(text: string, at: number): { mayBeCard: boolean; end: number } {
  let [start, end, digits] = [at, at + 1, 0];
  while (isCardSign(text.charCodeAt(start - 1))) start--;
  while (isCardSign(text.charCodeAt(end))) end++;
  for (let index = start; index < end; index++) if (isDigit(text.charCodeAt(index))) digits++;
  if (digits < MIN_CARD_LENGTH) return { mayBeCard: false, end };
  const signs = text.slice(start, end);
  return { mayBeCard: maskCards(signs) !== signs, end };
}

/**
 * A quick search for card numbers: looking at each character would take most of the time of masking a body. A card number has
 * at least 14 characters, so it is enough to look at every 14th character of the text.
 */
export function mayHoldCard(text: string): boolean {
  return mayHoldNumber(text) || mayHoldGroups(text);
}

/** Whether two numbers in quotes follow each other: `"4111", "1111"`. */
function mayHoldGroups(text: string): boolean {
  for (let at = text.indexOf('",'); at !== -1; at = text.indexOf('",', at + 1)) {
    if (!isDigit(text.charCodeAt(at - 1))) continue;
    GROUP_AFTER.lastIndex = at + 2;
    if (GROUP_AFTER.test(text)) return true;
  }
  return false;
}

function mayHoldNumber(text: string): boolean {
  let at = MIN_CARD_LENGTH - 1;
  while (at < text.length) {
    if (isCardSign(text.charCodeAt(at))) {
      const { mayBeCard, end } = lookAround(text, at);
      if (mayBeCard) return true;
      at = end;
    }
    at += MIN_CARD_LENGTH;
  }
  return false;
}

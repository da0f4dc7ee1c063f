/** Masks values that are secret whatever their name: JSON Web Tokens, credentials of a header, numbers of payment cards. */

export const MASKED = "[masked]";

/** A JSON Web Token. The length of its header is limited, so that the search is linear. */
const JWT = /eyJ[\w-]{5,500}(?:\.[\w-]*){2,4}/g;
/** `Authorization: Bearer abc`, anywhere in a text. */
const HEADER = /(authorization["'\\\s]{0,4}[:=]["'\\\s]{0,4}(?:[a-z]+(?:\s|\+|%20)+)?)[^\s"',;&\\]+/gi;
/** A bearer token without the name of the header. A token has a digit or is long, unlike a word after "bearer". */
const BEARER = /\b(bearer(?:\s|\+|%20)+)(?:(?=[\w.~/-]{0,100}\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})/gi;
/** 14 to 19 digits, or groups of digits as they are printed on a card. */
const SEPARATOR = "([ +.-]|%20)";
const CARD = new RegExp(
  `(?<!\\w)(?:\\d{14,19}|\\d{4}${SEPARATOR}\\d{4}\\1\\d{4}\\1\\d{4}|\\d{4}${SEPARATOR}\\d{6}\\2\\d{4,5})(?!\\w)`,
  "g",
);
const MAY_BE_HEADER = /bearer(?:\s|\+|%20)|authorization\W{0,4}[:=]/i;
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

const MIN_CARD_DIGITS = 14;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const maskCards = (text: string): string =>
  text.replace(CARD, (found) => (isCardNumber(found.replace(/%20|\D/g, "")) ? MASKED : found));

/** Digits and separators: `0-9`, space, `+`, `-`, `.`, and `%` for `%20`. */
const isCardSign = (code: number): boolean =>
  isDigit(code) || code === 32 || code === 37 || code === 43 || code === 45 || code === 46;

/**
 * A quick search for card numbers: looking at each character would take most of the time of masking a body. A card number has
 * at least 14 characters, so it is enough to look at every 14th character of the text.
 */
function mayHoldCard(text: string): boolean {
  for (let at = MIN_CARD_DIGITS - 1; at < text.length; at += MIN_CARD_DIGITS) {
    if (!isCardSign(text.charCodeAt(at))) continue;
    let start = at;
    while (isCardSign(text.charCodeAt(start - 1))) start--;
    while (isCardSign(text.charCodeAt(at + 1))) at++;
    const signs = text.slice(start, at + 1);
    if (signs.length >= MIN_CARD_DIGITS && maskCards(signs) !== signs) return true;
  }
  return false;
}

/** If false, the text contains no value that `maskSecretValues` masks. */
export const mayHoldSecretValue = (text: string): boolean =>
  text.includes("eyJ") || MAY_BE_HEADER.test(text) || mayHoldCard(text);

export function maskSecretValues(text: string): string {
  if (!mayHoldSecretValue(text)) return text;
  const masked = text.replace(HEADER, `$1${MASKED}`).replace(BEARER, `$1${MASKED}`).replace(JWT, MASKED);
  return maskCards(masked);
}

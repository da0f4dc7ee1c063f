/**
 * Decides which names are names of secrets, and whether a text can contain such a name. The second check runs on every
 * recorded body, so it uses linear searches. A false positive there only costs time.
 */

/** Words that make a name secret wherever they occur in it: `sessionToken`, `x-api-key`, `accesstoken`. */
const PARTS =
  /passw|passphrase|passcode|token|secret|apikey|accesskey|privatekey|authorization|cookie|creditcard|cardnumber|credential|bearer/;
/** Words that make a name secret only as whole words: `auth` but not `author`, `card` but not `cardinal`. */
const WORDS = new Set(
  "pass pwd auth oauth card cards cardnum cardno cvv cvv2 cvc cvc2 iban ssn jwt sig signature otp".split(" "),
);
const MIN_NAME_LENGTH = 3;

/** The same few names occur again and again, so answers are cached. The cache is cleared when it is full. */
const MAX_CACHED_NAMES = 2_000;
const MAX_CACHED_NAME_LENGTH = 64;
const cachedAnswers = new Map<string, boolean>();

/** `accessToken`, `API_KEY`, `user[password]` are secret names; `sessionId`, `anonymousId`, `author` are not. */
export function isSecretName(name: string): boolean {
  if (name.length < MIN_NAME_LENGTH) return false;
  const known = cachedAnswers.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4").toLowerCase();
  const squeezed = words.replace(/[^a-z0-9]+/g, "");
  const secret = PARTS.test(squeezed) || words.split(/[^a-z0-9]+/).some((word) => WORDS.has(word));
  if (cachedAnswers.size >= MAX_CACHED_NAMES) cachedAnswers.clear();
  if (name.length <= MAX_CACHED_NAME_LENGTH) cachedAnswers.set(name, secret);
  return secret;
}

/** Several small patterns: V8 searches them faster than one large alternation. */
const SECRET_WORDS = [
  /token|cookie|secret|bearer|credential/gi,
  /pass|pwd|card|ssn/gi,
  /auth(?!or(?!i[sz]))|(?:api|access|private)[\W_]{0,3}key/gi,
  /iban|cv[vc]|jwt/gi,
  /sig(?![a-z])|signature|otp(?![a-z])/gi,
];
/** The characters that end a name: `":`, `=`, `%3D`. */
const NAME_END = /["=]|%(?:25)*3d/gi;
const COLON = /\s*:/y;

/** Whether one of the words is in a name. Each end of a name is examined once, so the search is linear. */
function isInName(text: string, words: RegExp): boolean {
  words.lastIndex = 0;
  while (words.test(text)) {
    NAME_END.lastIndex = words.lastIndex;
    const end = NAME_END.exec(text);
    if (end === null) return false;
    if (end[0] !== '"') return true;
    COLON.lastIndex = NAME_END.lastIndex;
    if (COLON.test(text)) return true;
    words.lastIndex = NAME_END.lastIndex;
  }
  return false;
}

/** Letters that are escaped without need, which can hide a name: `\u0070assword`, `%70assword`. */
const ESCAPED_ASCII = /\\u00[2-7]/i;
const ENCODED_LETTER = /%(?:25)*(?:4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/i;

/** Whether the text can have a percent-encoded letter, at sign or percent sign. This is rare, because letters need no encoding. */
export function encodesUnusual(text: string): boolean {
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", at + 1)) {
    const first = text.charCodeAt(at + 1);
    if (first >= 52 && first <= 55) return true;
    if (first === 50 && text.charCodeAt(at + 2) === 53) return true;
  }
  return false;
}

/** If false, the text contains no name of a secret, in any encoding. */
export function mayNameSecret(text: string): boolean {
  return (
    SECRET_WORDS.some((words) => isInName(text, words)) ||
    (text.includes("\\u00") && ESCAPED_ASCII.test(text)) ||
    (encodesUnusual(text) && ENCODED_LETTER.test(text))
  );
}

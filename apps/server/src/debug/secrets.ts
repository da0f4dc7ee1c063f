/**
 * Which names carry secrets, and whether a text may hold one at all. The second question is asked of every
 * recorded body, so it is answered by linear searches; that it is sometimes answered yes for nothing only
 * costs time.
 */

/** Distinctive enough to be looked for inside a name: `sessionToken`, `x-api-key`, `accesstoken`. */
const PARTS =
  /passw|passphrase|passcode|token|secret|apikey|accesskey|privatekey|authorization|cookie|creditcard|cardnumber|credential|bearer/;
/** Short ones count as a whole word only: `auth` but not `author`, `card` but not `cardinal`. */
const WORDS = new Set(
  "pass pwd auth oauth card cards cardnum cardno cvv cvv2 cvc cvc2 iban ssn jwt sig signature otp".split(" "),
);
const SHORTEST = 3;

/** The same few names come again and again; what is remembered of them is bounded. */
const REMEMBERED = 2_000;
const LONGEST_REMEMBERED = 64;
const answers = new Map<string, boolean>();

/** `accessToken`, `API_KEY`, `user[password]` are secret names; `sessionId`, `anonymousId`, `author` are not. */
export function isSecretName(name: string): boolean {
  if (name.length < SHORTEST) return false;
  const known = answers.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4").toLowerCase();
  const squeezed = words.replace(/[^a-z0-9]+/g, "");
  const secret = PARTS.test(squeezed) || words.split(/[^a-z0-9]+/).some((word) => WORDS.has(word));
  if (answers.size >= REMEMBERED) answers.clear();
  if (name.length <= LONGEST_REMEMBERED) answers.set(name, secret);
  return secret;
}

/** Several small alternations: V8 skips through each of them faster than through one of them all. */
const SECRET_WORDS = [
  /token|cookie|secret|bearer|credential/gi,
  /pass|pwd|card|ssn/gi,
  /auth(?!or(?!i[sz]))|(?:api|access|private)[\W_]{0,3}key/gi,
  /iban|cv[vc]|jwt/gi,
  /sig(?![a-z])|signature|otp(?![a-z])/gi,
];
/** What ends a word's surroundings, and may make a name of it: `":`, `=`, `%3D`. */
const NAME_END = /["=]|%(?:25)*3d/gi;
const COLON = /\s*:/y;

/** Whether one of the words stands in a name. All hits up to one name's end share its answer, which keeps this linear. */
function inName(text: string, words: RegExp): boolean {
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

/** `\u0070assword`, `%70assword`: letters that are written so as not to be found. */
const ESCAPED_ASCII = /\\u00[2-7]/i;
const ENCODED_LETTER = /%(?:25)*(?:4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/i;

/** Whether `%` is followed by what may be a letter, an at sign or another `%`: rare, for they need no encoding. */
export function encodesUnusual(text: string): boolean {
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", at + 1)) {
    const first = text.charCodeAt(at + 1);
    if (first >= 52 && first <= 55) return true;
    if (first === 50 && text.charCodeAt(at + 2) === 53) return true;
  }
  return false;
}

/** False: no name of a secret is in the text, however it is written. */
export function mayNameSecret(text: string): boolean {
  return (
    SECRET_WORDS.some((words) => inName(text, words)) ||
    (text.includes("\\u00") && ESCAPED_ASCII.test(text)) ||
    (encodesUnusual(text) && ENCODED_LETTER.test(text))
  );
}

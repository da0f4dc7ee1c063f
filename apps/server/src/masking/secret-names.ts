/**
 * Decides which names are names of secrets, and whether a text can contain such a name. The second check runs on every
 * recorded body, so it uses linear searches. A false positive there only costs time.
 */
import { decodeComponent } from "../core/text.ts";
import { hasOtherSigns, hidesSigns } from "./hidden.ts";

/** Letters without their accents and in their plain form (`ｐａｓｓ`), so that each name is listed once. */
const fold = (text: string): string => text.normalize("NFKD").replace(/[\p{M}\p{Cf}]/gu, "");

/** "Password" in other scripts. */
const OTHER_SCRIPTS =
  "парол лозинка 密码 密碼 口令 暗証番号 パスワード 비밀번호 패스워드 συνθηματικο סיסמה סיסמא كلمةالمرور كلمةالسر गुप्तशब्द पासवर्ड รหัสผ่าน رمزعبور گذرواژه".split(
    " ",
  );
/** Words that make a name secret wherever they occur in it: `sessionToken`, `x-api-key`, `accesstoken`, `PHPSESSID`. */
const PARTS = new RegExp(
  [
    "passw|passphrase|passcode|token|secret|apikey|accesskey|privatekey|authorization|cookie|creditcard|cardnumber",
    "credential|bearer|[cx]srf|sessid|(?:j|net)sessionid|ccnum",
    "mnemonic|seedphrase|seedwords|securityanswer|codeverifier",
    "(?:pin|[mt2]fa|otp|totp|oob|sms|login|signin|recovery|backup|verification|activation|security|onetime|twofactor|auth|authenticator|access|device)codes?$",
    // passwords in other languages
    "contrasen|motdepasse|senha|palavrapasse|kennwort|geheimzahl|wachtwoord|losenord|passord|adgangskode|kodeord|salasana|salasona",
    "lozink|zaporka|jelszo|parool|slaptazod|matkhau|katasandi|katalaluan|paroladordine",
    ...OTHER_SCRIPTS.map(fold),
  ].join("|"),
);
/** Words that make a name secret only as whole words: `auth` but not `author`, `card` but not `cardinal`. */
const WORDS = new Set(
  fold(
    "pass pwd pw psw pswd clave geslo parola parole totp hotp auth oauth card cards cardnum cardno cvv cvv2 cvc cvc2 iban ssn jwt sig signature otp mdp haslo hasło heslo sifre sifra 암호",
  ).split(" "),
);
/** Names that are secret when they are nothing else: `pin` but not `pin_color`. */
const WHOLE_NAMES = new Set(["pin", "pan", "cc", "sessionid", "mfa", "2fa", "κωδικος"]);
/** `user_pin`, but not a pin on a map or of a chip. */
const PIN =
  /(?:^| )(?!(?:map|drop|dropped|location|place|push|safety|lapel|gpio|input|output|led|board|un|is|has|to) )[^ ]+ pin$/;
/** Keywords, in Spanish. */
const KEYWORD = /^palabras?claves?$/;
/** Headwater's own session id, which is not a secret in a body. */
const OWN_SESSION = "sessionId";
/** Words that make the parameter of an address secret when they are the last word of its name: `key`, `reset_key`, `sid`. */
const LAST_WORDS = new Set(
  "key sid session sess ticket nonce hmac assertion samlrequest samlresponse relaystate invite invitation".split(
    " ",
  ),
);
const MIN_NAME_LENGTH = 2;

/** The same few names occur again and again, so answers are cached. The cache is cleared when it is full. */
const MAX_CACHED_NAMES = 2_000;
const MAX_CACHED_NAME_LENGTH = 64;
const cachedAnswers = { members: new Map<string, boolean>(), parameters: new Map<string, boolean>() };

/** `accessToken`, `API_KEY`, `user[password]` are secret names; `sessionId`, `anonymousId`, `author` are not. */
export const isSecretName = (name: string): boolean =>
  name !== OWN_SESSION && isSecretWord(name, cachedAnswers.members);

/** In the query of an address, more names are secret than in an object: `key`, `sid`, `session`, `sessionId`. */
export const isSecretParameter = (name: string): boolean => isSecretWord(name, cachedAnswers.parameters);

function isSecretWord(name: string, answers: Map<string, boolean>): boolean {
  if (name.length < MIN_NAME_LENGTH) return false;
  const known = answers.get(name);
  if (known !== undefined) return known;
  const isSecret = decide(name, answers === cachedAnswers.parameters);
  if (answers.size >= MAX_CACHED_NAMES) answers.clear();
  if (name.length <= MAX_CACHED_NAME_LENGTH) answers.set(name, isSecret);
  return isSecret;
}

function decide(name: string, isParameter: boolean): boolean {
  const plain = fold(name).toLowerCase();
  const camel = fold(name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")).toLowerCase();
  const squeezed = plain.replace(/[^\p{L}\p{N}]+/gu, "");
  if (KEYWORD.test(squeezed)) return false;
  if (PARTS.test(squeezed) || WHOLE_NAMES.has(squeezed)) return true;
  return [plain, camel].some((text) => {
    const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
    return (
      PIN.test(words.join(" ")) ||
      words.some((word) => WORDS.has(word)) ||
      (isParameter && LAST_WORDS.has(words.at(-1) ?? ""))
    );
  });
}

/** A value of `code` that is longer is a secret. Shorter ones without a digit are codes of a country or a language. */
const MAX_CODE_WORD = 5;
/** The same for `state`, whose words are names of places or stages. */
const MAX_STATE_WORD = 15;
/** A value of up to this length is not a secret, even with a digit: a status such as 404. */
const MAX_SHORT_VALUE = 3;
const AUTHORIZATION_CODE = new RegExp(
  `(?:^|[?&#]|%(?:25)*(?:3f|26|23))code(?:=|%(?:25)*3d)[^&#\\s]{${MAX_CODE_WORD + 1}}`,
  "i",
);

const OAUTH_NAME = /^(?:code|state)$/i;

/**
 * Decides which parameters of a query string are secrets of OAuth. As members of an object, `code` and `state` mean other
 * things.
 */
export function createOauthCheck(query: string) {
  const hasCode = AUTHORIZATION_CODE.test(query);
  return {
    isName: (name: string): boolean => OAUTH_NAME.test(name),
    isSecret(name: string, value: string): boolean {
      const isCode = name.toLowerCase() === "code";
      if (!isCode && hasCode) return true;
      const word = decodeComponent(value);
      if (word.length > (isCode ? MAX_CODE_WORD : MAX_STATE_WORD)) return true;
      return word.length > MAX_SHORT_VALUE && /\d/.test(word);
    },
  };
}

/** Several small patterns: V8 searches them faster than one large alternation. */
const SECRET_WORDS = [
  /token|cookie|secret|bearer|credential/gi,
  /pass|ps?w(?![a-ce-z])|card|ssn/gi,
  /auth(?!or(?!i[sz]))|(?:api|access|private)[\W_]{0,3}key/gi,
  /iban|cv[vc]|jwt/gi,
  /sig(?![a-z])|signature|otp(?![a-z])/gi,
  /[cx]srf|sessid|cc[\W_]?num/gi,
  /[Ss]ession(?:id|ID|[\W_][Ii][Dd])|SessionId|SESSION[\W_]?ID/g,
  /code(?<=(?:pin|[ftm]a|o[tn]?[pb]|sms|in|[yp]|ion|time|factor|auth|tor|ss|device)[\W_]{0,3}code)s?(?![a-z])/gi,
  /mnemonic|seed|yanswer|verifier/gi,
  /contrase|senha|kennwort|wachtwoord|senord|adgangskode|salas[aõo]na/gi,
  /mdp|heslo|has[lł]o|[sş]ifr[ea]/gi,
  /clave|kodeord|lozink|jelsz|parol[aeă]|geslo/gi,
  /zaporka|slaptaz|geheimz|m[aậ]t.?kh|katasa|katalal/gi,
];
/** The same in other scripts. */
const OTHER_WORDS =
  /парол|лозинк|密[码碼]|口令|暗証|ﾊﾟｽﾜ|パスワード|비밀|암호|패스워|συνθημ|κωδικ|סיסמ|المرور|السر|पासव|รหัส|رمز|گذر/gi;
/** Ends of encoded parameters: `?code%3D`, `&data%3D{`. Few other names end like this. */
const SECRET_ENDS = [
  /(?:code|state|key|sid|sess|session|ticket|nonce|hmac|assertion)(?:=|%(?:25)*3d)/i,
  /(?:session_?id|saml_?request|saml_?response|relay_?state|invite|invitation)(?:=|%(?:25)*3d)/i,
  /(?:cc|p[ai]n)(?:"\s{0,9}:|=|%(?:25)*3d)/i,
  /(?:=|%(?:25)*3d)(?:[{[]|%(?:25)*[57]b)/i,
];
/** The characters that end a name: `":`, `=`, `:`, `</`, `%3D`. */
const NAME_END = /["=:<>\t]|\\t|%(?:25)*3[ad]|&[lg]t;/gi;
const COLON = /\s*:/y;

const MAX_QUOTED_NAME = 64;

/** Whether the text that ends with this quote is a name and nothing else, as in `["password", "x"]`. */
function isQuotedName(text: string, end: number): boolean {
  const start = text.lastIndexOf('"', end - 1);
  return start !== -1 && end - start <= MAX_QUOTED_NAME;
}

/** Whether one of the words is in a name. Each end of a name is examined once, so the search is linear. */
function isInName(text: string, words: RegExp): boolean {
  words.lastIndex = 0;
  while (words.test(text)) {
    NAME_END.lastIndex = words.lastIndex;
    const end = NAME_END.exec(text);
    if (end === null) return false;
    if (end[0] !== '"') return true;
    COLON.lastIndex = NAME_END.lastIndex;
    if (COLON.test(text) || isQuotedName(text, end.index)) return true;
    words.lastIndex = NAME_END.lastIndex;
  }
  return false;
}

/** Letters that are escaped without need or by ASCII-only encoders, which can hide a name: `\u0070assword`, `%70assword`. */
const ESCAPED_LETTER = /\\u(?:00[2-7a]|0[1-9a-f]|1e|200|2060|fe0f|fe?ff|ff|d835|[3-9a-c])/i;
const ENCODED_LETTER = /%(?:25)*(?:4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/i;

/** Whether the text may have a percent-encoded letter, `@` or `%`. This is rare, because letters need no encoding. */
export function encodesUnusual(text: string): boolean {
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", at + 1)) {
    const first = text.charCodeAt(at + 1);
    if (first >= 52 && first <= 55) return true;
    if (first === 50 && text.charCodeAt(at + 2) === 53) return true;
  }
  return false;
}

const BEFORE_NAME = new Set([..."?&;# \t\r\n\"'<>(){},/\\=:"].map((sign) => sign.charCodeAt(0)));
const ENCODED_EQUALS = /%(?:25)*3d/i;
const AFTER_EQUALS = /[{[]|%(?:25)*[57]b/iy;

/** The same for the parameters of addresses: looking up their few names is faster than searching each word. */
function mayNameParameter(text: string): boolean {
  for (let at = text.indexOf("="); at !== -1; at = text.indexOf("=", at + 1)) {
    let start = at;
    while (start > 0 && !BEFORE_NAME.has(text.charCodeAt(start - 1))) start--;
    const name = text.slice(start, at);
    if (name.includes("%")) return true; // brackets or letters that are encoded
    AFTER_EQUALS.lastIndex = at + 1;
    if (isSecretParameter(name) || OAUTH_NAME.test(name) || AFTER_EQUALS.test(text)) return true;
  }
  return text.includes("%") && ENCODED_EQUALS.test(text) && mayHoldWord(text);
}

const mayHoldWord = (text: string): boolean =>
  SECRET_WORDS.some((words) => isInName(text, words)) || SECRET_ENDS.some((ends) => ends.test(text));

const SHORT_NAME = /(?:(?<![a-z0-9])(?:cc|pan|[m2]fa)|pin)(?:\\?["']\s{0,9}[:,}\]]|\s?[:>])/i;
const FLAG = /--[\w-]{0,40}(?:pass|pwd|token|secret|key|auth)/i;
/** Programs whose short flags have passwords. */
const COMMAND = /curl |mysql|mariadb|sshpass|redis-cli/;
/** The end of a name: of a member, of a pair in a sentence, of an element. */
const OTHER_END = /["=:<\t]|&lt;/;

const mayNameInText = (text: string): boolean =>
  (OTHER_END.test(text) && (SECRET_WORDS.some((words) => isInName(text, words)) || SHORT_NAME.test(text))) ||
  (text.includes("--") && FLAG.test(text)) ||
  (text.includes(" -") && COMMAND.test(text));

/** If false, the text contains no name of a secret, in any encoding. */
export function mayNameSecret(text: string): boolean {
  return (
    mayNameParameter(text) ||
    mayNameInText(text) ||
    (hasOtherSigns(text) && (hidesSigns(text) || isInName(text, OTHER_WORDS))) ||
    (text.includes("\\u") && ESCAPED_LETTER.test(text)) ||
    (encodesUnusual(text) && ENCODED_LETTER.test(text))
  );
}

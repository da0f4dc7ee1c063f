/**
 * Masks keys that their form gives away: tokens of Headwater, keys of common vendors, private keys, addresses with a password, and
 * webhooks. The forms are those that vendors publish, with shorter ends, so that a key that was cut is found too.
 */
import { MASKED } from "./hidden.ts";

/** Before a key there is no letter or digit, but there may be an escape (`%3D`, `\n`, `\u0026`). */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\bbot))`;

/** Keys with `_` after the name of the vendor. */
const WITH_LINE = [
  String.raw`(?:sk|rk)_(?:live|test|prod)_\w{8,}`,
  "whsec_[A-Za-z0-9+=]{16,}",
  String.raw`(?:gh[pousr]|github_pat|glsa|glc|lin_api|ntn|sntry[su]|dckr_[po]at|vc[paikr]|phx|lin_oauth|figd|nfp|sb_secret|sbp|gsk|r8|rubygems|tfp|shippo_(?:live|test)|pscale_(?:tkn|pw|oauth)|shp(?:at|ca|pa|ss)|do[oprt]_v1|rdme|sm_[aps]at)_[\w.+=-]{16,}`,
  "(?:npm|hf|pnu|api_org)_[A-Za-z0-9]{20,}",
];
/** Keys with `-` or `.` after the name of the vendor. */
const WITH_DASH = [
  String.raw`gl(?:pat|ptt|rt|dt|ft|soat|cbt|agent|oas|imt|ffct)-[\w.-]{16,}`,
  String.raw`xox[a-z](?:-|\.xox[a-z]-)[\w-]{10,}`,
  String.raw`xapp-\d-[\w-]{10,}`,
  String.raw`sk-(?:proj-|svcacct-|admin-|or-v1-|lf-|ant-\w{1,12}-)?\w{16,}[\w-]*`,
  String.raw`(?:GOCSPX|PMAK|NRAK|CFPAT|nvapi|tvly|sq0(?:atp|csp|idp)|xkeysib|FLWSECK(?:_TEST)?|HRKU|AGE-SECRET-KEY|pplx|xai|pat-(?:na|eu)\d)-[\w-]{16,}`,
  String.raw`pypi-\w{16,}[\w-]*`,
  String.raw`[0-9a-f]{32}-us\d{1,2}(?![0-9A-Za-z])`,
  "(?:key|pul)-[0-9a-z]{32,40}(?![0-9A-Za-z])",
  String.raw`SG\.[\w-]{16,}(?:\.[\w-]+)?`,
  String.raw`(?:ya29|hv[sb])\.[\w.-]{16,}`,
  String.raw`\w{14}\.atlasv1\.[\w=-]{16,}`,
];
/** Keys that begin with capitals or a number. */
const WITHOUT_SIGN = [
  "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  String.raw`AIza[\w-]{30,}`,
  "EAA[A-Z][A-Za-z0-9]{20,}",
  "SK[0-9a-f]{32}(?![A-Za-z0-9])",
  "dapi[0-9a-f]{32}",
  String.raw`AT(?:ATT|CTT)3[\w=-]{16,}`,
  String.raw`pat[0-9A-Za-z]{14}\.[0-9a-f]{16,}`,
  String.raw`\d{3,12}:AA[\w-]{24,}`,
  String.raw`[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}`,
  // base64 of `-----BEGIN`, of a key of OpenSSH, and of a JSON Web Token
  "(?:LS0tLS1CRUdJTi|b3BlbnNzaC1rZXkt|ZXlK[A-Za-z0-9]{4})(?:[A-Za-z0-9+=_-]|/(?=[A-Za-z0-9+/]{12})){16,}",
];

const toPattern = (forms: readonly string[]) => new RegExp(`${START}(?:${forms.join("|")})`, "g");
/** Tokens of Headwater, even in capitals or after a letter. */
const OWN = /hwt_[0-9A-Za-z]{8,}(?:\.[\w-]+)*/gi;
const KEYS = [OWN, toPattern(WITH_LINE), toPattern(WITH_DASH), toPattern(WITHOUT_SIGN)];

const SLASH = String.raw`(?:\\?/|%(?:25)*2[Ff])`;
/** The address of a webhook is its password. */
const WEBHOOK = new RegExp(
  String.raw`((?:hooks\.slack\.com${SLASH}(?:services|workflows|triggers)|discord(?:app)?\.com${SLASH}api(?:${SLASH}v\d{1,2})?${SLASH}webhooks|\.webhook\.office\.com${SLASH}webhookb2|hooks\.zapier\.com${SLASH}hooks${SLASH}catch|hook\.(?:[a-z]{2}\d\.make|integromat)\.com|maker\.ifttt\.com${SLASH}(?:use|trigger(?:${SLASH}[\w-]{1,80}){1,2}?${SLASH}with${SLASH}key)|${SLASH}hooks(?=${SLASH}[a-z0-9]{26}(?![a-z0-9])))${SLASH})(?:[\w@+-]|${SLASH})+`,
  "g",
);
/** `postgres://user:password@host`, after the scheme. */
const CREDENTIALS = new RegExp(
  String.raw`(:${SLASH}${SLASH})[^\s/?#"'<>\\:@]*:[^\s/?#"'<>\\@][^\s/?#"'<>\\]*@`,
  "g",
);
/** `Basic` and the base64 of a user and a password. */
const BASIC = /\b(basic(?:\s|\+|%20){1,4})([\w+/-]{6,}={0,2})/gi;
/** A user and a password, after the decoding. */
const USER_AND_PASSWORD = /^[\x20-\x7e]{0,200}:[\x20-\x7e]{0,500}$/;
const BLANK = String.raw`(?:[\s+_]|%(?:25)*20)`;
const KEY_HEAD = new RegExp(
  `-{4,5}\\s?BEGIN(?:${BLANK}|[A-Z0-9]){0,60}PRIVATE${BLANK}KEY(?:${BLANK}BLOCK)? ?-{0,5}|PuTTY-User-Key-File-\\d`,
  "g",
);
const KEY_END = /-{4,5} ?END(?:[ +_%A-Z0-9]{0,80}-{4,5})?|Private-MAC(?::|%3A)[\s+]?(?:%20)?[0-9a-f]*/g;

const mayHoldPrivateKey = (text: string): boolean =>
  text.includes("PRIVATE") || text.includes("PuTTY-User-Key");

/** Masks a private key that is a list of its lines. */
export function maskKeyLines(list: unknown[]): boolean {
  const isLine = (item: unknown): item is string => typeof item === "string" && mayHoldPrivateKey(item);
  const first = list.findIndex((item) => isLine(item) && item.search(KEY_HEAD) !== -1);
  if (first === -1 || list.some((item) => typeof item !== "string" || item.includes("\n"))) return false;
  const last = list.findIndex((item, index) => index > first && String(item).search(KEY_END) !== -1);
  list.fill(MASKED, first, last === -1 ? list.length : last + 1);
  return true;
}

/** A private key that was cut has no end: then all that follows is masked. */
function maskPrivateKeys(text: string): string {
  if (!mayHoldPrivateKey(text)) return text;
  let masked = "";
  let kept = 0;
  KEY_HEAD.lastIndex = 0;
  for (let head = KEY_HEAD.exec(text); head !== null; head = KEY_HEAD.exec(text)) {
    KEY_END.lastIndex = KEY_HEAD.lastIndex;
    const end = KEY_END.exec(text) === null ? text.length : KEY_END.lastIndex;
    masked += text.slice(kept, head.index) + MASKED;
    kept = end;
    KEY_HEAD.lastIndex = end;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

const isUserAndPassword = (base64: string): boolean =>
  USER_AND_PASSWORD.test(Buffer.from(base64, "base64").toString("latin1"));

/** The text before the sign of a key, and the least number of letters or digits after it. */
const BEFORE_LINE =
  /(?:[hH][wW][tT]|vc[paikr]|phx|_oat|[sr]k_(?:live|test|prod)|whsec|gh[pousr]|_pat|gl(?:sa|c)|lin_api|ntn|sntry[su]|figd|nfp|sb_secret|sbp|gsk|r8|rubygems|tfp|shippo_(?:live|test)|_tkn|_pw|_oauth|shp(?:at|ca|pa|ss)|_v1|rdme|sm_[aps]at|npm|hf|pnu|api_org)$/;
const BEFORE_DASH =
  /(?:gl(?:pat|ptt|rt|dt|ft|soat|cbt|agent|oas|imt|ffct)|xox[a-z]|xapp|sk|GOCSPX|PMAK|sq0[a-z]{3}|xkeysib|FLWSECK(?:_TEST)?|HRKU|SECRET-KEY|pplx|xai|pat-(?:na|eu)\d|pypi|key|pul|NRAK|CFPAT|nvapi|tvly|[0-9a-f]{14})$/;
const MAX_NAME = 14;

const isLetterOrDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);

/** Whether a sign follows the name of a vendor. Looking at the text around each sign is faster than a search. */
function mayFollowVendor(text: string, sign: string, before: RegExp): boolean {
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1))
    if (isLetterOrDigit(text.charCodeAt(at + 1)) && isLetterOrDigit(text.charCodeAt(at - 1)))
      if (before.test(text.slice(Math.max(0, at - MAX_NAME), at))) return true;
  return false;
}

/** A quick search for the others. */
const HINTS = [
  /(?:A(?:3T|KIA|SIA|BIA|CCA|ROA|IDA|Iza|T(?:A|C)TT3)|pat\w{14}\.|EAA|SK|dapi|LS0tLS1C|b3BlbnNz|ZXlK|SG\.|ya29\.|hv[sb]\.|atlasv1\.)\w{8}/,
  /\d:AA\w|\.[\w-]{6}\.[\w-]{27}/,
  /hook|ifttt|com(?:\\?\/|%(?:25)*2f)api|basic(?:\s|\+|%20)/i,
];
const CREDENTIALS_HINT = /:(?:\\?\/|%(?:25)*2[Ff]){2}[^\s/?#"'<>\\:@]*:/;

/** If false, the text contains nothing that `maskVendorKeys` masks. */
export const mayHoldVendorKey = (text: string): boolean =>
  mayHoldPrivateKey(text) ||
  mayFollowVendor(text, "_", BEFORE_LINE) ||
  mayFollowVendor(text, "-", BEFORE_DASH) ||
  HINTS.some((hint) => hint.test(text)) ||
  (text.includes("@") && CREDENTIALS_HINT.test(text));

export const maskWebhooks = (text: string): string => text.replace(WEBHOOK, `$1${MASKED}`);

export function maskVendorKeys(text: string): string {
  let masked = maskPrivateKeys(text);
  for (const keys of KEYS) masked = masked.replace(keys, MASKED);
  return maskWebhooks(masked)
    .replace(CREDENTIALS, `$1${MASKED}@`)
    .replace(BASIC, (written, head: string, value: string) =>
      isUserAndPassword(value) ? head + MASKED : written,
    );
}

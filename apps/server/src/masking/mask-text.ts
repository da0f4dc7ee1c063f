/** Masks secrets by their names in a text: in query strings, pairs, XML elements and the parts of a form. */
import { MASKED } from "./hidden.ts";
import { namesSecret } from "./pairs.ts";
import { decodePercent } from "./percent.ts";
import { createOauthCheck, isSecretName, isSecretParameter } from "./secret-names.ts";

/** A name is searched in this many characters before its `=` or `:`. */
const NAME_WINDOW = 120;
const BEFORE_QUERY_NAME = /[?&;#\s"'<>(){},/\\=:]/;
const BEFORE_PAIR_NAME = /[?&;#\r\n"'<>(){},/\\=:：＝]/;
const AFTER_VALUE = /[&#\s"<>]/g;
const AFTER_JSON = /[&#]/g;
/** `{…` and `["…`, but not `[masked]`. */
const PLAIN_JSON = /\{|\[["{[\d\s\]]/y;
/** A value that is JSON, percent-encoded or not: `{…`, `%7B…`, `%5B…`. */
const JSON_VALUE = /[{[]|%(?:25)*[57]b/iy;

/** The name that ends at `end` and does not start before `floor`. A name that is longer than the window is cut. */
function nameBefore(text: string, end: number, floor: number, ends: RegExp): string {
  const window = text.slice(Math.max(floor, end - NAME_WINDOW), end);
  const plain = window.includes("%") ? decodePercent(window) : window;
  let start = plain.length;
  while (start > 0 && !ends.test(plain.charAt(start - 1))) start--;
  return plain.slice(start);
}

/** The end of a query value. JSON that is not encoded may contain spaces and quotes. After an encoded `=` (`%3D`, `%253D`), an `&` that is encoded the same number of times ends it. */
function valueEnd(text: string, equals: string, from: number): number {
  PLAIN_JSON.lastIndex = from;
  const after = PLAIN_JSON.test(text) ? AFTER_JSON : AFTER_VALUE;
  after.lastIndex = from;
  const end = after.exec(text)?.index ?? text.length;
  if (equals === "=") return end;
  const ampersand = text.indexOf(`${equals.slice(0, -2)}26`, from);
  return ampersand === -1 ? end : Math.min(end, ampersand);
}

type MaskText = (text: string) => string;

/**
 * Masks `token=abc` anywhere in a string, with plain or encoded names and delimiters.
 * @param maskJson masks a value that is JSON. The value is then shown decoded
 */
export function maskQuery(text: string, maskJson: MaskText): string {
  const oauth = createOauthCheck(text);
  const maskJsonValue: MaskText = (value) => {
    const json = decodePercent(value);
    const masked = maskJson(json);
    return masked === json ? value : masked;
  };
  /** How the value after `from` is masked; null: not at all. */
  const maskOf = (name: string, from: number): MaskText | null => {
    if (isSecretParameter(name)) return () => MASKED;
    if (oauth.isName(name)) return (value) => (oauth.isSecret(name, value) ? MASKED : value);
    JSON_VALUE.lastIndex = from;
    return JSON_VALUE.test(text) ? maskJsonValue : null;
  };
  const equals = /=|%(?:25)*3d/gi;
  let masked = "";
  let kept = 0;
  let floor = 0;
  for (let at = equals.exec(text); at !== null; at = equals.exec(text)) {
    const from = at.index + at[0].length;
    const mask = maskOf(nameBefore(text, at.index, floor, BEFORE_QUERY_NAME), from);
    floor = mask ? valueEnd(text, at[0], from) : from;
    if (mask && floor > from) {
      masked += text.slice(kept, from) + mask(text.slice(from, floor));
      kept = floor;
    }
    equals.lastIndex = floor;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** Between a name and its value: `: `, `=`, `=>`, optionally after the quote that ends the name. */
const PAIR_SIGN = /\\{0,8}["']?\s{0,8}[:=：＝]>?\s{0,40}/g;
/** A block of YAML: `|`, and the lines that are indented, even with escaped line ends. */
const BLOCK = /[|>][+\-\d]{0,2}[ \t]{0,8}(?:(?:\r?\n|(?:\\r)?\\n)(?:[ \t]+[^\r\n]*|(?=\r?\n)))+/y;

export interface Pair {
  readonly name: string;
  /** The sign between the name and the value. */
  readonly sign: string;
  /** Where the value begins. */
  readonly from: number;
}

/** @param endOf the end of the value of a secret; where it begins when it is none */
export function maskEachPair(text: string, endOf: (text: string, pair: Pair) => number): string {
  let masked = "";
  let kept = 0;
  let floor = 0;
  PAIR_SIGN.lastIndex = 0;
  for (let at = PAIR_SIGN.exec(text); at !== null; at = PAIR_SIGN.exec(text)) {
    const [sign] = at;
    const from = at.index + sign.length;
    const name = nameBefore(text, at.index, floor, BEFORE_PAIR_NAME);
    const isSecret = isSecretName(lastWords(name)) && !text.startsWith(MASKED, from);
    floor = isSecret ? endOf(text, { name, sign, from }) : from;
    if (floor > from) {
      masked += text.slice(kept, from) + MASKED;
      kept = floor;
    }
    PAIR_SIGN.lastIndex = floor;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** `credit card number` of a longer sentence. */
export const lastWords = (name: string): string => name.trim().split(/\s+/).slice(-3).join(" ");

/** Masks `"token": "abc"` and `Cookie: a=b` in a text that cannot be parsed. It masks too much rather than too little. */
export const maskPairs = (text: string): string =>
  maskEachPair(text, (whole, { sign, from }) => pairEnd(whole, from, /[=＝]/.test(sign)));

/**
 * The end of a value: after its closing quote, or at the end of the word (after `=`) or of the line (after `:`). An object or
 * a list extends to the end of the text.
 */
export function pairEnd(text: string, from: number, equals: boolean): number {
  BLOCK.lastIndex = from;
  if (BLOCK.test(text)) return BLOCK.lastIndex;
  const quote = /\\{0,8}["']/y;
  quote.lastIndex = from;
  const opening = quote.exec(text)?.[0];
  if (opening === undefined) {
    if (!equals && (text[from] === "{" || text[from] === "[")) return text.length;
    const end = text.slice(from).search(equals ? /[\s&#"'<>,;}]/ : /[\r\n}]/);
    return end === -1 ? text.length : from + end;
  }
  let end = text.indexOf(opening, from + opening.length);
  while (end !== -1 && text[end - 1] === "\\") end = text.indexOf(opening, end + opening.length);
  return end === -1 ? text.length : end + opening.length;
}

/** A name and its value in a row of a table. */
const ROW = /((?:^|\n|\\n)([^\t\r\n:=\\]{2,64})(?:\t+|\\t))([^\t\r\n\\]+)(?=$|[\r\n]|\\[rn])/g;
/** The names of two columns. */
const COLUMN = /^(?:e-?mail|user|user ?name|login|name|id|role|value)$/i;

/** Masks `password<TAB>x`. */
export function maskRows(text: string): string {
  if (!text.includes("\t") && !text.includes("\\t")) return text;
  return text.replace(ROW, (written, head: string, name: string, value: string) =>
    namesSecret(name) && !COLUMN.test(value) && !namesSecret(value) ? head + MASKED : written,
  );
}

/** The start tag of an XML element, even with escaped brackets. Its content ends with the end tag of the same name. */
const START_TAG = /(?:<|&lt;)(?<name>[^\s<>&/"'=?!]{1,120})(?<attributes>\s[^<>&]*)?(?<!\/)(?:>|&gt;)/g;
/** An element that is a name, and the start tag of the next one: `<key>password</key><string>`. */
const NAME_ELEMENT = />\s{0,9}(?<name>[^<>]{2,64})<\/[^<>]{1,120}>\s{0,99}<[^<>/]{1,200}(?<!\/)>/g;
/** The head of a part of a form (multipart/form-data). Its content ends with the next boundary. */
const PART_HEAD = /\bname="(?<name>[^"\r\n]{1,120})"[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,5}\r?\n/g;
/** Attributes that name a field, and those that hold its value. */
const NAME_ATTRIBUTE =
  /\s(?:name|key|type|field|id|autocomplete|label|property)\s{0,9}=\s{0,9}\\?["']?([^"'\s<>\\]{1,80})/gi;
const VALUE_ATTRIBUTE =
  /(\s(?:value|content|data-value)\s{0,9}=\s{0,9})("[^"]*"?|'[^']*'?|\\"[^"]*"?|[^\s<>"'\\]+)/gi;

const hasNamingAttribute = (attributes: string): boolean =>
  attributes.includes("=") && [...attributes.matchAll(NAME_ATTRIBUTE)].some(([, name]) => namesSecret(name));

type Head = Readonly<Record<string, string | undefined>>;

/** Masks what follows each head, until its end. @param endOf the end of a secret; null when it is none; -1: the end of the text */
function maskAfter(text: string, head: RegExp, endOf: (head: Head, from: number) => number | null): string {
  let masked = "";
  let kept = 0;
  head.lastIndex = 0;
  for (let at = head.exec(text); at !== null; at = head.exec(text)) {
    const from = head.lastIndex;
    const end = endOf(at.groups ?? {}, from);
    if (end === null) continue;
    const to = end === -1 ? text.length : end;
    if (to > from) masked += text.slice(kept, from) + MASKED;
    kept = to > from ? to : kept;
    head.lastIndex = to;
  }
  return kept === 0 ? text : masked + text.slice(kept);
}

/** An element may have a namespace before its name. */
const isSecretElement = (name: string): boolean => isSecretName(name.replace(/^.*:/, ""));

function elementEnd(text: string, { name = "", attributes = "" }: Head, from: number): number | null {
  if (isSecretElement(name)) {
    const plain = text.indexOf(`</${name}`, from);
    const escaped = text.indexOf(`&lt;/${name}`, from);
    return escaped !== -1 && (plain === -1 || escaped < plain) ? escaped : plain;
  }
  return hasNamingAttribute(attributes) ? text.indexOf("<", from) : null;
}

const maskInputs = (text: string): string =>
  text.replace(/<[^<>]{1,2000}>?/g, (tag) =>
    hasNamingAttribute(tag) ? tag.replace(VALUE_ATTRIBUTE, `$1"${MASKED}"`) : tag,
  );

/** Masks elements of XML and HTML with secret names, and values that an element or an attribute beside them names. */
export function maskElements(text: string): string {
  if (!text.includes("<") && !text.includes("&lt;")) return text;
  const elements = maskAfter(text, START_TAG, (head, from) => elementEnd(text, head, from));
  const named = maskAfter(elements, NAME_ELEMENT, ({ name }, from) =>
    namesSecret(name) ? elements.indexOf("<", from) : null,
  );
  return maskInputs(named);
}

/** Masks parts of a form with secret names. */
export const maskFormParts = (text: string): string =>
  maskAfter(text, PART_HEAD, ({ name = "" }, from) =>
    isSecretName(name) ? text.indexOf("\n--", from) : null,
  );

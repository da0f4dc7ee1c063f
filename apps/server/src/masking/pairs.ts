/** Finds values whose name is beside them: `{name: "password", value: "x"}`, `["password", "x"]`. */
import { isSecretName } from "./secret-names.ts";

const words = (text: string) => new Set(text.split(" "));
/** Members that hold a name. */
const NAMES = words(
  "name key k n field fieldname header headername param parameter property prop attribute attr label id variable",
);
/** Members that hold the value of that name. */
const VALUES = words(
  "value val v values content text input answer data string newvalue oldvalue previousvalue currentvalue defaultvalue default stringvalue",
);
/** Labels of secret fields. Other labels with spaces are titles: "Cookie jar". */
const LABEL =
  /passw|pass ?(?:phrase|code)|secret|\bpin\b|card ?(?:number|no\b)|security ?code|\bcv[vc]\d?\b|\biban\b|\bssn\b|api ?key|(?:access|auth) ?token/i;
const MAX_NAME_LENGTH = 80;

const plainName = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

/** The last word of names of events and buttons: `password_reset`, "Card Added". */
const LAST_OF_EVENT = words(
  "reset resets changed change updated update forgot forgotten added add removed remove deleted delete created clicked click tapped submit submitted viewed view opened open closed close failed failure error success succeeded successful expired shown show hidden hide toggle toggled visibility started start completed complete requested request sent verified refreshed rotated revoked entered strength hint help policy page form button btn link modal dialog popup banner screen step consent accepted accept declined decline rejected reject settings preferences notice event count saved save selected required invalid valid type",
);
/** Their first word: `forgot_password`, "Clicked Add Card". */
const FIRST_OF_EVENT = words(
  "forgot forget change changed add added remove removed delete deleted show hide toggle click clicked tap tapped submit submitted view viewed open opened close closed accept accepted decline declined reject rejected save saved choose select selected",
);

/** Whether a name is that of an event, a button or a page. */
function namesEvent(name: string): boolean {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "");
  return parts.length > 1 && (LAST_OF_EVENT.has(parts.at(-1) ?? "") || FIRST_OF_EVENT.has(parts[0] ?? ""));
}

/** Whether a text is the name of a secret: an identifier, or the label of a field. */
export function namesSecret(text: unknown): boolean {
  if (typeof text !== "string" || text.length > MAX_NAME_LENGTH || namesEvent(text)) return false;
  return /\s/.test(text.trim()) ? LABEL.test(text.normalize("NFKC")) : isSecretName(text.trim());
}

/** Types of fields whose value is a secret. */
const TYPE = /^(?:input)?type$|^kind$|^autocomplete$/;
const SECRET_TYPE =
  /^(?:(?:current|new)?(?:password|passwd|passphrase|passcode)|pin|otp|totp|secret|apikey|token|bearer|(?:access|refresh|id)token|onetimecode|ccnumber|cccsc|cardnumber|cvv|cvc)$/;
const isSecretType = (name: string, value: unknown): boolean =>
  TYPE.test(plainName(name).replace(/^(?:field|input|control)/, "")) &&
  typeof value === "string" &&
  SECRET_TYPE.test(plainName(value));

/** Pairs as some languages write them: `{first: "password", second: "x"}`. */
const PAIRS = ["first second", "left right", "item1 item2", "_1 _2", "0 1"].map((pair) => pair.split(" "));

function valueOfPair(members: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  if (names.length !== 2) return [];
  const pair = PAIRS.find((one) => one.every((name) => names.some((other) => other.toLowerCase() === name)));
  const first = names.find((name) => name.toLowerCase() === pair?.[0]);
  if (pair === undefined || first === undefined) return [];
  const name = members[first];
  const isName = typeof name === "string" && IDENTIFIER.test(name) && namesSecret(name);
  return isName ? names.filter((other) => other !== first) : [];
}

/** The members whose value is that of a secret, because another member names it. */
export function valuesOfSecret(members: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(members);
  const values = names.filter((name) => VALUES.has(plainName(name)) || /value$/i.test(name));
  if (values.length === 0) return valueOfPair(members, names);
  const isNamed = names.some(
    (name) =>
      ((NAMES.has(plainName(name)) || /name$/i.test(name)) && namesSecret(members[name])) ||
      isSecretType(name, members[name]),
  );
  return isNamed ? values : [];
}

/** `x-api-key`, but not `token:refresh`. */
const IDENTIFIER = /^[\p{L}\p{N}_-]+$/u;
/** A word of a list of names: `email`, `first_name`. */
const NAME_WORD = /^[a-z][a-z_.-]*$/i;

/** Whether the item after a name in a list is its value. @param isPair whether the list is one of several pairs */
export function isValueInList(list: readonly unknown[], index: number, isPair: boolean): boolean {
  const value = list[index];
  if (index === 0 || (typeof value !== "string" && typeof value !== "number")) return false;
  if (isPair) return list.length === 2 && namesSecret(list[0]);
  const name = list[index - 1];
  return (
    typeof name === "string" && IDENTIFIER.test(name) && namesSecret(name) && !NAME_WORD.test(String(value))
  );
}

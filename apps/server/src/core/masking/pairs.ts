/** Finds values whose name stands beside them: `{name: "password", value: "x"}`, `["password", "x"]`. */
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
/** What a label says of a field that is secret. Other labels with spaces are titles: "Cookie jar". */
const LABEL =
  /passw|pass ?(?:phrase|code)|secret|\bpin\b|card ?(?:number|no\b)|security ?code|\bcv[vc]\d?\b|\biban\b|\bssn\b|api ?key|(?:access|auth) ?token/i;
const MAX_NAME_LENGTH = 80;

const plainName = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

/** Whether a text is the name of a secret: an identifier, or the label of a field. */
export function namesSecret(text: unknown): boolean {
  if (typeof text !== "string" || text.length > MAX_NAME_LENGTH) return false;
  return /\s/.test(text.trim()) ? LABEL.test(text.normalize("NFKC")) : isSecretName(text.trim());
}

/** The members whose value is that of a secret, because another member names it. */
export function valuesOfSecret(members: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(members);
  const values = names.filter((name) => VALUES.has(plainName(name)) || /value$/i.test(name));
  if (values.length === 0) return [];
  const isNamed = names.some(
    (name) => (NAMES.has(plainName(name)) || /name$/i.test(name)) && namesSecret(members[name]),
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

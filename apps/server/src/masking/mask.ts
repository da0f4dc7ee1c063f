/** Masks secrets and personal data before they are stored: values of secret names, query strings, e-mail addresses. */
import { parseExactJson } from "../core/exact-json.ts";
import { isCardNumber, maskCardGroups } from "./cards.ts";
import { maskEmails, mayHoldEmail } from "./emails.ts";
import { decodeSigns, MASKED, showLetters } from "./hidden.ts";
import { maskElements, maskFormParts, maskPairs, maskQuery, maskRows } from "./mask-text.ts";
import { nestsDeeply } from "./nesting.ts";
import { isValueInList, valuesOfSecret } from "./pairs.ts";
import { maskPathTokens } from "./path-tokens.ts";
import { maskFlags, maskProse } from "./prose.ts";
import { isSecretName, mayNameSecret } from "./secret-names.ts";
import { maskSecretValues, mayHoldSecretValue } from "./secret-values.ts";
import { maskKeyLines } from "./vendor-keys.ts";

/** If false, the text contains no secret. */
const mayHoldSecret = (text: string): boolean => mayNameSecret(text) || mayHoldSecretValue(text);

/**
 * Masks a JSON text that does not nest deeply. null if the text is not JSON. A text without secrets, the usual case, is
 * searched but not parsed.
 */
export function maskJson(text: string): string | null {
  const escaped = text.includes("\\") && mayHoldEmail(text);
  if (!escaped && !mayHoldSecret(text)) return maskEmails(maskPathTokens(text));
  try {
    return JSON.stringify(maskValue(parseExactJson(text)));
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Masks a value in place. The recursion is bounded, because texts that nest deeply are not parsed. */
function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskString(value);
  if (Array.isArray(value)) {
    maskItems(value, false);
    return value;
  }
  if (isRecord(value)) maskMembers(value);
  return typeof value === "number" && isCardNumber(String(value)) ? MASKED : value;
}

/** @param isPair whether the list is one of several pairs of a name and a value */
function maskItems(list: unknown[], isPair: boolean): void {
  if (maskKeyLines(list) || maskCardGroups(list)) return;
  const holdsPairs = list.every((item) => Array.isArray(item) && item.length === 2);
  // a value is judged by the name before it, so the last one is masked first
  for (let index = list.length - 1; index >= 0; index--) {
    const item: unknown = list[index];
    if (holdsPairs && Array.isArray(item)) maskItems(item, true);
    else list[index] = isValueInList(list, index, isPair) ? maskSecret(item) : maskValue(item);
  }
}

/** A code of a sign-in or an invitation is random; other codes are short, or words. */
const CODE_NAME = /^(?:code|invitation|invite|nonce|state|verifier)$/i;
const RANDOM = /^(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}$/;
const isRandomCode = (name: string, value: unknown): boolean =>
  typeof value === "string" && CODE_NAME.test(name) && RANDOM.test(value);

/** In parsed objects `__proto__` is an ordinary member, so assigning to it only replaces its value. */
function maskMembers(members: Record<string, unknown>): void {
  const named = valuesOfSecret(members);
  for (const name of Object.keys(members)) {
    const value = members[name];
    const isSecret = isSecretName(name) || named.includes(name) || isRandomCode(name, value);
    const masked = isSecret ? maskSecret(value) : maskValue(value);
    const maskedName = maskString(name);
    if (maskedName !== name) delete members[name];
    if (maskedName !== name || masked !== value) members[maskedName] = masked;
  }
}

/** Secrets that are null, empty or a boolean stay visible. */
function maskSecret(value: unknown): unknown {
  return value === null || value === "" || typeof value === "boolean" ? value : MASKED;
}

/** Masks a string, and what is inside it: JSON, a query string, XML, a form, or a sentence. */
export const maskString = (text: string): string => maskHidden(text, maskPlainString);

/** Masks also what hides behind other letters, entities or escapes. The text is then shown with plain letters. */
function maskHidden(text: string, mask: (text: string) => string): string {
  const masked = mask(text);
  const letters = showLetters(text);
  const shown = letters === text ? masked : mask(letters);
  const kept = shown === letters || shown === showLetters(masked) ? masked : shown;
  const decoded = decodeSigns(kept);
  if (decoded === kept) return kept;
  const again = mask(decoded);
  return again === decoded ? kept : again;
}

function maskPlainString(text: string): string {
  if (text.length < 3) return text;
  const paths = maskPathTokens(text);
  if (!mayHoldSecret(paths)) return maskEmails(paths);
  const json = maskJsonText(paths);
  const masked = maskSecretValues(maskQuery(json ?? maskUnparsed(paths), maskNested));
  if (json !== null) return maskEmails(masked);
  // Addresses first: the domain of `ann@pw.example: 9` is no name.
  return maskProse(maskEmails(maskRows(maskFormParts(maskElements(masked)))));
}

const looksLikeJson = (text: string): boolean => /^\s*[{["]/.test(text);

/** null if the text is not JSON, or nests too deeply to be parsed. */
const maskJsonText = (text: string): string | null =>
  looksLikeJson(text) && !nestsDeeply(text) ? maskJson(text) : null;

/** JSON that was cut, and `{a: 'x'}`, but not a title: `[Guide] Password: how to reset it`. */
const BROKEN_JSON = /^\s*(?:[{[]\s*["'{[]|\{\s*[\w-]+\s*:|"(?:[^"\\]|\\.)*"\s*[:,])/;
const maskUnparsed = (text: string): string => (BROKEN_JSON.test(text) ? maskPairs(text) : text);
const maskNested = (text: string): string => maskJsonText(text) ?? maskUnparsed(text);

/** Masks a text of unknown form, such as the head of a body that is not JSON. */
export const maskText = (text: string): string => maskHidden(text, maskPlainText);

function maskPlainText(text: string): string {
  const plain = text.replace(/\\u00([2-7][0-9a-f])/gi, (written, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w@.%=<>:/-]/.test(char) ? char : written;
  });
  const parts = maskFormParts(maskElements(maskPathTokens(plain)));
  return maskEmails(maskSecretValues(maskFlags(maskRows(maskPairs(maskQuery(parts, maskNested))))));
}

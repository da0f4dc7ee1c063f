/** Masks secrets and personal data before they are stored: values of secret names, query strings, e-mail addresses. */
import { maskEmails, mayHoldEmail } from "./emails.ts";
import { maskElements, maskFormParts, maskPairs, maskQuery } from "./mask-text.ts";
import { nestsDeeply } from "./nesting.ts";
import { maskPathTokens } from "./path-tokens.ts";
import { isSecretName, mayNameSecret } from "./secret-names.ts";
import { isCardNumber, MASKED, maskSecretValues, mayHoldSecretValue } from "./secret-values.ts";

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
    return JSON.stringify(maskValue(JSON.parse(text)));
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
    for (let index = 0; index < value.length; index++) value[index] = maskValue(value[index]);
    return value;
  }
  if (isRecord(value)) maskMembers(value);
  return typeof value === "number" && isCardNumber(String(value)) ? MASKED : value;
}

/** In parsed objects `__proto__` is an ordinary member, so assigning to it only replaces its value. */
function maskMembers(members: Record<string, unknown>): void {
  for (const name of Object.keys(members)) {
    const value = members[name];
    const masked = isSecretName(name) ? maskSecret(value) : maskValue(value);
    const maskedName = maskString(name);
    if (maskedName !== name) delete members[name];
    if (maskedName !== name || masked !== value) members[maskedName] = masked;
  }
}

/** Secrets that are null, empty or a boolean stay visible. */
function maskSecret(value: unknown): unknown {
  return value === null || value === "" || typeof value === "boolean" ? value : MASKED;
}

/** Masks a string, and JSON or a query string inside it. */
export function maskString(text: string): string {
  if (text.length < 3) return text;
  const masked = maskPathTokens(text);
  if (!mayHoldSecret(masked)) return maskEmails(masked);
  return maskEmails(maskSecretValues(maskQuery(maskNested(masked), maskNested)));
}

function maskNested(text: string): string {
  if (!/^\s*[{["]/.test(text)) return text;
  return (nestsDeeply(text) ? null : maskJson(text)) ?? maskPairs(text);
}

/** Masks a text of unknown form, such as the head of a body that is not JSON. */
export function maskText(text: string): string {
  const plain = text.replace(/\\u00([2-7][0-9a-f])/gi, (written, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w@.%=-]/.test(char) ? char : written;
  });
  const parts = maskFormParts(maskElements(maskPathTokens(plain)));
  return maskEmails(maskSecretValues(maskPairs(maskQuery(parts, maskNested))));
}

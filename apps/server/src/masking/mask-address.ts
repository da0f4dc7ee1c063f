/** Masks secrets and personal data in the address of a page. Pure. */
import { MASKED } from "./hidden.ts";
import { maskString } from "./mask.ts";
import { maskWebhooks } from "./vendor-keys.ts";

/** The scheme and the host of an address. They are not masked, so that the address can still be parsed. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\@]*(?=[/?#\\]|$)/i;
/** `URL.parse` removes these. Left in, they could split the name of a secret parameter (`to\nken=`), so that it is not found. */
const IGNORED = /[\t\n\r]/g;

/** Removes the user name and the password from an address. A text that is not an address stays as it is. */
function withoutCredentials(text: string): string {
  const parsed = text.includes("@") ? URL.parse(text) : null;
  if (!parsed || (parsed.username === "" && parsed.password === "")) return text;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/**
 * Masks credentials, e-mail addresses, tokens, card numbers and the values of secret parameters in an address, even in its
 * fragment. In a text that is not an address, everything is masked that looks like one of these.
 */
export function maskAddress(text: string): string {
  const address = maskWebhooks(withoutCredentials(text.replace(IGNORED, "")));
  const [origin = ""] = ORIGIN.exec(address) ?? [];
  return origin + maskWholly(address.slice(origin.length));
}

/** Masking can join the text before and after a secret to a new secret, so it is repeated. Real texts need two rounds. */
const MAX_ROUNDS = 3;

/** Masks a text until another round would change nothing. After `MAX_ROUNDS` the whole text is replaced. */
export function maskWholly(text: string): string {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const masked = maskString(before);
    if (masked === before) return masked;
    before = masked;
  }
  return maskString(before) === before ? before : MASKED;
}

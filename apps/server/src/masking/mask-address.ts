/** Masks secrets and personal data in the address of a page. Pure. */
import { MASKED } from "./hidden.ts";
import { maskString } from "./mask.ts";
import { maskWebhooks } from "./vendor-keys.ts";

/** The scheme and the host of an address. They are not masked, so that the address can still be parsed. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\@]*(?=[/?#\\]|$)/i;
/** `URL.parse` removes these, so they could hide a name. */
const IGNORED = /[\t\n\r]/g;

/** Removes the user name and the password from an address; other text is returned as it is. */
function withoutCredentials(text: string): string {
  const parsed = text.includes("@") ? URL.parse(text) : null;
  if (!parsed || (parsed.username === "" && parsed.password === "")) return text;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/**
 * The address without credentials, e-mail addresses, tokens, card numbers and the values of secret parameters, also in its
 * fragment. Other text than an address is masked as a whole.
 */
export function maskAddress(text: string): string {
  const address = maskWebhooks(withoutCredentials(text.replace(IGNORED, "")));
  const [origin = ""] = ORIGIN.exec(address) ?? [];
  return origin + maskWholly(address.slice(origin.length));
}

/** Masking can join the text before and after a secret to another secret. Real texts need two rounds at most. */
const MAX_ROUNDS = 3;

/** Masks a text so that masking it again would change nothing. One that each round changes again is hidden as a whole. */
export function maskWholly(text: string): string {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const masked = maskString(before);
    if (masked === before) return masked;
    before = masked;
  }
  return maskString(before) === before ? before : MASKED;
}

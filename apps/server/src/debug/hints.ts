import { ERRORS } from "@headwater/contract/errors";
import { EVENT_CODES } from "@headwater/contract/event-codes";

/** What to do about a code, in general; a refusal of a request carries a hint with the value to paste. */
export function hintOf(code: string): string {
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code as keyof typeof ERRORS].hint;
  if (Object.hasOwn(EVENT_CODES, code)) return EVENT_CODES[code as keyof typeof EVENT_CODES];
  return "";
}

export const PROXY_UNTRUSTED = {
  code: "proxy_untrusted",
  message: "Requests carry X-Forwarded-For from a private address that TRUST_PROXY does not vouch for.",
  hint: "Set TRUST_PROXY=1 for one proxy in front of the service, or to the proxies' addresses, such as TRUST_PROXY=10.0.0.0/8; until then all clients count as one address.",
} as const;

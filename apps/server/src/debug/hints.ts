/** Hints and warnings of the debug view that do not belong to a single request. */
import { ERRORS, isErrorCode } from "@headwater/contract/errors";
import { EVENT_CODES, isEventCode } from "@headwater/contract/event-codes";

/** The general hint of a code. The refusal of one request can have a better hint, with the value to paste. */
export function hintOf(code: string): string {
  if (isErrorCode(code)) return ERRORS[code].hint;
  return isEventCode(code) ? EVENT_CODES[code] : "";
}

export const PLAN_VIOLATED = {
  code: "plan_violation",
  message: "Accepted events violate the tracking plan.",
  hint: "Look at the violations in the debug view, and correct the application or the plan.",
} as const;

export const PROXY_UNTRUSTED = {
  code: "proxy_untrusted",
  message:
    "Requests from a private address carry X-Forwarded-For, but TRUST_PROXY does not include that address.",
  hint: "Set TRUST_PROXY=1 for one proxy in front of the service, or to the proxies' addresses, such as TRUST_PROXY=10.0.0.0/8. Until then all clients count as one address.",
} as const;

export const NO_ALLOWED_ORIGIN = {
  code: "no_allowed_origin",
  message: "The source allows no origin, so every browser is refused. Requests without an Origin still pass.",
  hint: "Add the site's address to `allowedOrigins`, unless only servers send events.",
} as const;

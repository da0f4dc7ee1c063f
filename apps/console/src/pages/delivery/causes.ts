/** Why events did not arrive, in the words of a site's owner, and what to do. */
import { EVENT_CODES, isEventCode, type LossCause } from "@headwater/contract/event-codes";
import { meaningOf } from "../debug/attempt-summary.ts";

export interface Cause {
  readonly title: string;
  /** One sentence on the cause, and the advice. */
  readonly advice: string;
}

/** The causes that a client reports, and one that the statement adds. */
const CAUSES: Readonly<Record<LossCause | "missing", Cause>> = {
  queue_full: {
    title: "Browser queue full",
    advice: "A browser can keep about 1,500 unsent events. Send fewer events per page.",
  },
  too_old: {
    title: "Unsent for more than a day",
    advice:
      "The browser was offline, or its requests were refused or blocked. Check Debug for refused requests on these days.",
  },
  refused: {
    title: "Request refused",
    advice: "The event was invalid or too large. Find the request in Debug, and correct what the site sends.",
  },
  unreachable: {
    title: "Service unreachable",
    advice: "A server that sends events could not reach this service. Check its network and the address.",
  },
  missing: {
    title: "Never arrived",
    advice:
      "The page was closed before the event was sent, or the browser’s storage was cleared. A few such events are normal. If there are many, ad blockers are the likely cause: serve the script from your own domain.",
  },
};

/** @param code a cause of a statement */
export function causeFor(code: string): Cause {
  const known = Object.entries(CAUSES).find(([name]) => name === code);
  if (known) return known[1];
  return { title: meaningOf(code), advice: isEventCode(code) ? EVENT_CODES[code] : "" };
}

/** Is the snippet in the page, once, and with the right key? */
import type { PageSnippet } from "@headwater/contract";
import { type Evidence, type Finding, ok, unknown, warning, wrong } from "./evidence.ts";
import { hintOfNext, settingLine } from "./paste.ts";

export const page = ({ report, pageProblem }: Evidence): Finding =>
  pageProblem === null
    ? ok(`The page ${report.url} answers.`)
    : wrong(
        `The page ${report.url} ${pageProblem}.`,
        "Give the address of a page as its visitors open it, without a sign-in before it.",
      );

function tagFor({ service }: Evidence, apiBaseUrl: string): string {
  const gpc = service.respectGpc === null ? "" : ` data-respect-gpc="${service.respectGpc}"`;
  const consent = service.requireConsent ? ' data-consent="pending"' : "";
  return `<script async src="${apiBaseUrl}/sdk/v2.js" data-key="${service.publicKey}"${gpc}${consent}></script>`;
}

/** Nobody but the service knows what the source asks for. */
const consentHint = ({ requireConsent }: Evidence["service"]): string =>
  requireConsent === null ? ' If the source requires consent, add data-consent="pending" to the tag.' : "";

export function snippet(evidence: Evidence): Finding {
  const { report, pageProblem, service } = evidence;
  const [found] = report.snippets;
  if (found?.kind === "bundle") return ok("The client is in the application's own scripts.");
  if (found) return ok("The snippet is in the page.");
  if (pageProblem !== null) return unknown("Without the page its snippet cannot be looked for.");
  const base = service.apiBaseUrl;
  return wrong(
    "Neither the page nor a script that it names holds the snippet.",
    base === null
      ? "Paste what the install page shows (`headwater source install`). A snippet that a tag manager adds later is not seen here."
      : `Paste this into the page's <head>, or what the install page shows.${consentHint(service)} A snippet that a tag manager adds later is not seen here.`,
    base === null ? null : tagFor(evidence, base),
  );
}

export function snippetOnce({ report }: Evidence): Finding {
  const count = report.snippets.length;
  if (count === 0) return unknown("There is no snippet to count.");
  if (count === 1) return ok("The snippet is there once.");
  const keys = [...new Set(report.snippets.map(({ publicKey }) => publicKey ?? "no key"))];
  return wrong(
    `The snippet is in the page ${count} times (${keys.join(", ")}); with different keys or addresses every view is counted by each.`,
    "Remove all but one: look into layouts, tag managers and plugins.",
  );
}

const REPLACED =
  "Paste the current snippet of the source's install page, or let the old key in for a while with restore-key.";
const COPY = "Copy the key from the source's install page.";

/** The right key itself may be none: then it must not be recommended. */
function rightKey({ service }: Evidence): Finding | null {
  const { publicKey, rightKeyState } = service;
  if (rightKeyState === "unknown") return wrong(`No source has the key ${publicKey}.`, COPY);
  return rightKeyState === "retired"
    ? wrong(`The key ${publicKey} was replaced by a newer one.`, REPLACED)
    : null;
}

/** A page that has another key than the right one. */
function otherKey(found: PageSnippet, given: string, { service }: Evidence): Finding {
  const { publicKey, keyState } = service;
  const paste = settingLine(found, "key", publicKey);
  const put = `Put the source's current key in.${hintOfNext(found, "data-key")}`;
  switch (keyState) {
    case "retired":
      return wrong(`The page has the key ${given}, which was replaced by a newer one.`, put, paste);
    case "unknown":
      return wrong(`The page has the key ${given}, which is not the source's.`, put, paste);
    case "previous": {
      const message = `The page has the previous key ${given}, which is let in for a while only.`;
      return warning(message, put, paste);
    }
    default: {
      const message = `The page has the key ${given}, and not ${publicKey}.`;
      return wrong(message, `It is another source's, or a previous one that is still let in. ${put}`, paste);
    }
  }
}

export function key(evidence: Evidence): Finding {
  const [found] = evidence.report.snippets;
  const { publicKey } = evidence.service;
  const problem = rightKey(evidence);
  if (problem) return problem;
  if (!found) return unknown("There is no snippet to read a key from.");
  if (!found.publicKey) {
    const put = `Put the key of the source in.${hintOfNext(found, "data-key")}`;
    return wrong("The snippet has no key.", put, settingLine(found, "key", publicKey));
  }
  if (found.publicKey === publicKey) return ok(`The key is ${publicKey}.`);
  return otherKey(found, found.publicKey, evidence);
}

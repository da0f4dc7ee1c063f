/** Checks that the page has the snippet, once, and with the right key. */

import type { PageSnippet } from "@headwater/contract";
import { HEADWATER } from "../core/command-name.ts";
import { browserSnippet } from "../install/snippets/browser.ts";
import { type CheckFinding, type Evidence, NOT_REQUESTED, ok, unknown, warning, wrong } from "./evidence.ts";
import { hintForNextJs, renderSetting } from "./paste.ts";

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function checkPage({ report, pageProblem, service }: Evidence): CheckFinding {
  const { url } = report;
  if (pageProblem === null) return ok(`The page ${url} responds.`);
  const problem = `The page ${url} ${pageProblem}.`;
  if (!pageProblem.startsWith(NOT_REQUESTED))
    return wrong(problem, "Give the URL of a page that visitors open. It must not require a sign-in.");
  const api = service.apiBaseUrl === null ? "" : ` --api ${service.apiBaseUrl}`;
  return wrong(
    problem,
    "The server can open only public addresses. Run this command on a machine that can open the page:",
    `${HEADWATER} doctor ${shellQuote(url)} --key ${service.publicKey}${api}`,
  );
}

/** The HTML snippet of the install page. */
const renderSnippet = ({ service }: Evidence, apiBaseUrl: string): string =>
  browserSnippet({
    publicKey: service.publicKey,
    apiBaseUrl,
    requireConsent: service.requireConsent === true,
    respectGpc: service.respectGpc,
    engagement: service.engagement === true,
  });

/** `headwater doctor` does not know whether the source requires consent. */
const consentHint = ({ requireConsent }: Evidence["service"]): string =>
  requireConsent === null
    ? ' If the source requires consent, set script.dataset.consent = "pending" in it.'
    : "";

const TAG_MANAGER = "A snippet that a tag manager adds later is not found by this check.";

export function checkSnippet(evidence: Evidence): CheckFinding {
  const { report, pageProblem, service } = evidence;
  const [found] = report.snippets;
  if (found?.kind === "bundle") return ok("The client is in the application's own scripts.");
  if (found) return ok("The snippet is in the page.");
  if (pageProblem !== null) return unknown("The page could not be searched for the snippet.");
  const base = service.apiBaseUrl;
  return wrong(
    "Neither the page nor its scripts contain the snippet.",
    base === null
      ? `Paste what the install page shows (\`${HEADWATER} source install\`). ${TAG_MANAGER}`
      : `Paste this into the page's <head>, or what the install page shows.${consentHint(service)} ${TAG_MANAGER}`,
    base === null ? null : renderSnippet(evidence, base),
  );
}

export function checkSnippetOnce({ report }: Evidence): CheckFinding {
  const count = report.snippets.length;
  if (count === 0) return unknown("No snippet was found.");
  if (count === 1) return ok("The page has the snippet once.");
  const keys = [...new Set(report.snippets.map(({ publicKey }) => publicKey ?? "no key"))];
  return wrong(
    `The page has the snippet ${count} times (${keys.join(", ")}). With different keys or API URLs, each snippet counts every page view, so views are counted more than once.`,
    "Remove all but one. Check layouts, tag managers and plugins.",
  );
}

/** Checks the key that the page should have. If it is unknown or retired, the other checks must not recommend it. */
function checkExpectedKey({ service }: Evidence): CheckFinding | null {
  const { publicKey, expectedKeyState } = service;
  if (expectedKeyState === "unknown")
    return wrong(
      `No source has the key ${publicKey}.`,
      `Copy the key from the source's install page. \`${HEADWATER} source list\` shows the keys too.`,
    );
  if (expectedKeyState === "retired")
    return wrong(
      `The key ${publicKey} was replaced by a newer one.`,
      `Paste the current snippet from the source's install page. \`${installCommand(service)}\` prints it too. To accept the old key for some time, use POST /api/tracking-sources/:sourceId/restore-key.`,
    );
  return null;
}

const describeEnd = (endsAt: number | null): string =>
  endsAt === null
    ? "is accepted for a limited time only"
    : `stops working on ${new Date(endsAt).toISOString().slice(0, 16).replace("T", " at ")} UTC`;

const installCommand = ({ sourceId }: Evidence["service"]): string =>
  `${HEADWATER} source install ${sourceId ?? "<source id>"}`;

/** The page has a key that is not the expected one. */
function explainOtherKey(found: PageSnippet, keyInPage: string, { service }: Evidence): CheckFinding {
  const { publicKey, pageKeyState } = service;
  const paste = renderSetting(found, "key", publicKey);
  const hint = `Use the source's current key.${hintForNextJs(found, "data-key")}`;
  switch (pageKeyState) {
    case "retired":
      return wrong(`The page has the key ${keyInPage}, which was replaced by a newer one.`, hint, paste);
    case "unknown":
      return wrong(`The page has the key ${keyInPage}, which is not a key of the source.`, hint, paste);
    case "previous": {
      const message = `The page has the previous key ${keyInPage}, which ${describeEnd(service.pageKeyEndsAt)}.`;
      return warning(message, hint, paste);
    }
    default: {
      const message = `The page has the key ${keyInPage}, not ${publicKey}.`;
      return wrong(
        message,
        `It is the key of another source, or a previous key that is still accepted. ${hint}`,
        paste,
      );
    }
  }
}

export function checkKey(evidence: Evidence): CheckFinding {
  const [found] = evidence.report.snippets;
  const { publicKey, pageKeyEndsAt } = evidence.service;
  const problem = checkExpectedKey(evidence);
  if (problem) return problem;
  if (!found) return unknown("No snippet was found, so there is no key to check.");
  if (!found.publicKey) {
    const hint = `Add the source's key.${hintForNextJs(found, "data-key")}`;
    return wrong("The snippet has no key.", hint, renderSetting(found, "key", publicKey));
  }
  if (found.publicKey === publicKey) {
    if (pageKeyEndsAt === null) return ok(`The key is ${publicKey}.`);
    return warning(
      `The key ${publicKey} was replaced by a newer one, and ${describeEnd(pageKeyEndsAt)}.`,
      "Before then, paste the current snippet into the page. The source's install page shows it, and this command prints it:",
      installCommand(evidence.service),
    );
  }
  return explainOtherKey(found, found.publicKey, evidence);
}

/** Checks that the page's Content-Security-Policy allows the client to load, run and send. */
import type { PageSnippet } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { apiBaseOf, type CheckFinding, type Evidence, ok, scriptUrlOf, unknown, wrong } from "./evidence.ts";
import {
  allowsInline,
  allowsUrl,
  type Directive,
  findDirective,
  hasKeyword,
  hasNonce,
  MAX_POLICY_LENGTH,
  type Policy,
  parsePolicies,
} from "./policy.ts";

const SCRIPT_DIRECTIVES = ["script-src-elem", "script-src", "default-src"];
const CONNECT_DIRECTIVES = ["connect-src", "default-src"];
const NO_POLICY = "The page has no Content-Security-Policy.";
const WHERE = "Allow it in the header or the <meta> that has the policy.";

/** The directive with one more source. */
function addSource(name: string, { sources }: Directive, missing: string): string {
  const kept = sources.filter((source) => source.toLowerCase() !== "'none'");
  return [name, ...kept, missing].join(" ");
}

/** The directive to change for scripts: `default-src` stays as it is, scripts get their own directive. */
const nameToChange = ({ name }: Directive) => (name === "default-src" ? "script-src" : name);

/** A policy that was not read may block what the others allow. */
function okUnlessUnread({ hasUnreadPolicy }: Evidence, message: string): CheckFinding {
  const limit = `at most ${LIMITS.maxReportedPolicies} policies of ${MAX_POLICY_LENGTH} characters are read`;
  return hasUnreadPolicy
    ? unknown(`The page has a Content-Security-Policy that was not read: ${limit}.`)
    : ok(message);
}

/** Nothing is known about the policies of a page that was not fetched. */
const checkNoPolicy = (evidence: Evidence): CheckFinding =>
  evidence.pageProblem === null
    ? okUnlessUnread(evidence, NO_POLICY)
    : unknown("The page's Content-Security-Policy is unknown.");

const policiesOf = ({ report }: Evidence): Policy[] => report.policies.flatMap(parsePolicies);

/** Every policy is enforced, so the first problem decides. */
function findFirstProblem(
  policies: readonly Policy[],
  findProblem: (policy: Policy) => CheckFinding | null,
): CheckFinding | null {
  for (const policy of policies) {
    const problem = findProblem(policy);
    if (problem) return problem;
  }
  return null;
}

export function checkConnectPolicy(evidence: Evidence): CheckFinding {
  const policies = policiesOf(evidence);
  if (policies.length === 0) return checkNoPolicy(evidence);
  const base = apiBaseOf(evidence);
  const url =
    base === null ? null : URL.parse(`${base}/api/ingest/v2/${evidence.service.publicKey}/bootstrap`);
  const page = URL.parse(evidence.report.url);
  if (!url || !page) return unknown("The address that the page sends to is unknown.");
  const problem = findFirstProblem(policies, (policy) => {
    const directive = findDirective(policy, ...CONNECT_DIRECTIVES);
    if (!directive || allowsUrl(directive, url, page)) return null;
    return wrong(
      `The page's Content-Security-Policy (${directive.name}) does not allow requests to ${url.origin}.`,
      WHERE,
      addSource("connect-src", directive, url.origin),
    );
  });
  return (
    problem ??
    okUnlessUnread(evidence, `The page's Content-Security-Policy allows requests to ${url.origin}.`)
  );
}

function findInlineProblem(directive: Directive, { nonce, hash }: PageSnippet): CheckFinding | null {
  if (allowsInline(directive, nonce, hash)) return null;
  const needsNonce = directive.sources.some((source) => source.toLowerCase().startsWith("'nonce-"));
  if (needsNonce) {
    return wrong(
      "The snippet's tag lacks the nonce that the page's Content-Security-Policy requires.",
      "Give the snippet's tag the nonce of the response, as the page's other scripts have it.",
      '<script nonce="…">',
    );
  }
  return wrong(
    `The page's Content-Security-Policy (${directive.name}) does not allow the inline snippet to run.`,
    "Allow it by its hash, or paste the tag without inline code: <script async src data-key>.",
    addSource(nameToChange(directive), directive, hash === null ? "'sha256-…'" : `'${hash}'`),
  );
}

interface ClientScript {
  readonly snippet: PageSnippet;
  /** The address of the script. */
  readonly url: URL;
  readonly page: URL;
}

function findFileProblem(directive: Directive, { snippet, url, page }: ClientScript): CheckFinding | null {
  const { kind, nonce } = snippet;
  const isStrict = hasKeyword(directive, "'strict-dynamic'");
  // a script that an allowed script adds is allowed too
  if (isStrict && kind !== "tag") return null;
  if (hasNonce(directive, nonce) && kind === "tag") return null;
  if (!isStrict && allowsUrl(directive, url, page)) return null;
  if (isStrict) {
    return wrong(
      "The page's Content-Security-Policy does not allow the tag to load the script.",
      "With 'strict-dynamic' allowed hosts are ignored: give the tag the nonce of the response.",
      '<script nonce="…"',
    );
  }
  return wrong(
    `The page's Content-Security-Policy (${directive.name}) does not allow scripts from ${url.origin}.`,
    WHERE,
    addSource(nameToChange(directive), directive, url.origin),
  );
}

export function checkScriptPolicy(evidence: Evidence): CheckFinding {
  const policies = policiesOf(evidence);
  if (policies.length === 0) return checkNoPolicy(evidence);
  const [snippet] = evidence.report.snippets;
  const page = URL.parse(evidence.report.url);
  if (!snippet || !page) return unknown("There is no snippet that a policy could block.");
  const address = scriptUrlOf(evidence);
  const isBundled = snippet.kind === "bundle" && snippet.scriptUrl === null;
  const url = address === null || isBundled ? null : URL.parse(address);
  const problem = findFirstProblem(policies, (policy) => {
    const directive = findDirective(policy, ...SCRIPT_DIRECTIVES);
    if (!directive) return null;
    const inline = snippet.kind === "inline" ? findInlineProblem(directive, snippet) : null;
    return inline ?? (url && findFileProblem(directive, { snippet, url, page }));
  });
  return (
    problem ?? okUnlessUnread(evidence, "The page's Content-Security-Policy allows the client's script.")
  );
}

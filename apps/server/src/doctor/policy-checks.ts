/** Does the page's Content-Security-Policy let the client come, run and send? */
import { LIMITS, type PageSnippet } from "@headwater/contract";
import { apiBaseOf, type Evidence, type Finding, ok, scriptUrlOf, unknown, wrong } from "./evidence.ts";
import {
  allowsInline,
  allowsUrl,
  type Directive,
  directiveOf,
  has,
  hasNonce,
  MAX_POLICY_LENGTH,
  type Policy,
  parsePolicies,
} from "./policy.ts";

const SCRIPT = ["script-src-elem", "script-src", "default-src"];
const CONNECT = ["connect-src", "default-src"];

/** The directive as it should read: what it says already, and what is missing. */
function amended(name: string, { sources }: Directive, missing: string): string {
  const kept = sources.filter((source) => source.toLowerCase() !== "'none'");
  return [name, ...kept, missing].join(" ");
}

/** What is not known of all policies is not said of the page. */
function unlessLeftOut({ isPolicyLeftOut }: Evidence, message: string): Finding {
  const bound = `${LIMITS.maxReportedPolicies} of at most ${MAX_POLICY_LENGTH} characters are`;
  return isPolicyLeftOut
    ? unknown(`The page has a Content-Security-Policy that was not looked at: ${bound}.`)
    : ok(message);
}

const policiesOf = ({ report }: Evidence): Policy[] => report.policies.flatMap(parsePolicies);

/** The first policy that is in the way decides: each of them is enforced. */
function firstProblem(policies: readonly Policy[], find: (policy: Policy) => Finding | null): Finding | null {
  for (const policy of policies) {
    const problem = find(policy);
    if (problem) return problem;
  }
  return null;
}

export function connectAllowed(evidence: Evidence): Finding {
  const policies = policiesOf(evidence);
  if (policies.length === 0) return unlessLeftOut(evidence, "The page has no Content-Security-Policy.");
  const base = apiBaseOf(evidence);
  const url =
    base === null ? null : URL.parse(`${base}/api/ingest/v2/${evidence.service.publicKey}/bootstrap`);
  const page = URL.parse(evidence.report.url);
  if (!url || !page) return unknown("Where the page sends to is not known.");
  const problem = firstProblem(policies, (policy) => {
    const directive = directiveOf(policy, ...CONNECT);
    if (!directive || allowsUrl(directive, url, page)) return null;
    return wrong(
      `The page's Content-Security-Policy (${directive.name}) does not let it send to ${url.origin}.`,
      "Let it in, in the header or the <meta> that has the policy.",
      amended("connect-src", directive, url.origin),
    );
  });
  return (
    problem ?? unlessLeftOut(evidence, `The page's Content-Security-Policy lets it send to ${url.origin}.`)
  );
}

/** Of a policy that lets scripts in by nonce or hash, what the pasted inline script lacks. */
function inlineProblem(directive: Directive, { nonce, hash }: PageSnippet): Finding | null {
  if (allowsInline(directive, nonce, hash)) return null;
  const byNonce = directive.sources.some((source) => source.toLowerCase().startsWith("'nonce-"));
  if (byNonce) {
    const hint = "Give the snippet's tag the nonce of the response, as the page's other scripts have it.";
    return wrong(
      "The snippet's tag has not the nonce that the page's Content-Security-Policy asks for.",
      hint,
      '<script nonce="…">',
    );
  }
  return wrong(
    `The page's Content-Security-Policy (${directive.name}) does not let the inline snippet run.`,
    "Let it in by its hash, or paste the tag without inline code: <script async src data-key>.",
    amended(nameToAmend(directive), directive, hash === null ? "'sha256-…'" : `'${hash}'`),
  );
}

/** The directive that decides; `default-src` is left alone, scripts get one of their own. */
const nameToAmend = ({ name }: Directive) => (name === "default-src" ? "script-src" : name);

function fileProblem(
  directive: Directive,
  { kind, nonce }: PageSnippet,
  url: URL,
  page: URL,
): Finding | null {
  const isStrict = has(directive, "'strict-dynamic'");
  // what a script that was let in adds is let in too
  if (isStrict && kind !== "tag") return null;
  if (hasNonce(directive, nonce) && kind === "tag") return null;
  if (!isStrict && allowsUrl(directive, url, page)) return null;
  if (isStrict) {
    const hint = "With 'strict-dynamic' hosts do not count: give the tag the nonce of the response.";
    return wrong("The page's Content-Security-Policy does not let the tag load.", hint, '<script nonce="…"');
  }
  return wrong(
    `The page's Content-Security-Policy (${directive.name}) does not let ${url.origin} serve scripts.`,
    "Let it in, in the header or the <meta> that has the policy.",
    amended(nameToAmend(directive), directive, url.origin),
  );
}

export function scriptAllowed(evidence: Evidence): Finding {
  const policies = policiesOf(evidence);
  if (policies.length === 0) return unlessLeftOut(evidence, "The page has no Content-Security-Policy.");
  const [snippet] = evidence.report.snippets;
  const page = URL.parse(evidence.report.url);
  if (!snippet || !page) return unknown("There is no snippet that a policy could be in the way of.");
  const address = scriptUrlOf(evidence);
  const url = address === null ? null : URL.parse(address);
  const isBundled = snippet.kind === "bundle" && snippet.scriptUrl === null;
  const problem = firstProblem(policies, (policy) => {
    const directive = directiveOf(policy, ...SCRIPT);
    if (!directive) return null;
    const inline = snippet.kind === "inline" ? inlineProblem(directive, snippet) : null;
    return inline ?? (url && !isBundled ? fileProblem(directive, snippet, url, page) : null);
  });
  return problem ?? unlessLeftOut(evidence, "The page's Content-Security-Policy lets the client come.");
}

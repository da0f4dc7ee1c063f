/**
 * Reads a Content-Security-Policy and decides what it allows (CSP Level 3, section 6.7). Checks that the page's policies allow
 * the client to load, run and send. Pure.
 */
import type { PageSnippet } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { TRUSTED_POLICY } from "../install/snippets/browser.ts";
import { apiBaseOf, type CheckFinding, type Evidence, ok, scriptUrlOf, unknown, wrong } from "./evidence.ts";

/** Longer policies are not read, because a truncated policy would mean something else. Also the maximum of all headers. */
export const MAX_POLICY_LENGTH = 65_536;

export interface Policy {
  /** By name in lower case; sources as they are written. */
  readonly directives: ReadonlyMap<string, readonly string[]>;
}

/** @param text a header or `<meta>`; it may contain several policies, and each of them is enforced */
export function parsePolicies(text: string): Policy[] {
  return text
    .split(",")
    .map(parsePolicy)
    .filter(({ directives }) => directives.size > 0);
}

function parsePolicy(text: string): Policy {
  const directives = new Map<string, readonly string[]>();
  for (const directive of text.split(";")) {
    const [name = "", ...sources] = directive.trim().split(/\s+/);
    // of two directives with the same name the first counts
    if (name !== "" && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  return { directives };
}

interface Directive {
  readonly name: string;
  readonly sources: readonly string[];
}

/** @returns the first of the names that the policy has; null: it has none, so it allows everything */
export function findDirective({ directives }: Policy, ...names: string[]): Directive | null {
  for (const name of names) {
    const sources = directives.get(name);
    if (sources) return { name, sources };
  }
  return null;
}

const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^:/*]+)(?::(\d+|\*))?(\/.*)?$/i;
const DEFAULT_PORTS: Record<string, string> = { "http:": "80", "https:": "443" };
const portOf = ({ protocol, port }: URL): string => port || (DEFAULT_PORTS[protocol] ?? "");

/** A source with http allows https too. */
const schemeMatches = (source: string, actual: string): boolean =>
  source === actual || (source === "http:" && actual === "https:");

function hostMatches(source: string, actual: string): boolean {
  if (source === "*") return true;
  return source.startsWith("*.") ? actual.endsWith(source.slice(1)) : actual === source;
}

function portMatches(source: string | undefined, url: URL): boolean {
  if (source === "*") return true;
  const port = portOf(url);
  if (source === undefined) return port === DEFAULT_PORTS[url.protocol];
  return source === port || (source === "80" && port === "443");
}

function pathMatches(source: string | undefined, actual: string): boolean {
  if (source === undefined || source === "/") return true;
  return source.endsWith("/") ? actual.startsWith(source) : actual === source;
}

function selfMatches(url: URL, page: URL): boolean {
  const isUpgrade = page.protocol === "http:" && url.protocol === "https:" && portOf(page) === "80";
  return url.origin === page.origin || (isUpgrade && url.hostname === page.hostname && portOf(url) === "443");
}

function sourceMatches(source: string, url: URL, page: URL): boolean {
  const text = source.toLowerCase();
  if (text === "*") return /^(?:https?|wss?):$/.test(url.protocol) || url.protocol === page.protocol;
  if (text === "'self'") return selfMatches(url, page);
  if (/^[a-z][a-z0-9+.-]*:$/.test(text)) return schemeMatches(text, url.protocol);
  const [, scheme, host, port, path] = HOST_SOURCE.exec(source) ?? [];
  if (host === undefined || text.startsWith("'")) return false;
  return (
    schemeMatches(scheme ? `${scheme.toLowerCase()}:` : page.protocol, url.protocol) &&
    hostMatches(host.toLowerCase(), url.hostname) &&
    portMatches(port, url) &&
    pathMatches(path, url.pathname)
  );
}

/** @param page the page that makes the request */
export const allowsUrl = ({ sources }: Directive, url: URL, page: URL): boolean =>
  sources.some((source) => sourceMatches(source, url, page));

/** @param keyword in lower case, such as `'strict-dynamic'` */
const hasKeyword = ({ sources }: Directive, keyword: string): boolean =>
  sources.some((source) => source.toLowerCase() === keyword);
const hasNonce = ({ sources }: Directive, nonce: string | null): boolean =>
  nonce !== null && nonce !== "" && sources.includes(`'nonce-${nonce}'`);
const hasHash = ({ sources }: Directive, hash: string | null): boolean =>
  hash !== null && sources.includes(`'${hash}'`);

/** Whether an inline script runs. A nonce or a hash in the policy disables 'unsafe-inline'. */
export function allowsInline(directive: Directive, nonce: string | null, hash: string | null): boolean {
  if (hasNonce(directive, nonce) || hasHash(directive, hash)) return true;
  const isStrict = directive.sources.some((source) => /^'(?:nonce-|sha\d+-|strict-dynamic')/i.test(source));
  return hasKeyword(directive, "'unsafe-inline'") && !isStrict;
}

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
  const limit = `${LIMITS.maxReportedPolicies} policies, each up to ${MAX_POLICY_LENGTH.toLocaleString("en")} characters`;
  return hasUnreadPolicy
    ? unknown(
        `At least one of the page's Content-Security-Policies was not checked. Headwater reads at most ${limit}.`,
      )
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
      "Give the snippet's tag the nonce that the page's other scripts have. It is new in each response.",
      '<script nonce="…">',
    );
  }
  return wrong(
    `The page's Content-Security-Policy (${directive.name}) does not allow the inline snippet to run.`,
    "Allow it by its hash, or load its code from a file of the site.",
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
      "With 'strict-dynamic', browsers ignore allowed hosts. Give the tag the response's nonce.",
      '<script nonce="…"',
    );
  }
  return wrong(
    `The page's Content-Security-Policy (${directive.name}) does not allow scripts from ${url.origin}.`,
    WHERE,
    addSource(nameToChange(directive), directive, url.origin),
  );
}

/** With Trusted Types the snippet needs its policy to set the address of the script. */
function findTrustedTypesProblem(policies: readonly Policy[], { kind }: PageSnippet): CheckFinding | null {
  const requirements = policies.map((policy) => findDirective(policy, "require-trusted-types-for"));
  const isRequired = requirements.some((directive) => directive && hasKeyword(directive, "'script'"));
  if (kind === "tag" || !isRequired) return null;
  return findFirstProblem(policies, (policy) => {
    const directive = findDirective(policy, "trusted-types");
    if (!directive || ["*", TRUSTED_POLICY].some((name) => directive.sources.includes(name))) return null;
    return wrong(
      `The page's Content-Security-Policy (trusted-types) does not allow the policy "${TRUSTED_POLICY}".`,
      WHERE,
      addSource("trusted-types", directive, TRUSTED_POLICY),
    );
  });
}

export function checkScriptPolicy(evidence: Evidence): CheckFinding {
  const policies = policiesOf(evidence);
  if (policies.length === 0) return checkNoPolicy(evidence);
  const [snippet] = evidence.report.snippets;
  const page = URL.parse(evidence.report.url);
  if (!snippet || !page) return unknown("No snippet was found, so there is nothing for a policy to block.");
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
    problem ??
    (isBundled ? null : findTrustedTypesProblem(policies, snippet)) ??
    okUnlessUnread(evidence, "The page's Content-Security-Policy allows the client's script.")
  );
}

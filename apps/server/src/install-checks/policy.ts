/** Reads a Content-Security-Policy and decides what it allows (CSP Level 3, section 6.7). Pure. */

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

export interface Directive {
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
export const hasKeyword = ({ sources }: Directive, keyword: string): boolean =>
  sources.some((source) => source.toLowerCase() === keyword);
export const hasNonce = ({ sources }: Directive, nonce: string | null): boolean =>
  nonce !== null && nonce !== "" && sources.includes(`'nonce-${nonce}'`);
const hasHash = ({ sources }: Directive, hash: string | null): boolean =>
  hash !== null && sources.includes(`'${hash}'`);

/** Whether an inline script runs. A nonce or a hash in the policy disables 'unsafe-inline'. */
export function allowsInline(directive: Directive, nonce: string | null, hash: string | null): boolean {
  if (hasNonce(directive, nonce) || hasHash(directive, hash)) return true;
  const isStrict = directive.sources.some((source) => /^'(?:nonce-|sha\d+-|strict-dynamic')/i.test(source));
  return hasKeyword(directive, "'unsafe-inline'") && !isStrict;
}

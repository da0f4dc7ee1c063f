/** Content-Security-Policy as browsers read it (CSP Level 3, section 6.7): what may be loaded, run and asked. Pure. */

/** Of a policy, and of all headers that a page comes with: a cut policy would say something else. */
export const MAX_POLICY_LENGTH = 65_536;

export interface Policy {
  /** Names in lower case, sources as they are written. */
  readonly directives: ReadonlyMap<string, readonly string[]>;
}

/** @param text one header or `<meta>`; a header may hold several policies, and each of them is enforced */
export function parsePolicies(text: string): Policy[] {
  return text
    .split(",")
    .map((policy) => {
      const directives = new Map<string, readonly string[]>();
      for (const directive of policy.split(";")) {
        const [name = "", ...sources] = directive.trim().split(/\s+/);
        // the first of two counts
        if (name !== "" && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
      }
      return { directives };
    })
    .filter(({ directives }) => directives.size > 0);
}

export interface Directive {
  readonly name: string;
  readonly sources: readonly string[];
}

/** The first of the names that the policy has; null: it says nothing of it, so everything is let in. */
export function directiveOf({ directives }: Policy, ...names: string[]): Directive | null {
  for (const name of names) {
    const sources = directives.get(name);
    if (sources) return { name, sources };
  }
  return null;
}

const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^:/*]+)(?::(\d+|\*))?(\/.*)?$/i;
const DEFAULT_PORTS: Record<string, string> = { "http:": "80", "https:": "443" };
const portOf = ({ protocol, port }: URL): string => port || (DEFAULT_PORTS[protocol] ?? "");

/** http in a policy lets https in too. */
const schemeMatches = (wanted: string, given: string): boolean =>
  wanted === given || (wanted === "http:" && given === "https:");

function hostMatches(wanted: string, given: string): boolean {
  if (wanted === "*") return true;
  return wanted.startsWith("*.") ? given.endsWith(wanted.slice(1)) : given === wanted;
}

function portMatches(wanted: string | undefined, url: URL): boolean {
  if (wanted === "*") return true;
  const port = portOf(url);
  if (wanted === undefined) return port === DEFAULT_PORTS[url.protocol];
  return wanted === port || (wanted === "80" && port === "443");
}

function pathMatches(wanted: string | undefined, given: string): boolean {
  if (wanted === undefined || wanted === "/") return true;
  return wanted.endsWith("/") ? given.startsWith(wanted) : given === wanted;
}

function sourceMatches(source: string, url: URL, page: URL): boolean {
  const text = source.toLowerCase();
  if (text === "*") return /^(?:https?|wss?):$/.test(url.protocol) || url.protocol === page.protocol;
  if (text === "'self'") {
    const isUpgrade = page.protocol === "http:" && url.protocol === "https:" && portOf(page) === "80";
    return (
      url.origin === page.origin || (isUpgrade && url.hostname === page.hostname && portOf(url) === "443")
    );
  }
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

/** May a page ask this address? */
export const allowsUrl = ({ sources }: Directive, url: URL, page: URL): boolean =>
  sources.some((source) => sourceMatches(source, url, page));

export const has = ({ sources }: Directive, keyword: string): boolean =>
  sources.some((source) => source.toLowerCase() === keyword);
export const hasNonce = ({ sources }: Directive, nonce: string | null): boolean =>
  nonce !== null && nonce !== "" && sources.includes(`'nonce-${nonce}'`);
export const hasHash = ({ sources }: Directive, hash: string | null): boolean =>
  hash !== null && sources.includes(`'${hash}'`);

/** May an inline script run? A nonce or a hash in the policy takes away what 'unsafe-inline' gives. */
export function allowsInline(directive: Directive, nonce: string | null, hash: string | null): boolean {
  if (hasNonce(directive, nonce) || hasHash(directive, hash)) return true;
  const isStrict = directive.sources.some((source) => /^'(?:nonce-|sha\d+-|strict-dynamic')/i.test(source));
  return has(directive, "'unsafe-inline'") && !isStrict;
}

/**
 * Allowed origins (CONTRACT section 2): `scheme://host[:port]`, with `https://*.example.com`, `http://localhost:*`
 * and `*` as patterns. Pure, and the same in the service and in the console, which shows the normal form at once. What is stored is normal, so that a browser's `Origin`, which is normal too, is
 * usually one look-up; anything else is taken apart and compared part by part.
 */
import type { Issue } from "./errors.ts";
import { LIMITS } from "./limits.ts";

interface Parts {
  scheme: string;
  host: string;
  /** Empty for the scheme's default port. */
  port: string;
}

const SHAPE = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\%]+)(?::(\d{1,5}|\*))?\/?$/;
/** Names that no URL parser would rewrite: letters, digits and hyphens, and a last label that is no number. */
const ORDINARY = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const OPAQUE = /^[a-z0-9._~-]+$/;
const DEFAULT_PORTS: Record<string, string> = { http: "80", https: "443" };
const WILDCARD = "*.";

/** As a URL parser has it: punycode, IPv4 and IPv6 in one spelling; null when it is no host. */
function webHost(host: string): string | null {
  return URL.parse(`http://${host}`)?.hostname || null;
}

/** Hosts of app schemes are opaque names: a number stays a number, only other scripts are converted. */
function appHost(host: string): string | null {
  if (host.startsWith("[")) return webHost(host);
  const ascii = OPAQUE.test(host) ? host : webHost(host);
  return ascii !== null && OPAQUE.test(ascii) ? ascii : null;
}

function normalHost(scheme: string, host: string): string | null {
  if (ORDINARY.test(host) && !host.includes("xn--")) return host;
  const normal = scheme in DEFAULT_PORTS ? webHost(host) : appHost(host);
  if (normal === null || normal.includes("*") || /^\.|\.\.|\.$/.test(normal)) return null;
  return normal;
}

function normalPort(scheme: string, port: string | undefined): string | null {
  if (port === undefined || port === "*") return port ?? "";
  const number = Number(port);
  if (number > 65_535) return null;
  return String(number) === DEFAULT_PORTS[scheme] ? "" : String(number);
}

/** The parts of one origin in their normal spelling; null when the text is not an origin. */
function parse(text: string): Parts | null {
  if (text.length > LIMITS.maxOriginLength) return null;
  const shape = SHAPE.exec(text.toLowerCase());
  if (!shape) return null;
  const [, scheme = "", given = "", givenPort] = shape;
  const wild = given.startsWith(WILDCARD);
  const host = normalHost(scheme, wild ? given.slice(WILDCARD.length) : given);
  const port = normalPort(scheme, givenPort);
  if (host === null || port === null) return null;
  if (wild && /^(?:\[|[\d.]+$)/.test(host)) return null;
  return { scheme, host: wild ? WILDCARD + host : host, port };
}

const spell = ({ scheme, host, port }: Parts) => `${scheme}://${host}${port === "" ? "" : `:${port}`}`;

/** The normal spelling of an allowed origin or pattern; null when it is neither. */
export function normalizeOrigin(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "*") return "*";
  const parts = parse(trimmed);
  return parts && spell(parts);
}

const LOCAL = /^(?:localhost|.*\.localhost|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|\[::1\])$/;

/** `*example.com`, `a.*.example.com`: a star stands for whole labels in front, and only there. */
function repairedHost(host: string): string {
  const tail = host.replace(/\.+$/, "").split("*").at(-1)!.replace(/^\.+/, "");
  return host.includes("*") ? WILDCARD + tail : tail;
}

/** The origin that was probably meant by a text that is not one: without path, query, credentials; with a scheme. */
export function suggestOrigin(text: string): string | null {
  const cleaned = text.trim().toLowerCase().replaceAll("\\", "/");
  const [, givenScheme, rest = ""] =
    /^(?:(https?|[a-z][a-z0-9+.-]*(?=:\/)|\*(?=:)):)?\/*(.*)$/.exec(cleaned) ?? [];
  const authority = rest.split(/[/?#]/, 1)[0]!.split("@").at(-1)!;
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}|\*)?.*)?$/.exec(authority) ?? [];
  if (host === "*") return "*";
  if (host === "" || host.endsWith("*")) return null;
  const repaired = repairedHost(host);
  const scheme = givenScheme && givenScheme !== "*" ? givenScheme : LOCAL.test(repaired) ? "http" : "https";
  return normalizeOrigin(`${scheme}://${repaired}${port ? `:${port}` : ""}`);
}

function originIssue(text: string, index: number): Issue {
  const meant = text.trim().toLowerCase() === "null" ? null : suggestOrigin(text);
  // the value itself is not repeated: it may hold a password
  const help = meant
    ? `did you mean "${meant}"?`
    : 'for example "https://example.com", or "*" for any origin';
  return {
    path: ["allowedOrigins", index],
    code: "invalid_value",
    message: `allowedOrigins.${index} is not an origin (scheme://host[:port]); ${help}`,
  };
}

/** The list in normal spelling without duplicates, and an issue for each entry that is no origin. */
export function readOrigins(texts: readonly string[]): { origins: string[]; issues: Issue[] } {
  const normal = texts.map(normalizeOrigin);
  const issues = texts.flatMap((text, index) => (normal[index] === null ? [originIssue(text, index)] : []));
  return { origins: [...new Set(normal.filter((origin) => origin !== null))], issues };
}

/** Without an `Origin` header, the origin of `Referer` (CONTRACT section 4); null when it has none. */
export function originOfReferer(referer: string): string | null {
  const url = URL.parse(referer);
  return url?.host ? `${url.protocol}//${url.host}` : null;
}

export interface OriginMatcher {
  /** `*` is in the list. */
  readonly any: boolean;
  /** @param origin the header as it came; `null` passes `*` only */
  allows(origin: string): boolean;
}

const isPattern = ({ host, port }: Parts) => host.startsWith(WILDCARD) || port === "*";

/** What in `allowedOrigins` lets in a request with this origin and no other; null for what is no page's origin. */
export function originToAllow(origin: string): string | null {
  const parts = parse(origin);
  return parts === null || isPattern(parts) ? null : spell(parts);
}

function patternTest(pattern: Parts): (parts: Parts) => boolean {
  const { scheme, host, port } = pattern;
  const suffix = host.startsWith(WILDCARD) ? host.slice(1) : null;
  return (parts) =>
    parts.scheme === scheme &&
    (port === "*" || parts.port === port) &&
    (suffix === null
      ? parts.host === host
      : parts.host.length > suffix.length && parts.host.endsWith(suffix) && !parts.host.startsWith("["));
}

/** Compiles a stored (normal) list to a matcher; the caller keeps it for as long as the list holds. */
export function compileOrigins(allowed: readonly string[]): OriginMatcher {
  if (allowed.includes("*")) return { any: true, allows: () => true };
  const parsed = allowed.map(parse).filter((parts) => parts !== null);
  const exact = new Set(parsed.filter((parts) => !isPattern(parts)).map(spell));
  const patterns = parsed.filter(isPattern).map(patternTest);

  const allows = (origin: string): boolean => {
    if (exact.has(origin)) return true;
    const parts = parse(origin);
    if (parts === null || isPattern(parts)) return false;
    return exact.has(spell(parts)) || patterns.some((passes) => passes(parts));
  };
  return { any: false, allows };
}

/**
 * Allowed origins (docs/api/sources.md): `scheme://host[:port]`, with `https://*.example.com`, `http://localhost:*`
 * and `*` as patterns. The service and the console share this file. Stored origins have their normal form, as browsers send
 * it, so that a match is usually one look-up in a set. Other origins are parsed and compared part by part.
 */
import { LIMITS } from "./limits.ts";

interface OriginParts {
  scheme: string;
  host: string;
  /** Empty for the scheme's default port. */
  port: string;
}

const SHAPE = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\%]+)(?::(\d{1,5}|\*))?\/?$/;
/** Host names that a URL parser leaves unchanged: letters, digits and hyphens, and the last label is not a number. */
const ORDINARY = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const OPAQUE = /^[a-z0-9._~-]+$/;
const DEFAULT_PORTS: Record<string, string> = { http: "80", https: "443" };
const WILDCARD = "*.";

/** The host as a URL parser spells it, with punycode and normal IP addresses. null if it is not a host. */
function webHost(host: string): string | null {
  const name = URL.parse(`http://${host}`)?.hostname;
  // URL parsers leave marks such as a comma in a host, which no domain has
  return name && name !== "." && /^[\w.*:[\]-]+$/.test(name) ? name : null;
}

/** Hosts of app schemes are opaque: numbers are not read as IP addresses. Only non-ASCII names are converted. Electron has `app://.`. */
function appHost(host: string): string | null {
  if (host === ".") return host;
  if (host.startsWith("[")) return webHost(host);
  const ascii = OPAQUE.test(host) ? host : webHost(host);
  return ascii !== null && OPAQUE.test(ascii) ? ascii : null;
}

function normalHost(scheme: string, host: string): string | null {
  if (ORDINARY.test(host) && !host.includes("xn--")) return host;
  const normal = scheme in DEFAULT_PORTS ? webHost(host) : appHost(host);
  return normal === null || normal.includes("*") || /^\..|\.\./.test(normal) ? null : normal;
}

function normalPort(scheme: string, port: string | undefined): string | null {
  if (port === undefined || port === "*") return port ?? "";
  const number = Number(port);
  if (number > 65_535) return null;
  return String(number) === DEFAULT_PORTS[scheme] ? "" : String(number);
}

/** Pages of files, in some web views. */
const FILES: OriginParts = { scheme: "file", host: "", port: "" };

/** The parts of an origin in their normal form. null if the text is not an origin. */
function parse(text: string): OriginParts | null {
  if (text.length > LIMITS.maxOriginLength) return null;
  if (/^file:\/\/\/?$/i.test(text)) return FILES;
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

const spell = ({ scheme, host, port }: OriginParts) => `${scheme}://${host}${port === "" ? "" : `:${port}`}`;

/** The normal form of an allowed origin or pattern. null if the text is neither. */
export function normalizeOrigin(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "*") return "*";
  const parts = parse(trimmed);
  return parts && spell(parts);
}

interface OriginMatcher {
  /** The list contains `*`. */
  readonly any: boolean;
  /** @param origin the value of the header. Only `*` allows the value `null` */
  allows(origin: string): boolean;
}

const isPattern = ({ host, port }: OriginParts) => host.startsWith(WILDCARD) || port === "*";

/** The entry of `allowedOrigins` that allows exactly this origin. null if it is not the origin of a page. */
export function originToAllow(origin: string): string | null {
  const parts = parse(origin);
  return parts === null || isPattern(parts) ? null : spell(parts);
}

function patternTest(pattern: OriginParts): (parts: OriginParts) => boolean {
  const { scheme, host, port } = pattern;
  const suffix = host.startsWith(WILDCARD) ? host.slice(1) : null;
  return (parts) =>
    parts.scheme === scheme &&
    (port === "*" || parts.port === port) &&
    (suffix === null
      ? parts.host === host
      : parts.host.length > suffix.length && parts.host.endsWith(suffix) && !parts.host.startsWith("["));
}

/** Builds a matcher for a list in normal form. Callers keep it until the list changes. */
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

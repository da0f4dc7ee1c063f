/** Domains by the public suffix list. The list is loaded at the first look-up, since it takes some megabytes. */
import { createRequire } from "node:module";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";

const require = createRequire(import.meta.url);
type SuffixLibrary = typeof import("tldts");
let library: SuffixLibrary | undefined;
function suffixes(): SuffixLibrary {
  if (library) return library;
  const loaded: SuffixLibrary = require("tldts");
  library = loaded;
  return loaded;
}

const sites = createLru<string, string>(SERVER_LIMITS.addressCacheEntries);

/**
 * The registrable domain of a host: `example.co.uk` for `www.example.co.uk`. Sites of one hosting service are apart:
 * `a.github.io` and `b.github.io`. An IP address, a host without a dot and a public suffix are returned as they are.
 */
export function siteOf(host: string): string {
  const cached = sites.get(host);
  if (cached !== undefined) return cached;
  const site = suffixes().getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
  sites.set(host, site);
  return site;
}

/** The parts of a host before and after its last dots: `news.google` and `co.uk`. null: the host has no public suffix. */
export function splitSuffix(host: string): { name: string; suffix: string } | null {
  const suffix = suffixes().getPublicSuffix(host, { extractHostname: false });
  if (!suffix || suffix.length >= host.length) return null;
  return { name: host.slice(0, -suffix.length - 1), suffix };
}

/** The host of an allowed origin, which may be a pattern such as `https://*.example.com` or `http://localhost:*`. */
const ORIGIN_HOST = /^[^:/]+:\/\/(?:\*\.)?(\[[^\]]*\]|[^:/]+)/;

/** The sites of a source's allowed origins. A referrer of one of them is the source's own page. */
export const sitesOfOrigins = (allowedOrigins: readonly string[]): ReadonlySet<string> =>
  new Set(
    allowedOrigins
      .map((origin) => ORIGIN_HOST.exec(origin)?.[1])
      .filter((host) => host !== undefined)
      .map(siteOf),
  );

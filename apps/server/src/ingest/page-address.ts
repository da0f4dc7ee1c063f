/** Parses the address of a page and its referrer. Pure. */
import { LIMITS } from "@headwater/contract";
import { LRUCache } from "lru-cache";
import { readCampaign } from "../core/channels/campaign.ts";
import { SERVER_LIMITS } from "../core/limits.ts";

export interface PageAddress {
  url: string | null;
  origin: string | null;
  host: string | null;
  path: string | null;
  query: string | null;
  utm: Record<string, string> | null;
  clickIds: Record<string, string> | null;
}

/** Cuts the URL to its maximum length, without leaving half of a character. */
export const cutUrl = (url: string) =>
  url.length > LIMITS.maxUrlLength ? url.slice(0, LIMITS.maxUrlLength).toWellFormed() : url;

function parseCampaign(query: string): Pick<PageAddress, "utm" | "clickIds"> {
  const { utm, clickIds } = readCampaign(query);
  return { utm, clickIds };
}

/** Removes the user name and the password from an address; other text is returned as it is. */
export function withoutCredentials(text: string): string {
  const parsed = text.includes("@") ? URL.parse(text) : null;
  if (!parsed || (parsed.username === "" && parsed.password === "")) return text;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/** Client-side routers may send a path with its query and fragment. */
const withoutQuery = (path: string) => path.replace(/[?#].*$/s, "");

/** Text that is not an absolute address: the path is the part before `?` and `#`. */
function parseRelative(text: string): PageAddress {
  const path = withoutQuery(text);
  const query = text.replace(/#.*$/s, "").slice(path.length + 1);
  return {
    url: text,
    origin: null,
    host: null,
    path: path || null,
    query: query || null,
    ...parseCampaign(query),
  };
}

function parseAddress(text: string): PageAddress {
  const parsed = URL.parse(text);
  if (!parsed) return parseRelative(text);
  const query = parsed.search.slice(1);
  return {
    url: withoutCredentials(text),
    origin: parsed.origin === "null" ? `${parsed.protocol}//${parsed.host}` : parsed.origin,
    host: parsed.hostname || null,
    path: parsed.pathname || "/",
    query: query || null,
    ...parseCampaign(query),
  };
}

const addresses = new LRUCache<string, PageAddress>({ max: SERVER_LIMITS.addressCacheEntries });

function parseCached(text: string): PageAddress {
  const cached = addresses.get(text);
  if (cached) return cached;
  const address = parseAddress(text);
  addresses.set(text, address);
  return address;
}

const NO_ADDRESS: PageAddress = {
  url: null,
  origin: null,
  host: null,
  path: null,
  query: null,
  utm: null,
  clickIds: null,
};

/**
 * A page's address. A path that the client sent replaces the path of the URL. Without a URL, the address is the request's
 * origin and the path.
 */
export function addressOf(
  url: string | null,
  path: string | null,
  requestOrigin: string | null,
): PageAddress {
  if (url) {
    const address = parseCached(url);
    const sentPath = path ? withoutQuery(path) : "";
    return sentPath && sentPath !== address.path ? { ...address, path: sentPath } : address;
  }
  if (!path) return NO_ADDRESS;
  if (requestOrigin === null || requestOrigin === "null") return parseRelative(path);
  return parseCached(requestOrigin + (path.startsWith("/") ? path : `/${path}`));
}

/** The host of the referrer; null when there is none or when it is the page's own host. */
export function referrerHostOf(referrer: string | null, ownHost: string | null): string | null {
  if (!referrer) return null;
  const host = URL.parse(referrer)?.hostname || null;
  return host === ownHost ? null : host;
}

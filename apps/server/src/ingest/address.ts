/** A page's address and its referrer, taken apart. Pure. */

import { LIMITS } from "@headwater/contract";
import { LRUCache } from "lru-cache";
import { SERVER_LIMITS } from "../core/limits.ts";

export interface Address {
  url: string | null;
  origin: string | null;
  host: string | null;
  path: string | null;
  query: string | null;
  utm: Record<string, string> | null;
  clickIds: Record<string, string> | null;
}

const UTM = ["source", "medium", "campaign", "term", "content"] as const;
const CLICK_IDS = [
  "gclid",
  "gbraid",
  "wbraid",
  "dclid",
  "fbclid",
  "msclkid",
  "ttclid",
  "twclid",
  "li_fat_id",
  "yclid",
] as const;
const CAMPAIGN = /utm_|clid|li_fat_id|[gw]braid|msclkid/i;
const VALUE_LENGTH = 500;

/** The cut may fall in the middle of a character. */
export const cutUrl = (url: string) =>
  url.length > LIMITS.maxUrlLength ? url.slice(0, LIMITS.maxUrlLength).toWellFormed() : url;

function fieldsOf<N extends string>(query: URLSearchParams, names: readonly N[], prefix: string) {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = query.get(prefix + name);
    if (value) found[name] = value.slice(0, VALUE_LENGTH).toWellFormed();
  }
  return Object.keys(found).length > 0 ? found : null;
}

function campaignOf(query: string): Pick<Address, "utm" | "clickIds"> {
  if (!CAMPAIGN.test(query)) return { utm: null, clickIds: null };
  const values = new URLSearchParams(query);
  return { utm: fieldsOf(values, UTM, "utm_"), clickIds: fieldsOf(values, CLICK_IDS, "") };
}

/** The text itself, unless it is an address with a user name or a password in it. */
export function withoutUserInfo(text: string): string {
  const parsed = text.includes("@") ? URL.parse(text) : null;
  if (!parsed || (parsed.username === "" && parsed.password === "")) return text;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/** Routers call a path what has its query and fragment behind it. */
const pathAlone = (path: string) => path.split(/[?#]/, 1)[0]!;

/** Text that is no absolute address: its path is what stands before `?` and `#`. */
function relative(text: string): Address {
  const path = pathAlone(text);
  const query = text.split("#", 1)[0]!.slice(path.length + 1);
  return {
    url: text,
    origin: null,
    host: null,
    path: path || null,
    query: query || null,
    ...campaignOf(query),
  };
}

const remembered = new LRUCache<string, Address>({ max: SERVER_LIMITS.addressCacheEntries });

function absolute(text: string): Address {
  const known = remembered.get(text);
  if (known) return known;
  const address = takeApart(text);
  remembered.set(text, address);
  return address;
}

function takeApart(text: string): Address {
  const parsed = URL.parse(text);
  if (!parsed) return relative(text);
  const query = parsed.search.slice(1);
  return {
    url: withoutUserInfo(text),
    origin: parsed.origin === "null" ? `${parsed.protocol}//${parsed.host}` : parsed.origin,
    host: parsed.hostname || null,
    path: parsed.pathname || "/",
    query: query || null,
    ...campaignOf(query),
  };
}

/**
 * The missing one of address and path is derived from the other.
 * @param siteOrigin where the request came from, for a path alone
 */
export function addressOf(url: string | null, path: string | null, siteOrigin: string | null): Address {
  if (url) {
    const address = absolute(url);
    const own = path ? pathAlone(path) : "";
    return own && own !== address.path ? { ...address, path: own } : address;
  }
  if (!path)
    return { url: null, origin: null, host: null, path: null, query: null, utm: null, clickIds: null };
  const base = siteOrigin !== null && siteOrigin !== "null" ? siteOrigin : null;
  if (!base) return relative(path);
  return absolute(base + (path.startsWith("/") ? path : `/${path}`));
}

/** The host that sent the visitor; null when it is the page's own, or no host at all. */
export function referrerHostOf(referrer: string | null, ownHost: string | null): string | null {
  if (!referrer) return null;
  const host = URL.parse(referrer)?.hostname || null;
  return host === ownHost ? null : host;
}

/** Parses and cleans the address of a page, its referrer and its title (docs/api/stored-events.md, "Addresses"). Pure. */
import { LIMITS } from "@headwater/contract";
import { normalizePath } from "@headwater/contract/path-pattern";
import { type Campaign, NO_CAMPAIGN, readCampaign } from "../channels/campaign.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import { maskAddress, maskWholly } from "../masking/mask-address.ts";
import type { AddressRules } from "./address-rules.ts";

const TITLE_CACHE_ENTRIES = 2_000;

interface PageAddress {
  url: string | null;
  origin: string | null;
  host: string | null;
  path: string | null;
  query: string | null;
  utm: Record<string, string> | null;
  clickIds: Record<string, string> | null;
}

/** Cuts the URL to its maximum length, without leaving half of a character. */
const cutUrl = (url: string) =>
  url.length > LIMITS.maxUrlLength ? url.slice(0, LIMITS.maxUrlLength).toWellFormed() : url;

const isQuery = (fragment: string) => fragment.includes("=");

/** The query of a fragment follows its `?`, as in `#/search?q=1`, or is the whole fragment, as in `#a=1&b=2`. */
function cleanFragment(fragment: string, cleanQuery: (query: string) => string): string {
  const [route = ""] = fragment.split("?", 1);
  if (isQuery(route)) return cleanQuery(fragment);
  return joinPart(route, "?", cleanQuery(fragment.slice(route.length + 1)));
}

const joinPart = (text: string, sign: string, part: string) => (part === "" ? text : text + sign + part);

interface AddressParts {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

function splitAddress(text: string): AddressParts {
  const [beforeFragment = ""] = text.split("#", 1);
  const [path = ""] = beforeFragment.split("?", 1);
  return {
    path,
    query: beforeFragment.slice(path.length + 1),
    fragment: text.slice(beforeFragment.length + 1),
  };
}

/** Client-side routers may send a path with its query and fragment. */
const withoutQuery = (path: string) => path.replace(/[?#].*$/s, "");

/** The parameter of a link to another host with a visitor's id, which a page without `data-link-domains` leaves in its address. */
const VISIT = /(?<=[?&])_hw=[^&#]*&?/g;
const withoutVisit = (text: string): string =>
  text.includes("_hw=") ? text.replace(VISIT, "").replace(/[?&](?=#|$)/g, "") : text;

/** An address without what may never be stored. */
export const maskSentAddress = (text: string): string => cutUrl(maskAddress(withoutVisit(text)));

/** A page's address, and the campaign that led to it. */
interface AddressWithCampaign {
  readonly address: PageAddress;
  readonly campaign: Campaign;
}

function parseAddress(text: string, { cleanQuery, cleanPath }: AddressRules): AddressWithCampaign {
  const masked = maskSentAddress(text);
  const { path, query, fragment } = splitAddress(masked);
  const url =
    cleanQuery === null
      ? masked
      : joinPart(joinPart(path, "?", cleanQuery(query)), "#", cleanFragment(fragment, cleanQuery));
  const parsed = URL.parse(url);
  // parsing changes some characters, which can show what was hidden
  const mask = parsed?.href === url ? (part: string) => part : maskWholly;
  // text that is not an absolute address: the path is the part before `?` and `#`
  const { pathname = path, search = `?${splitAddress(url).query}` } = parsed ?? {};
  const normal = normalizePath(pathname);
  const maskPath = normal === pathname ? mask : maskWholly;
  const campaign = readCampaign(query);
  const address = {
    url: url || null,
    ...hostOf(parsed),
    path: cleanPath(maskPath(normal || (parsed ? "/" : ""))) || null,
    query: mask(search.slice(1)) || null,
    utm: campaign.utm,
    clickIds: campaign.clickIds,
  };
  return { address, campaign };
}

const hostOf = (parsed: URL | null) => ({
  origin:
    parsed === null ? null : parsed.origin === "null" ? `${parsed.protocol}//${parsed.host}` : parsed.origin,
  host: parsed?.hostname || null,
});

/** A cleaned address, and what it was made from. */
interface CachedAddress extends AddressWithCampaign {
  readonly rules: AddressRules;
  /** The path before it was cleaned, as far as it is known without parsing the address again. */
  readonly sentPath: string | null;
  /** The address of a page with hash routing. null: nobody has asked for it. */
  withFragment: AddressWithCampaign | null;
}
const addresses = createLru<string, CachedAddress>(SERVER_LIMITS.addressCacheEntries);

/** The addresses of a site belong to one source, so an entry need not be kept for each source that uses it. */
function parseCached(text: string, rules: AddressRules): CachedAddress {
  const cached = addresses.get(text);
  if (cached?.rules === rules) return cached;
  const parsed = parseAddress(text, rules);
  const { address } = parsed;
  const { path } = splitAddress(text);
  const sentPath =
    address.origin !== null && path.startsWith(address.origin) ? path.slice(address.origin.length) : null;
  const entry: CachedAddress = { ...parsed, rules, sentPath, withFragment: null };
  if (text.length <= LIMITS.maxUrlLength) addresses.set(text, entry);
  return entry;
}

const NO_ADDRESS: AddressWithCampaign = {
  address: { url: null, origin: null, host: null, path: null, query: null, utm: null, clickIds: null },
  campaign: NO_CAMPAIGN,
};

/** The address of a page, as far as the client and the request name it. */
interface SentAddress {
  readonly url: string | null;
  readonly path: string | null;
  readonly requestOrigin: string | null;
  /** The path includes the fragment. Default: false. */
  readonly hashRouting?: boolean;
}

/** Adds the fragment to the path, without the fragment's query. The rules for paths apply to both on their own. */
function addFragment(found: AddressWithCampaign, text: string, rules: AddressRules): AddressWithCampaign {
  const [route = ""] = splitAddress(text).fragment.split("?", 1);
  if (route === "" || isQuery(route)) return found;
  const path = `${found.address.path ?? ""}#${rules.cleanPath(maskWholly(normalizePath(route)))}`;
  return { ...found, address: { ...found.address, path } };
}

/**
 * A page's address, cleaned. A path that the client sent replaces the path of the URL. Without a URL, the address is the
 * request's origin and the path.
 */
export function addressOf(
  { url, path, requestOrigin, hashRouting = false }: SentAddress,
  rules: AddressRules,
): AddressWithCampaign {
  if (url) {
    const cached = parseCached(url, rules);
    const { address, campaign, sentPath } = cached;
    const ownPath = path && path !== sentPath ? withoutQuery(path) : "";
    if (path && ownPath !== "" && ownPath !== sentPath) {
      const own = {
        address: { ...address, path: rules.cleanPath(cutUrl(maskWholly(normalizePath(ownPath)))) },
        campaign,
      };
      return hashRouting ? addFragment(own, path, rules) : own;
    }
    if (!hashRouting) return cached;
    cached.withFragment ??= addFragment({ address, campaign }, address.url ?? "", rules);
    return cached.withFragment;
  }
  if (!path) return NO_ADDRESS;
  if (requestOrigin === null || requestOrigin === "null") return parseAddress(path, rules);
  return parseCached(requestOrigin + (path.startsWith("/") ? path : `/${path}`), rules);
}

/** The referrer, cleaned, and its host. */
export function referrerOf(sent: string | null | undefined, rules: AddressRules) {
  if (!sent) return { referrer: null, host: null };
  const { url, host } = parseCached(sent, rules).address;
  return { referrer: url, host };
}

const titles = createLru<string, string>(TITLE_CACHE_ENTRIES);

/** The title as it is stored. */
export function titleOf(sent: string): string {
  const cached = titles.get(sent);
  if (cached !== undefined) return cached;
  // masked before it is cut, because half a secret may not look like one
  const title = maskWholly(sent).slice(0, LIMITS.maxTitleLength).toWellFormed();
  if (sent.length <= LIMITS.maxTitleLength) titles.set(sent, title);
  return title;
}

/** Derives device, browser, bot and country of a visitor from the user agent and the address. */
import { readFileSync } from "node:fs";
import type { EventSender } from "@headwater/contract";
import Bowser from "bowser";
import { isbot } from "isbot";
import { LRUCache } from "lru-cache";
import { type CountryResponse, Reader } from "mmdb-lib";
import type { IngestRequest } from "../core/ingest-request.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { textOrNull } from "./json.ts";

export interface Device {
  device: string | null;
  os: string | null;
  osVersion: string | null;
  browser: string | null;
  browserVersion: string | null;
  isBot: boolean;
}

const UNKNOWN_DEVICE: Device = {
  device: null,
  os: null,
  osVersion: null,
  browser: null,
  browserVersion: null,
  isBot: false,
};

const devices = new LRUCache<string, Device>({ max: SERVER_LIMITS.deviceCacheEntries });

function parseUserAgent(userAgent: string): Device {
  const parsed = Bowser.parse(userAgent);
  return {
    device: parsed.platform.type ?? null,
    os: parsed.os.name ?? null,
    osVersion: parsed.os.version ?? null,
    browser: parsed.browser.name ?? null,
    browserVersion: parsed.browser.version ?? null,
    isBot: isbot(userAgent),
  };
}

/** Parsed user agents are cached. */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return UNKNOWN_DEVICE;
  const text = userAgent.slice(0, SERVER_LIMITS.maxUserAgentLength);
  let device = devices.get(text);
  if (!device) {
    device = parseUserAgent(text);
    devices.set(text, device);
  }
  return device;
}

type SenderHeaders = Pick<IngestRequest, "authorization" | "origin" | "userAgent">;

/** User agents of browsers and crawlers. Of the user agents that `isbot` knows, the others are those of HTTP libraries. */
const BROWSER_OR_CRAWLER =
  /^(?:mozilla|opera)\/|bot|crawl|spider|slurp|archiver|facebookexternalhit|preview|monitor|scan/i;

/** Who sent a request. A server has a token, or it has no origin and its user agent is that of an HTTP library or none. */
export function senderOf({ authorization, origin, userAgent }: SenderHeaders): EventSender {
  if (authorization !== null || (origin === null && !userAgent)) return "server";
  const isLibrary = origin === null && deviceOf(userAgent).isBot && !BROWSER_OR_CRAWLER.test(userAgent ?? "");
  return isLibrary ? "server" : "browser";
}

/** The user agent that the client names in `context`, else the request's own. A server's own is not the visitor's. */
export const userAgentOf = (context: Record<string, unknown> | null, headers: SenderHeaders): string | null =>
  textOrNull(context?.userAgent) ?? (senderOf(headers) === "browser" ? headers.userAgent : null);

export type CountryOf = (address: string) => string | null;

/**
 * Opens a country database (MMDB). Private and loopback addresses have no country.
 * @param file null: no address has a country
 * @param onUnreadable called once if the file cannot be read. Events are still accepted, without a country
 */
export function openCountries(file: string | null, onUnreadable: (error: unknown) => void): CountryOf {
  if (file === null) return () => null;
  // opened at the first look-up, so that a node without visitors does not use eight megabytes for it
  let reader: Reader<CountryResponse & { country_code?: string }> | undefined;
  let isUsable = true;
  return (address) => {
    if (!isUsable) return null;
    try {
      reader ??= new Reader(readFileSync(file));
      const found = reader.get(address);
      return found?.country_code ?? found?.country?.iso_code ?? null;
    } catch (error) {
      isUsable = false;
      onUnreadable(error);
      return null;
    }
  };
}

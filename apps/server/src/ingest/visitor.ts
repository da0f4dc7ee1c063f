/** What a user agent and an address say of a visitor. Looked up once a batch, and remembered by user agent. */

import { readFileSync } from "node:fs";
import Bowser from "bowser";
import { isbot } from "isbot";
import { LRUCache } from "lru-cache";
import { type CountryResponse, Reader } from "mmdb-lib";
import { SERVER_LIMITS } from "../core/limits.ts";

export interface Device {
  device: string | null;
  os: string | null;
  osVersion: string | null;
  browser: string | null;
  browserVersion: string | null;
  isBot: boolean;
}

const devices = new LRUCache<string, Device>({ max: SERVER_LIMITS.deviceCacheEntries });
const NOTHING: Device = {
  device: null,
  os: null,
  osVersion: null,
  browser: null,
  browserVersion: null,
  isBot: false,
};

function readDevice(userAgent: string): Device {
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

export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return NOTHING;
  const text = userAgent.slice(0, SERVER_LIMITS.userAgentLength);
  let device = devices.get(text);
  if (!device) {
    device = readDevice(text);
    devices.set(text, device);
  }
  return device;
}

export type CountryOf = (address: string) => string | null;

/**
 * Private and loopback addresses have no country; the file knows none for them.
 * @param unreadable told once, when the file is no longer what it was at the start: visits then have no country, and
 *   their events are taken all the same
 */
export function openCountries(file: string | null, unreadable: (error: unknown) => void): CountryOf {
  // read with the first look-up: eight megabytes that a node without visitors need not hold
  let reader: Reader<CountryResponse & { country_code?: string }> | undefined;
  let isUsable = file !== null;
  return (address) => {
    if (!isUsable) return null;
    try {
      reader ??= new Reader(readFileSync(file!));
      const found = reader.get(address);
      return found?.country_code ?? found?.country?.iso_code ?? null;
    } catch (error) {
      isUsable = false;
      unreadable(error);
      return null;
    }
  };
}

/** `TRUST_PROXY`: the proxies whose `X-Forwarded-For` is trusted. */
import { isAddressRange, parseAddressRanges } from "../core/address-ranges.ts";

/** Whether the peer with this address and at this distance (0 is the socket's peer) is a trusted proxy. */
export type Trust = (address: string, distance: number) => boolean;

/** The most proxies that `X-Forwarded-For` is followed through. */
export const MAX_HOPS = 32;

/**
 * Parses `TRUST_PROXY`: a number of hops, or addresses and CIDR ranges separated by commas. Empty: no proxy is trusted.
 * @throws Error with the end of a sentence, such as "must be at most 32 hops"
 */
export function parseTrust(text: string): Trust {
  const value = text.trim();
  if (/^\d*$/.test(value)) {
    const hops = Number(value);
    if (hops > MAX_HOPS) throw new Error(`must be at most ${MAX_HOPS} hops`);
    return (_, distance) => distance < hops;
  }
  const ranges = value.split(",").map((range) => range.trim());
  const wrong = ranges.find((range) => !isAddressRange(range));
  if (wrong !== undefined)
    throw new Error(`must be a number of hops, or addresses and CIDR ranges; "${wrong}" is neither`);
  return parseAddressRanges(ranges);
}

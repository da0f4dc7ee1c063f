/** `TRUST_PROXY`: the proxies whose `X-Forwarded-For` is trusted. */
import { BlockList, isIP } from "node:net";

/** The trusted proxies: the nearest ones, by their number, or those with certain addresses. */
export type Trust = { readonly hops: number } | { readonly blocks: BlockList };

export const TRUST_NO_PROXY: Trust = { hops: 0 };

/** A header is not followed further. */
export const MAX_HOPS = 32;

function addRange(list: BlockList, range: string): void {
  const [address = "", bits] = range.split("/");
  const version = isIP(address);
  const width = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || !(prefix >= 0 && prefix <= width))
    throw new Error(`must be a number of hops, or addresses and CIDR ranges; "${range}" is none of them`);
  list.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
}

/** @throws Error when a range is none */
export function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list;
}

/**
 * Parses `TRUST_PROXY`: a number of hops, or addresses and CIDR ranges separated by commas.
 * @throws Error with the end of a sentence, such as "must be at most 32 hops"
 */
export function parseTrust(text: string): Trust {
  const value = text.trim();
  if (value === "") return TRUST_NO_PROXY;
  if (/^\d+$/.test(value)) {
    const hops = Number(value);
    if (hops > MAX_HOPS) throw new Error(`must be at most ${MAX_HOPS} hops`);
    return { hops };
  }
  return { blocks: blockList(value.split(",").map((range) => range.trim())) };
}

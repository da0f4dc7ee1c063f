/** A list of address ranges with a fast look-up. */
import { isIP } from "node:net";

/** Whether an address is in one of the ranges. */
export type ContainsAddress = (address: string) => boolean;

interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

const WIDTH = 128;
/** IPv4 addresses are those of ::ffff:0:0/96. */
const IPV4_PREFIX = 0xffffn;

/**
 * An address as a number of 128 bits. null: the text is not an address, or an IPv6 address with a zone or with an IPv4
 * address at its end.
 */
function toNumber(address: string): bigint | null {
  const version = isIP(address);
  if (version === 4) return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), IPV4_PREFIX);
  if (version === 0 || address.includes(".") || address.includes("%")) return null;
  const [head = "", tail] = address.split("::");
  const groupsOf = (text: string | undefined) => (text ? text.split(":") : []);
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** An address or a CIDR range; null for other text. */
function toRange(text: string): AddressRange | null {
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0) return null;
  const number = toNumber(address);
  const width = address.includes(":") ? WIDTH : 32;
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : WIDTH + 1;
  if (number === null || prefix > width) return null;
  const hosts = (1n << BigInt(width - prefix)) - 1n;
  return { first: number & ~hosts, last: number | hosts };
}

/** Whether text is an address or a CIDR range. */
export const isAddressRange = (text: string): boolean => toRange(text) !== null;

/** Sorted by address, and without overlaps. */
function mergeRanges(ranges: readonly AddressRange[]): AddressRange[] {
  const merged: AddressRange[] = [];
  for (const range of [...ranges].sort((one, other) => (one.first < other.first ? -1 : 1))) {
    const previous = merged.at(-1);
    if (previous === undefined || range.first > previous.last) merged.push(range);
    else if (range.last > previous.last)
      merged[merged.length - 1] = { first: previous.first, last: range.last };
  }
  return merged;
}

/**
 * @param lines an address or a CIDR range each
 * @throws Error with the end of a sentence, which names the first line that is neither
 */
export function parseAddressRanges(lines: readonly string[]): ContainsAddress {
  const ranges = mergeRanges(
    lines.map((line) => {
      const range = toRange(line);
      if (range === null) throw new Error(`must list addresses and CIDR ranges; "${line}" is neither`);
      return range;
    }),
  );
  return (address) => {
    const number = toNumber(address);
    if (number === null) return false;
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.last ?? 0n) < number) low = middle + 1;
      else high = middle;
    }
    const found = ranges[low];
    return found !== undefined && found.first <= number;
  };
}

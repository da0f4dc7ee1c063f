/**
 * The client's address (CONTRACT section 5): the socket's, or what `X-Forwarded-For` says as far as `TRUST_PROXY`
 * vouches for those who wrote it. Every proxy appends the address it saw, so the header is read from its end.
 */
import { BlockList, isIP } from "node:net";

/** Whom to believe: so many proxies in front of this process, or proxies with these addresses. */
export type Trust = { readonly hops: number } | { readonly blocks: BlockList };

export const TRUST_NOBODY: Trust = { hops: 0 };

export interface ClientAddress {
  /** The whole address: for the country look-up, then dropped. */
  readonly ip: string;
  /** What rates count by: an IPv4 address, or the /64 of an IPv6 one. */
  readonly key: string;
  /** A loopback or private peer sent `X-Forwarded-For` and is not vouched for: a proxy nobody told us of. */
  readonly proxyUntrusted: boolean;
  /** The peer itself is one of ours: what it says of the client in other headers can be believed. */
  readonly vouched: boolean;
}

const MAX_HOPS = 32;
const PRIVATE = blockList([
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "100.64.0.0/10",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]);

function addRange(list: BlockList, range: string): void {
  const [address = "", bits] = range.split("/");
  const version = isIP(address);
  const width = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || !(prefix >= 0 && prefix <= width))
    throw new Error(`must be a number of hops, or addresses and CIDR ranges; "${range}" is none of them`);
  list.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list;
}

/** Reads `TRUST_PROXY`: a number of hops, or addresses and CIDR ranges with commas. Throws a sentence when it is neither. */
export function parseTrust(text: string): Trust {
  const value = text.trim();
  if (value === "") return TRUST_NOBODY;
  if (/^\d+$/.test(value)) {
    const hops = Number(value);
    if (hops > MAX_HOPS) throw new Error(`must be at most ${MAX_HOPS} hops`);
    return { hops };
  }
  return { blocks: blockList(value.split(",").map((range) => range.trim())) };
}

/** Without port, brackets, zone and the IPv4-in-IPv6 prefix; null when it is no address. */
function plain(text: string): string | null {
  let address = text.trim();
  if (address.startsWith("[")) address = address.slice(1, address.indexOf("]"));
  else if (/^[\d.]+:\d+$/.test(address)) address = address.slice(0, address.indexOf(":"));
  const zone = address.indexOf("%");
  if (zone > 0) address = address.slice(0, zone);
  if (/^::ffff:\d/i.test(address) && address.includes(".")) address = address.slice(7);
  return isIP(address) === 0 ? null : address.toLowerCase();
}

const within = (list: BlockList, address: string) =>
  list.check(address, address.includes(":") ? "ipv6" : "ipv4");

/** The first four groups of an IPv6 address: what one customer is given. */
export function rateKey(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** Is the peer at this distance (0 = the socket's) a proxy of ours? */
function vouched(trust: Trust, address: string, distance: number): boolean {
  return "hops" in trust ? distance < trust.hops : within(trust.blocks, address);
}

/** Walks the header from its end while the one who wrote the entry is vouched for. */
function walk(peer: string, forwardedFor: string, trust: Trust): string {
  let current = peer;
  let end = forwardedFor.length;
  for (let distance = 0; end > 0 && distance < MAX_HOPS && vouched(trust, current, distance); distance += 1) {
    const comma = forwardedFor.lastIndexOf(",", end - 1);
    const next = plain(forwardedFor.slice(comma + 1, end));
    if (next === null) break;
    current = next;
    end = Math.max(0, comma);
  }
  return current;
}

/**
 * Pure. @param socketAddress undefined for a Unix socket, which only this machine can reach
 * @param forwardedFor the header, several of them joined with commas as Node does
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trust: Trust,
): ClientAddress {
  const peer = plain(socketAddress ?? "127.0.0.1") ?? "127.0.0.1";
  const ours = vouched(trust, peer, 0);
  if (!forwardedFor) return { ip: peer, key: rateKey(peer), proxyUntrusted: false, vouched: ours };
  const ip = walk(peer, forwardedFor, trust);
  return { ip, key: rateKey(ip), proxyUntrusted: !ours && within(PRIVATE, peer), vouched: ours };
}

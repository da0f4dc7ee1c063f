/**
 * The client's address (docs/api/limits.md): the socket's, or an entry of `X-Forwarded-For` that a trusted proxy
 * (`TRUST_PROXY`) wrote. Every proxy appends the address that it saw, so the header is read from its end.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** The trusted proxies: the nearest ones, by their number, or those with certain addresses. */
export type Trust = { readonly hops: number } | { readonly blocks: BlockList };

export const TRUST_NO_PROXY: Trust = { hops: 0 };

interface ClientAddress {
  /** The whole address, for the country look-up. It is never stored. */
  readonly ip: string;
  /** Identifies the client in rate limits: the IPv4 address, or the /64 of the IPv6 address. */
  readonly key: string;
  /** A loopback or private peer sent `X-Forwarded-For` but is not trusted: probably a proxy that TRUST_PROXY lacks. */
  readonly proxyUntrusted: boolean;
  /** The peer is a trusted proxy, so other headers about the client can be trusted too. */
  readonly isVouched: boolean;
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

/** Removes port, brackets, zone and the IPv4-in-IPv6 prefix. Returns null for text that is not an address. */
function normalizeAddress(text: string): string | null {
  let address = text.trim();
  if (address.startsWith("[")) address = address.slice(1, address.indexOf("]"));
  else if (/^[\d.]+:\d+$/.test(address)) address = address.slice(0, address.indexOf(":"));
  const zone = address.indexOf("%");
  if (zone > 0) address = address.slice(0, zone);
  if (/^::ffff:\d/i.test(address) && address.includes(".")) address = address.slice(7);
  return isIP(address) === 0 ? null : address.toLowerCase();
}

const contains = (list: BlockList, address: string) =>
  list.check(address, address.includes(":") ? "ipv6" : "ipv4");

/** For IPv6 the first four groups of the address, since providers give each customer a /64. */
export function rateKey(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** The /48 of a key that ends in the /64 of an IPv6 address; null for other keys. */
export function networkKey(key: string): string | null {
  if (!key.endsWith("::/64")) return null;
  return `${key.slice(0, key.lastIndexOf(":", key.length - 6))}::/48`;
}

/** The network of a client, for log lines: of its rate key the /24 of an IPv4 address or the /48 of an IPv6 address. */
export const networkOf = (key: string): string => networkKey(key) ?? key.replace(/\.\d+$/, ".0/24");

/** Whether the peer at this distance (0 is the socket's peer) is a trusted proxy. */
function isTrusted(trust: Trust, address: string, distance: number): boolean {
  return "hops" in trust ? distance < trust.hops : contains(trust.blocks, address);
}

/** Follows the header from its end, as long as a trusted proxy wrote the entry. */
function findClient(peer: string, forwardedFor: string, trust: Trust): string {
  let current = peer;
  let end = forwardedFor.length;
  for (
    let distance = 0;
    end > 0 && distance < MAX_HOPS && isTrusted(trust, current, distance);
    distance += 1
  ) {
    const comma = forwardedFor.lastIndexOf(",", end - 1);
    const next = normalizeAddress(forwardedFor.slice(comma + 1, end));
    if (next === null) break;
    current = next;
    end = Math.max(0, comma);
  }
  return current;
}

/**
 * @param socketAddress undefined for a Unix socket, which only this machine can reach
 * @param forwardedFor the header; Node joins several of them with commas
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trust: Trust,
): ClientAddress {
  const peer = normalizeAddress(socketAddress ?? "127.0.0.1") ?? "127.0.0.1";
  const isVouched = isTrusted(trust, peer, 0);
  if (!forwardedFor) return { ip: peer, key: rateKey(peer), proxyUntrusted: false, isVouched };
  const ip = findClient(peer, forwardedFor, trust);
  return { ip, key: rateKey(ip), proxyUntrusted: !isVouched && contains(PRIVATE, peer), isVouched };
}

export const clientOf = ({ socket, headers }: IncomingMessage, trust: Trust): ClientAddress =>
  clientAddress(socket.remoteAddress, headers["x-forwarded-for"]?.toString(), trust);

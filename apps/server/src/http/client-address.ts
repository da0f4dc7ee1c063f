/**
 * The client's address (docs/api/limits.md): the socket's, or an entry of `X-Forwarded-For` that a trusted proxy
 * (`TRUST_PROXY`) wrote. Every proxy appends the address that it saw, so the header is read from its end.
 */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { MAX_HOPS, type Trust } from "../config/trust.ts";
import { parseAddressRanges } from "../core/address-ranges.ts";
import { rateKey } from "../overload/client-key.ts";

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

const isPrivate = parseAddressRanges([
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

/** The IPv4 address of an IPv6 address that stands for one, in any form: `::ffff:8.8.8.8`, `::ffff:808:808`, `0:0:0:0:0:ffff:808:808`. */
function embeddedIpv4(address: string): string | null {
  if (!/ffff:/i.test(address)) return null;
  // parsing writes an address in its shortest form
  const host = URL.parse(`http://[${address}]/`)?.hostname ?? "";
  const [, high = "", low = ""] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (low === "") return null;
  const number = Number.parseInt(high, 16) * 0x1_0000 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join(".");
}

/** Removes port, brackets, zone and the IPv4-in-IPv6 prefix. Returns null for text that is not an address. */
function normalizeAddress(text: string): string | null {
  let address = text.trim();
  if (address.startsWith("[")) address = address.slice(1, address.indexOf("]"));
  else if (/^[\d.]+:\d+$/.test(address)) address = address.slice(0, address.indexOf(":"));
  const zone = address.indexOf("%");
  if (zone > 0) address = address.slice(0, zone);
  if (isIP(address) === 0) return null;
  return embeddedIpv4(address) ?? address.toLowerCase();
}

/** Follows the header from its end, as long as a trusted proxy wrote the entry. */
function findClient(peer: string, forwardedFor: string, trust: Trust): string {
  let current = peer;
  let end = forwardedFor.length;
  for (let distance = 0; end > 0 && distance < MAX_HOPS && trust(current, distance); distance += 1) {
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
  const isVouched = trust(peer, 0);
  if (!forwardedFor) return { ip: peer, key: rateKey(peer), proxyUntrusted: false, isVouched };
  const ip = findClient(peer, forwardedFor, trust);
  return { ip, key: rateKey(ip), proxyUntrusted: !isVouched && isPrivate(peer), isVouched };
}

export const clientOf = ({ socket, headers }: IncomingMessage, trust: Trust): ClientAddress =>
  clientAddress(socket.remoteAddress, headers["x-forwarded-for"]?.toString(), trust);

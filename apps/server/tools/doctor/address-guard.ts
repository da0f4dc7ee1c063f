/**
 * Where the doctor may ask. What a page names is no reason to knock at doors of the operator's own network: a public
 * page leads to public addresses only. A page of that network may lead into it, and so may an address that the user gave.
 */
import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const INNER = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  INNER.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  INNER.addSubnet(network, prefix, "ipv6");

/** Loopback, private, link-local, multicast or reserved; an IPv4 address written as an IPv6 one too. */
export const isInner = (address: string): boolean =>
  INNER.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

export class InnerAddress extends Error {
  constructor(hostname: string) {
    super(`${hostname} is an address of an inner network, and the page is a public one`);
  }
}

const bare = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

const lookUpAll = (hostname: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    lookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

/** The look-up of a connection itself, so that no name can change its meaning between a check and its use. */
const publicLookup: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const inner =
      error ?? (found.some(({ address }) => isInner(address)) ? new InnerAddress(hostname) : null);
    if (inner || options.all) done(inner, found);
    else done(null, found[0]!.address, found[0]!.family);
  });

/** @returns the look-up that a connection to this address is to make; undefined: the ordinary one */
export type Guard = (url: URL) => LookupFunction | undefined;

/**
 * @param given the addresses that the user has given, the page's first
 * @throws (the guard) InnerAddress
 */
export async function createGuard([start, ...others]: readonly [URL, ...URL[]]): Promise<Guard> {
  const { hostname } = start;
  const addresses = isIP(bare(start)) ? [bare(start)] : await lookUpAll(hostname).then(addressesOf, () => []);
  if (addresses.some(isInner)) return () => undefined;
  const trusted = new Set(others.map(({ origin }) => origin));
  return (url) => {
    if (trusted.has(url.origin)) return undefined;
    if (isIP(bare(url)) && isInner(bare(url))) throw new InnerAddress(url.hostname);
    return publicLookup;
  };
}

const addressesOf = (found: LookupAddress[]) => found.map(({ address }) => address);

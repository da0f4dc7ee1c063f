/**
 * Decides which addresses the doctor may request. A public page must not lead the doctor into the operator's private network,
 * by a redirect, a script or its API address. Private addresses are requested only if the user gave them, or if the page
 * itself is in a private network. A page is public if at least one address of its host is.
 */
import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const PRIVATE = new BlockList();
const PRIVATE_IPV4 = [
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
] as const;
for (const [network, prefix] of PRIVATE_IPV4) {
  PRIVATE.addSubnet(network, prefix, "ipv4");
  // NAT64 with the well-known prefix, which DNS64 answers for public IPv4 addresses too
  PRIVATE.addSubnet(`64:ff9b::${network}`, 96 + prefix, "ipv6");
}
for (const [network, prefix] of [
  ["::", 96], // unspecified, loopback, and IPv4-compatible addresses such as ::127.0.0.1
  ["::ffff:0:0:0", 96], // IPv4-translated
  ["64:ff9b:1::", 48], // NAT64 within a network
  ["2001::", 32], // Teredo
  ["2002::", 16], // 6to4
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10], // site-local
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** Whether an IP address is loopback, private, link-local, multicast or reserved, including IPv4 in IPv6. */
export const isPrivateAddress = (address: string): boolean =>
  PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** The address may not be requested. Its message is the end of a sentence. */
export class ForbiddenAddressError extends Error {}
export class PrivateAddressError extends ForbiddenAddressError {
  constructor(hostname: string) {
    super(`${hostname} is an address of a private network`);
  }
}

const withoutBrackets = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

const resolveAddresses = (hostname: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    lookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

/** The DNS lookup of the connection itself, so a name cannot resolve differently between the check and its use. */
const lookupPublic: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const isPrivate = !error && found.some(({ address }) => isPrivateAddress(address));
    const problem = isPrivate ? new PrivateAddressError(hostname) : error;
    const [first] = found ?? [];
    if (problem || options.all || first === undefined) done(problem, found);
    else done(null, first.address, first.family);
  });

/** Answers with addresses that were looked up before, so that the name cannot resolve to others later. */
const lookupPinned =
  (found: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, done) => {
    const [first] = found;
    if (options.all || first === undefined) done(null, [...found]);
    else done(null, first.address, first.family);
  };

/**
 * @returns the lookup for a connection to this address; undefined: the system's own
 * @throws PrivateAddressError
 */
export type AddressGuard = (url: URL) => LookupFunction | undefined;

/**
 * The guard of a service that tests a page for its users: public addresses on the ports of the web, and the service's own address.
 * An address that a user gives must not lead into the operator's network either, and the service must not scan others' ports.
 */
export function createPublicGuard(own: URL): AddressGuard {
  return (url) => {
    if (url.origin === own.origin) return undefined;
    const host = withoutBrackets(url);
    if (isIP(host) && isPrivateAddress(host)) throw new PrivateAddressError(url.hostname);
    if (!["", "80", "443"].includes(url.port))
      throw new ForbiddenAddressError(`the service connects only to ports 80 and 443, not ${url.port}`);
    return lookupPublic;
  };
}

/** @param given the addresses that the user gave, the page's first */
export async function createAddressGuard(
  [page, ...others]: readonly [URL, ...URL[]],
  resolveHost = resolveAddresses,
): Promise<AddressGuard> {
  const host = withoutBrackets(page);
  const found = isIP(host)
    ? [{ address: host, family: isIP(host) }]
    : await resolveHost(page.hostname).catch(() => []);
  if (found.length > 0 && found.every(({ address }) => isPrivateAddress(address)))
    return (url) => (url.hostname === page.hostname ? lookupPinned(found) : undefined);
  const allowed = new Set(others.map(({ origin }) => origin));
  return (url) => {
    if (allowed.has(url.origin)) return undefined;
    if (isIP(withoutBrackets(url)) && isPrivateAddress(withoutBrackets(url)))
      throw new PrivateAddressError(url.hostname);
    return lookupPublic;
  };
}

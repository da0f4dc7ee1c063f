/** The keys by which rate limits count clients. */

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

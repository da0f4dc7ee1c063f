/** Writes address databases in the MMDB format: https://maxmind.github.io/MaxMind-DB/ */
import { isIPv4 } from "node:net";

export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [name: string]: MmdbValue };

const TYPE = { text: 2, uint32: 6, map: 7, array: 11 };

/** The control byte; extended types have a second byte, and long texts a byte for the rest of their size. */
function control(type: number, size: number): Buffer {
  const [short, more] = size < 29 ? [size, []] : [29, [size - 29]];
  return Buffer.from(type > 7 ? [short, type - 7, ...more] : [(type << 5) | short, ...more]);
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return Buffer.concat([control(TYPE.text, text.length), text]);
  }
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(TYPE.uint32, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(TYPE.array, value.length), ...value.map(encode)]);
  const members = Object.entries(value);
  return Buffer.concat([
    control(TYPE.map, members.length),
    ...members.flatMap(([name, member]) => [encode(name), encode(member)]),
  ]);
}

/** The bits of an address as in an IPv6 tree: IPv4 addresses are those of ::/96. */
function bitsOf(address: string): string {
  const toBits = (text: string, radix: number, width: number) =>
    Number.parseInt(text, radix).toString(2).padStart(width, "0");
  if (isIPv4(address))
    return (
      "0".repeat(96) +
      address
        .split(".")
        .map((part) => toBits(part, 10, 8))
        .join("")
    );
  const [head = "", tail = ""] = address
    .split("::")
    .map((part) => part.split(":").filter(Boolean)) as string[][];
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.map((group) => toBits(group, 16, 16)).join("");
}

/** @param networks the record of each CIDR range; none contains another */
export function writeMmdb(databaseType: string, networks: Readonly<Record<string, MmdbValue>>): Buffer {
  /** A child is the index of a node, or a negative record offset minus one. */
  const nodes: [number | null, number | null][] = [[null, null]];
  const records: Buffer[] = [];
  let size = 0;
  for (const [network, record] of Object.entries(networks)) {
    const [address = "", prefix = ""] = network.split("/");
    const bits = bitsOf(address).slice(0, Number(prefix) + (isIPv4(address) ? 96 : 0));
    let node = 0;
    for (const [depth, bit] of [...bits].entries()) {
      const side = bit === "1" ? 1 : 0;
      if (depth === bits.length - 1) nodes[node]![side] = -1 - size;
      else node = nodes[node]![side] ??= nodes.push([null, null]) - 1;
    }
    const data = encode(record);
    records.push(data);
    size += data.length;
  }
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, children] of nodes.entries())
    for (const [side, child] of children.entries()) {
      const value = child === null ? nodes.length : child >= 0 ? child : nodes.length + 16 - child - 1;
      tree.writeUIntBE(value, index * 6 + side * 3, 3);
    }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000,
    database_type: databaseType,
    description: { en: "test" },
    ip_version: 6,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 24,
  };
  const marker = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
  return Buffer.concat([tree, Buffer.alloc(16), ...records, marker, encode(metadata)]);
}

/** A group of commits as one message to the ledger's thread: copying many small objects costs more than the work. */
import type { Commit, Committed } from "../records.ts";

export const KEY_BYTES = 16;

/** A commit without its entries, but for their number. */
export type Head = Omit<Commit, "entries"> & { entries: number };

export interface PackedGroup {
  heads: Head[];
  /** The keys of all entries, one after the other. */
  keys: Uint8Array;
  /** Their normal forms, a line each (JSON text holds no line break). */
  lines: string;
}

export function packGroup(group: Commit[]): { packed: PackedGroup; transfer: ArrayBuffer[] } {
  const entries = group.flatMap((commit) => commit.entries);
  const buffer = new ArrayBuffer(entries.length * KEY_BYTES);
  const keys = Buffer.from(buffer);
  for (const [index, { key }] of entries.entries()) keys.write(key, index * KEY_BYTES, "hex");
  const heads = group.map((commit) => ({ ...commit, entries: commit.entries.length }));
  const lines = entries.map(({ json }) => json).join("\n");
  return { packed: { heads, keys: new Uint8Array(buffer), lines }, transfer: [buffer] };
}

/** The outcomes of the whole group, in order, dealt out to its commits. */
export function unpackOutcomes(group: Commit[], outcomes: Uint8Array): Committed[] {
  let start = 0;
  return group.map(({ entries }) => {
    const own = outcomes.subarray(start, start + entries.length);
    start += entries.length;
    return own;
  });
}

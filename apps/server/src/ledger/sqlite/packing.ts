/** A group of commits as one message to the ledger's thread: copying many small objects costs more than the work. */
import type { Commit, StoredFlags } from "../../core/records.ts";

export const KEY_BYTES = 16;

/** A commit without its entries, but for their number. */
export type Head = Omit<Commit, "entries"> & { entries: number };

export interface PackedGroup {
  heads: Head[];
  /** The keys of all entries, one after the other. */
  keys: Uint8Array;
  /** Their normal forms in UTF-8, a line each (JSON text holds no line break). */
  lines: Uint8Array;
}

const LINE_BREAK = 10;
/** A UTF-16 unit takes no more bytes of UTF-8. To count them costs several times what writing them does. */
const UNIT_BYTES = 3;

/** Encoded here, once: a text would be copied to the thread and encoded there, and is twice as long for one wide letter. */
function linesOf(entries: Commit["entries"]): Buffer<ArrayBuffer> {
  const units = entries.reduce((sum, { json }) => sum + json.length + 1, 0);
  const lines = Buffer.from(new ArrayBuffer(units * UNIT_BYTES));
  let at = 0;
  for (const { json } of entries) {
    if (at > 0) lines[at++] = LINE_BREAK;
    at += lines.write(json, at);
  }
  return lines.subarray(0, at);
}

export function packGroup(group: Commit[]): { packed: PackedGroup; transfer: ArrayBuffer[] } {
  const entries = group.flatMap((commit) => commit.entries);
  const buffer = new ArrayBuffer(entries.length * KEY_BYTES);
  const keys = Buffer.from(buffer);
  for (const [index, { key }] of entries.entries()) keys.write(key, index * KEY_BYTES, "hex");
  const heads = group.map((commit) => ({ ...commit, entries: commit.entries.length }));
  const lines = linesOf(entries);
  return { packed: { heads, keys: new Uint8Array(buffer), lines }, transfer: [buffer, lines.buffer] };
}

/** The outcomes of the whole group, in order, dealt out to its commits. */
export function unpackOutcomes(group: Commit[], outcomes: Uint8Array): StoredFlags[] {
  let start = 0;
  return group.map(({ entries }) => {
    const own = outcomes.subarray(start, start + entries.length);
    start += entries.length;
    return own;
  });
}

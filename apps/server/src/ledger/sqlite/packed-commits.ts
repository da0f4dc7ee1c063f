/** A group of commits as one message to the ledger's thread: copying many small objects costs more than the commit. */
import { transfer } from "../../core/thread-calls.ts";
import type { Commit, StoredFlags } from "../records.ts";

export const KEY_BYTES = 16;

/** A commit with the number of its entries instead of the entries. */
export type CommitHead = Omit<Commit, "entries"> & { entries: number };

export interface PackedCommits {
  heads: CommitHead[];
  /** The keys of all entries, `KEY_BYTES` each. */
  keys: Uint8Array;
  /** The entries in UTF-8, one a line: JSON text contains no line break. */
  lines: Uint8Array;
  /** The days of all entries. 16 bits are enough until the year 2149. */
  days: Uint16Array;
}

const LINE_BREAK = 10;

/** The buffers are moved to the thread, not copied. */
export function packCommits(group: readonly Commit[]): PackedCommits {
  let count = 0;
  let bytes = 0;
  for (const { entries } of group) {
    count += entries.length;
    for (const { line } of entries) bytes += line.length + 1;
  }
  const keys = Buffer.from(new ArrayBuffer(count * KEY_BYTES));
  const days = new Uint16Array(count);
  const lines = Buffer.from(new ArrayBuffer(bytes));
  let index = 0;
  let length = 0;
  for (const { entries } of group) {
    for (const { key, line, day } of entries) {
      keys.write(key, index * KEY_BYTES, "hex");
      days[index] = day;
      if (index > 0) lines[length++] = LINE_BREAK;
      lines.set(line, length);
      length += line.length;
      index += 1;
    }
  }
  const heads = group.map((commit) => ({ ...commit, entries: commit.entries.length }));
  return transfer({ heads, keys, lines: lines.subarray(0, length), days }, [
    keys.buffer,
    lines.buffer,
    days.buffer,
  ]);
}

/** The outcomes of each commit, cut from those of the whole group. */
export function outcomesOfEach(group: readonly Commit[], outcomes: Uint8Array): StoredFlags[] {
  let start = 0;
  return group.map(({ entries }) => {
    const end = start + entries.length;
    const commitOutcomes = outcomes.subarray(start, end);
    start = end;
    return commitOutcomes;
  });
}

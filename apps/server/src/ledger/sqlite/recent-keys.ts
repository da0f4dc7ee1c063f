/**
 * The newest dedup keys, before they are merged into a generation (docs/decisions/0007). Keys are random, so a key that
 * goes straight into a large table rewrites a page of its own. Recent keys are appended to a log, one row a commit, and
 * looked up in memory. When there are many, they are merged in order, some with each commit, so that neighbors share a page.
 */
import { KEY_BYTES } from "./packed-commits.ts";
import type { Statements } from "./statements.ts";

/** The number of recent keys from which they are merged: about 15 MB of memory, and enough that neighbors share pages. */
export const MERGE_FROM = 131_072;
/** Keys that a commit merges for each key that it adds. */
const MERGED_PER_ADDED = 2;
/** Keys are sorted by bucket: sorting all of them at once would delay one commit. */
const BUCKETS = 256;

const READ_LOG = "select seq, keys from recent_keys order by seq";
const APPEND = "insert into recent_keys (keys) values (?) returning seq";
const DELETE_LOG = "delete from recent_keys where seq <= ?";

interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  /** Appends the added keys to the log, and merges some when there are many. Within the caller's transaction. */
  write(): void;
  /** Merges every key. Within the caller's transaction. */
  mergeAll(): void;
}

interface RecentKeysOptions {
  /** Inserts a key into the newest generation; no effect when it is there. */
  insert(key: Uint8Array): void;
  mergeFrom?: number | undefined;
}

/** Keys that are being merged, by their first byte, and the last row of the log that has one of them. */
interface RunningMerge {
  buckets: string[][];
  lastSeq: number;
}

/** One character a byte: a set finds texts faster than bytes, and they sort as their bytes do. */
export const toKeyText = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, KEY_BYTES).toString("latin1");
const toKeyBytes = (text: string): Buffer => Buffer.from(text, "latin1");

export function openRecentKeys(
  sql: Statements,
  { insert, mergeFrom = MERGE_FROM }: RecentKeysOptions,
): RecentKeys {
  const recent = new Set<string>();
  let added: string[] = [];
  let lastSeq = 0;
  let merge: RunningMerge | null = null;
  for (const { seq, keys } of sql.all<{ seq: number; keys: Uint8Array }>(READ_LOG)) {
    for (let at = 0; at < keys.length; at += KEY_BYTES)
      recent.add(toKeyText(keys.subarray(at, at + KEY_BYTES)));
    lastSeq = seq;
  }

  const startMerge = (): RunningMerge => {
    const buckets: string[][] = Array.from({ length: BUCKETS }, () => []);
    for (const key of recent) buckets[key.charCodeAt(0)]?.push(key);
    return { buckets, lastSeq };
  };

  /** Merges whole buckets until `count` keys are merged. Returns null when no bucket is left. */
  const mergeSome = (running: RunningMerge, count: number): RunningMerge | null => {
    for (let merged = 0; merged < count; ) {
      const bucket = running.buckets.pop();
      if (!bucket) {
        sql.run(DELETE_LOG, running.lastSeq);
        return null;
      }
      for (const key of bucket.sort()) {
        insert(toKeyBytes(key));
        recent.delete(key);
      }
      merged += bucket.length;
    }
    return running;
  };

  return {
    has: (key) => recent.has(key),
    add: (key) => {
      recent.add(key);
      added.push(key);
    },
    write: () => {
      if (added.length === 0) return;
      lastSeq = sql.get<{ seq: number }>(APPEND, toKeyBytes(added.join("")))?.seq ?? lastSeq;
      if (recent.size >= mergeFrom) merge ??= startMerge();
      if (merge) merge = mergeSome(merge, added.length * MERGED_PER_ADDED);
      added = [];
    },
    mergeAll: () => {
      // a running merge covers only the keys that were there when it started, so a new one replaces it
      merge = mergeSome(startMerge(), Number.POSITIVE_INFINITY);
    },
  };
}

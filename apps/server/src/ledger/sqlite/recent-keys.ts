/**
 * The newest dedup keys, before they are filed into a generation (docs/decisions/0007). Keys are random, so a key that
 * goes straight into a large table rewrites a page of its own. Recent keys are appended to a log, one row a commit, and
 * looked up in memory. When there are many they are filed in order, some with each commit, so that neighbors share a page.
 */
import { KEY_BYTES } from "./packed-commits.ts";
import type { Statements } from "./statements.ts";

/** About 15 MB of memory, and enough that neighbors share pages. */
export const FILED_FROM = 131_072;
/** Keys that a commit files for each key that it adds. */
const FILED_PER_ADDED = 2;
/** Sorting all keys at once would make one commit wait for all of them. */
const BUCKETS = 256;

const READ_LOG = "select seq, keys from recent_keys order by seq";
const APPEND = "insert into recent_keys (keys) values (?) returning seq";
const DELETE_LOG = "delete from recent_keys where seq <= ?";

export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  /** Appends the added keys to the log, and files some when there are many. Within the caller's transaction. */
  write(): void;
  /** Files every key. Within the caller's transaction. */
  fileAll(): void;
}

export interface RecentKeysOptions {
  /** Writes a key to the newest generation; no effect when it is there. */
  file(key: Uint8Array): void;
  filedFrom?: number | undefined;
}

/** Keys that are being filed, by their first byte, and the last row of the log that has one of them. */
interface Filing {
  buckets: string[][];
  lastSeq: number;
}

/** One character a byte: a set finds texts faster than bytes, and they sort as their bytes do. */
export const toKeyText = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, KEY_BYTES).toString("latin1");
const toKeyBytes = (text: string): Buffer => Buffer.from(text, "latin1");

export function openRecentKeys(
  sql: Statements,
  { file, filedFrom = FILED_FROM }: RecentKeysOptions,
): RecentKeys {
  const recent = new Set<string>();
  let added: string[] = [];
  let lastSeq = 0;
  let filing: Filing | null = null;
  for (const { seq, keys } of sql.all<{ seq: number; keys: Uint8Array }>(READ_LOG)) {
    for (let at = 0; at < keys.length; at += KEY_BYTES)
      recent.add(toKeyText(keys.subarray(at, at + KEY_BYTES)));
    lastSeq = seq;
  }

  const startFiling = (): Filing => {
    const buckets: string[][] = Array.from({ length: BUCKETS }, () => []);
    for (const key of recent) buckets[key.charCodeAt(0)]?.push(key);
    return { buckets, lastSeq };
  };

  /** Files whole buckets until `count` keys are filed. Returns the filing while buckets are left, else null. */
  const fileSome = (filing: Filing, count: number): Filing | null => {
    for (let filed = 0; filed < count; ) {
      const bucket = filing.buckets.pop();
      if (!bucket) {
        sql.run(DELETE_LOG, filing.lastSeq);
        return null;
      }
      for (const key of bucket.sort()) {
        file(toKeyBytes(key));
        recent.delete(key);
      }
      filed += bucket.length;
    }
    return filing;
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
      if (recent.size >= filedFrom) filing ??= startFiling();
      if (filing) filing = fileSome(filing, added.length * FILED_PER_ADDED);
      added = [];
    },
    fileAll: () => {
      // a filing under way covers only the keys that were there when it started
      filing = fileSome(startFiling(), Number.POSITIVE_INFINITY);
    },
  };
}

/**
 * The newest keys, before they are filed. Keys are random, so each that goes straight into a large index rewrites a
 * page of its own: that was two thirds of what an event cost. Here they are appended, a row a commit, and looked up in
 * memory; when there are many they are filed in order, a slice a commit, so that neighbours share a page.
 */
import type { DatabaseSync } from "node:sqlite";
import { KEY_BYTES } from "./packing.ts";

/** Filing begins at this many: some 15 MB of memory, and enough for neighbours to meet on a page. */
export const FILED_FROM = 131_072;
/** Keys filed with one commit, for each that it brings. */
const FILED_PER_NEW = 2;
const BUCKETS = 256;

export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  /** Appends what was added, and files a slice when it is time. Within the caller's transaction. */
  write(): void;
  /** Files every key, so that each is in the generation of its time. Within the caller's transaction. */
  fileAll(): void;
}

/** Bytes as text of as many characters, which a set finds faster and sorts as bytes sort. */
export const keyText = (bytes: Uint8Array, at: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, KEY_BYTES).toString("latin1");

/** @param file puts a key into the newest generation; one that is there is left */
export function openRecentKeys(
  database: DatabaseSync,
  file: (key: Uint8Array) => void,
  filedFrom = FILED_FROM,
): RecentKeys {
  const append = database.prepare("insert into recent_keys (keys) values (?)");
  const forget = database.prepare("delete from recent_keys where seq <= ?");
  const rows = database.prepare("select seq, keys from recent_keys order by seq").all() as unknown as {
    seq: number;
    keys: Uint8Array;
  }[];

  const recent = new Set<string>();
  for (const { keys } of rows)
    for (let at = 0; at < keys.length; at += KEY_BYTES) recent.add(keyText(keys, at));
  let lastSeq = rows.at(-1)?.seq ?? 0;
  let added: string[] = [];
  /** The keys of all rows up to `upTo`, by their first byte; a bucket is filed whole. */
  let filing: { buckets: string[][]; upTo: number } | null = null;

  const startFiling = () => {
    const buckets: string[][] = Array.from({ length: BUCKETS }, () => []);
    for (const key of recent) buckets[key.charCodeAt(0)]!.push(key);
    filing = { buckets, upTo: lastSeq };
  };

  const fileSome = (least: number) => {
    for (let filed = 0; filing && filed < least; ) {
      const bucket = filing.buckets.pop();
      if (!bucket) {
        forget.run(filing.upTo);
        filing = null;
        return;
      }
      for (const key of bucket.sort()) file(Buffer.from(key, "latin1"));
      // found in its generation from now on, in this transaction too
      for (const key of bucket) recent.delete(key);
      filed += bucket.length;
    }
  };

  return {
    has: (key) => recent.has(key),
    add: (key) => {
      recent.add(key);
      added.push(key);
    },
    write: () => {
      if (added.length === 0) return;
      const { lastInsertRowid } = append.run(Buffer.from(added.join(""), "latin1"));
      lastSeq = Number(lastInsertRowid);
      if (!filing && recent.size >= filedFrom) startFiling();
      fileSome(added.length * FILED_PER_NEW);
      added = [];
    },
    fileAll: () => {
      fileSome(Number.POSITIVE_INFINITY);
      if (recent.size === 0) return;
      startFiling();
      fileSome(Number.POSITIVE_INFINITY);
    },
  };
}

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

/** Keys that are being merged, by their first byte, and the last row of the log that has one of them. */
interface RunningMerge {
  buckets: string[][];
  lastSeq: number;
}

/** One character a byte: a set finds texts faster than bytes, and they sort as their bytes do. */
export const toKeyText = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, KEY_BYTES).toString("latin1");
const toKeyBytes = (text: string): Buffer => Buffer.from(text, "latin1");

export class RecentKeys {
  readonly #sql: Statements;
  readonly #mergeFrom: number;
  readonly #insert: (key: Uint8Array) => void;
  readonly #recent = new Set<string>();
  #added: string[] = [];
  #lastSeq = 0;
  #merge: RunningMerge | null = null;

  /** @param insert inserts a key into the newest generation; no effect when it is there */
  constructor(sql: Statements, mergeFrom: number, insert: (key: Uint8Array) => void) {
    this.#sql = sql;
    this.#mergeFrom = mergeFrom;
    this.#insert = insert;
    for (const { seq, keys } of sql.all<{ seq: number; keys: Uint8Array }>(READ_LOG)) {
      for (let at = 0; at < keys.length; at += KEY_BYTES)
        this.#recent.add(toKeyText(keys.subarray(at, at + KEY_BYTES)));
      this.#lastSeq = seq;
    }
  }

  has(key: string): boolean {
    return this.#recent.has(key);
  }

  add(key: string): void {
    this.#recent.add(key);
    this.#added.push(key);
  }

  /** Appends the added keys to the log, and merges some when there are many. Within the caller's transaction. */
  write(): void {
    const count = this.#added.length;
    if (count === 0) return;
    const log = toKeyBytes(this.#added.join(""));
    this.#lastSeq = this.#sql.get<{ seq: number }>(APPEND, log)?.seq ?? this.#lastSeq;
    if (this.#recent.size >= this.#mergeFrom) this.#merge ??= this.#startMerge();
    if (this.#merge) this.#merge = this.#mergeSome(this.#merge, count * MERGED_PER_ADDED);
    this.#added = [];
  }

  /** Merges every key. Within the caller's transaction. */
  mergeAll(): void {
    // a running merge covers only the keys that were there when it started, so a new one replaces it
    this.#merge = this.#mergeSome(this.#startMerge(), Number.POSITIVE_INFINITY);
  }

  #startMerge(): RunningMerge {
    const buckets: string[][] = Array.from({ length: BUCKETS }, () => []);
    for (const key of this.#recent) buckets[key.charCodeAt(0)]?.push(key);
    return { buckets, lastSeq: this.#lastSeq };
  }

  /** Merges whole buckets until `count` keys are merged. Returns null when no bucket is left. */
  #mergeSome(running: RunningMerge, count: number): RunningMerge | null {
    for (let merged = 0; merged < count; ) {
      const bucket = running.buckets.pop();
      if (!bucket) {
        this.#sql.run(DELETE_LOG, running.lastSeq);
        return null;
      }
      for (const key of bucket.sort()) {
        this.#insert(toKeyBytes(key));
        this.#recent.delete(key);
      }
      merged += bucket.length;
    }
    return running;
  }
}

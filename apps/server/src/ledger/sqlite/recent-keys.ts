/**
 * The newest dedup keys, before they are merged into a generation (docs/decisions/0007). Keys are random, so a key that
 * goes straight into a large table rewrites a page of its own. Recent keys are appended to a log, one row a commit, and
 * looked up in memory. When there are many, they are merged in order, some with each commit, so that neighbors share a page.
 */
import { eachKey, KeySet } from "./key-set.ts";
import { KEY_BYTES } from "./packed-commits.ts";
import type { Statements } from "./statements.ts";

/** The number of recent keys from which they are merged: 3 MB of memory, and enough that neighbors share pages. */
export const MERGE_FROM = 120_000;
/** Keys that a commit merges for each key that it adds. */
const MERGED_PER_ADDED = 2;

const READ_LOG = "select seq, keys from recent_keys order by seq";
const APPEND = "insert into recent_keys (keys) values (?) returning seq";
const DELETE_LOG = "delete from recent_keys where seq <= ?";

/** Keys that are being merged, and the last row of the log that has one of them. */
interface RunningMerge {
  readonly keys: KeySet;
  /** The keys that are not merged yet. */
  rest: Uint8Array;
  readonly lastSeq: number;
}

export class RecentKeys {
  readonly #sql: Statements;
  readonly #mergeFrom: number;
  readonly #insert: (keys: Uint8Array) => void;
  #recent = new KeySet();
  /** How many of the recent keys are in the log. */
  #written = 0;
  #lastSeq = 0;
  #merge: RunningMerge | null = null;

  /** @param insert inserts keys into the newest generation; no effect on those that are there */
  constructor(sql: Statements, mergeFrom: number, insert: (keys: Uint8Array) => void) {
    this.#sql = sql;
    this.#mergeFrom = mergeFrom;
    this.#insert = insert;
    for (const { seq, keys } of sql.all<{ seq: number; keys: Uint8Array }>(READ_LOG)) {
      for (const key of eachKey(keys)) this.#recent.add(key);
      this.#lastSeq = seq;
    }
    this.#written = this.#recent.size;
  }

  has(key: Uint8Array): boolean {
    return this.#recent.has(key) || this.#merge?.keys.has(key) === true;
  }

  /** @param key is not among the recent keys */
  add(key: Uint8Array): void {
    this.#recent.add(key);
  }

  /** Appends the added keys to the log, and merges some when there are many. Within the caller's transaction. */
  write(): void {
    const count = this.#recent.size - this.#written;
    if (count === 0) return;
    const log = this.#recent.bytesFrom(this.#written);
    this.#lastSeq = this.#sql.get<{ seq: number }>(APPEND, log)?.seq ?? this.#lastSeq;
    this.#written = this.#recent.size;
    if (this.#recent.size >= this.#mergeFrom) this.#merge ??= this.#startMerge();
    if (this.#merge) this.#merge = this.#mergeSome(this.#merge, count * MERGED_PER_ADDED);
  }

  /** Merges every key. Within the caller's transaction. */
  mergeAll(): void {
    if (this.#merge) this.#mergeSome(this.#merge, this.#merge.keys.size);
    const all = this.#startMerge();
    this.#merge = this.#mergeSome(all, all.keys.size);
  }

  #startMerge(): RunningMerge {
    const keys = this.#recent;
    this.#recent = new KeySet();
    this.#written = 0;
    return { keys, rest: keys.inOrder(), lastSeq: this.#lastSeq };
  }

  /** Merges up to `count` keys. Returns null when none is left. */
  #mergeSome(running: RunningMerge, count: number): RunningMerge | null {
    this.#insert(running.rest.subarray(0, count * KEY_BYTES));
    running.rest = running.rest.subarray(count * KEY_BYTES);
    if (running.rest.length > 0) return running;
    this.#sql.run(DELETE_LOG, running.lastSeq);
    return null;
  }
}

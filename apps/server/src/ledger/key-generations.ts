/**
 * The generations of dedup keys, and the filters that rule most of their keys out; the same for both engines (docs/decisions/0003).
 */
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract/limits";

/** For so long a generation takes new keys. */
export const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** Every key is kept at least this long, even one that was accepted just before the next generation was opened. */
export const WINDOW_MS = DEDUP_WINDOW_SECONDS * 1_000;
/**
 * A generation is full when it has this many keys and this share of all keys. A new one is then opened, because tables must
 * stay small: keys are random, so each key that is inserted into a large table rewrites a page of its own.
 */
export const FULL_KEYS = 4_000_000;
export const FULL_SHARE = 1 / 12;

/**
 * A filter in memory that rules most keys out, so that their table is not searched: a split block Bloom filter, as Parquet
 * files have it. Keys are hashes, so their own bits choose the block and the bits. With 12 bits a key, about one key in 200
 * that is not in the table passes; a key that is in the table always does.
 */
export interface KeyFilter {
  readonly bytes: number;
  add(key: Uint8Array): void;
  /** false: the key was certainly not added. */
  mayHold(key: Uint8Array): boolean;
}

/** For all filters of a ledger. */
export const MAX_FILTER_BYTES = 512 * 1_048_576;
const BITS_PER_KEY = 12;
/** 357 million. */
export const MAX_FILTERED_KEYS = Math.floor((MAX_FILTER_BYTES * 8) / BITS_PER_KEY);
const BLOCK_WORDS = 8;
const BLOCK_BITS = BLOCK_WORDS * 32;
/** Odd numbers without a common pattern, one for each word of a block: those of the Parquet specification. */
const SALTS = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
] as const;

export const filterBytes = (keys: number): number =>
  Math.ceil((Math.max(1, keys) * BITS_PER_KEY) / BLOCK_BITS) * BLOCK_WORDS * 4;

const wordAt = (key: Uint8Array, at: number): number =>
  (((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0)) >>>
  0;

/** @param keys about how many keys will be added. With many more, the filter still works but rules out fewer keys */
export function createKeyFilter(keys: number): KeyFilter {
  const words = new Uint32Array(filterBytes(keys) / 4);
  const blocks = words.length / BLOCK_WORDS;
  const blockOf = (key: Uint8Array) => Math.floor((wordAt(key, 0) / 2 ** 32) * blocks) * BLOCK_WORDS;
  const bitOf = (word: number, index: number) => 1 << (Math.imul(word, SALTS[index] ?? 0) >>> 27);
  return {
    bytes: words.byteLength,
    add(key) {
      const [block, word] = [blockOf(key), wordAt(key, 4)];
      for (let index = 0; index < BLOCK_WORDS; index++)
        words[block + index] = (words[block + index] ?? 0) | bitOf(word, index);
    },
    mayHold(key) {
      const [block, word] = [blockOf(key), wordAt(key, 4)];
      for (let index = 0; index < BLOCK_WORDS; index++)
        if (((words[block + index] ?? 0) & bitOf(word, index)) === 0) return false;
      return true;
    },
  };
}

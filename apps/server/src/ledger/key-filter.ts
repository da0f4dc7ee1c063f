/**
 * Says of most keys that they are surely not in a generation, without a look into its table: a split block Bloom filter,
 * as Parquet files have it. Keys are hashes, so their own bits choose the block and the places in it. At 12 bits a key
 * about one in two hundred is looked for in vain; none that is there is ever missed.
 */
export interface KeyFilter {
  add(key: Uint8Array): void;
  mayHold(key: Uint8Array): boolean;
}

/** Of all filters of a ledger. */
export const MOST_FILTER_BYTES = 512 * 1_048_576;
const BITS_PER_KEY = 12;
/** 357 million. */
export const MOST_FILTERED_KEYS = Math.floor((MOST_FILTER_BYTES * 8) / BITS_PER_KEY);
const BLOCK_WORDS = 8;
const BLOCK_BITS = BLOCK_WORDS * 32;
/** Odd numbers that share no pattern, one for each word of a block. */
const SALTS = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
];

export const filterBytes = (keys: number): number =>
  Math.ceil((keys * BITS_PER_KEY) / BLOCK_BITS) * BLOCK_WORDS * 4;

const wordAt = (key: Uint8Array, at: number): number =>
  ((key[at]! << 24) | (key[at + 1]! << 16) | (key[at + 2]! << 8) | key[at + 3]!) >>> 0;

/** @param keys about so many; with many more it answers "perhaps" more often, and is right all the same */
export function createKeyFilter(keys: number): KeyFilter {
  const words = new Uint32Array(filterBytes(Math.max(1, keys)) / 4);
  const blocks = words.length / BLOCK_WORDS;
  const startOf = (key: Uint8Array) => Math.floor((wordAt(key, 0) / 2 ** 32) * blocks) * BLOCK_WORDS;
  const bitOf = (word: number, place: number) => 1 << (Math.imul(word, SALTS[place]!) >>> 27);
  return {
    add(key) {
      const start = startOf(key);
      const word = wordAt(key, 4);
      for (let place = 0; place < BLOCK_WORDS; place++) words[start + place]! |= bitOf(word, place);
    },
    mayHold(key) {
      const start = startOf(key);
      const word = wordAt(key, 4);
      for (let place = 0; place < BLOCK_WORDS; place++)
        if ((words[start + place]! & bitOf(word, place)) === 0) return false;
      return true;
    },
  };
}

import { randomBytes } from "node:crypto";
import { KEY_BYTES } from "./packed-commits.ts";

const KEY_WORDS = KEY_BYTES / 4;
const MIN_CAPACITY = 1_024;
const PREFIXES = 2 ** 16;
/** Strangers choose the events, and so the keys: without secret factors they could give many keys the same slot. */
const [FACTOR, OTHER_FACTOR] = [randomBytes(4).readUInt32LE() | 1, randomBytes(4).readUInt32LE() | 1];

/**
 * A growing set of dedup keys: their bytes, and a hash table of their numbers. A `Set` of strings takes three times the memory, and
 * its garbage collection and look-ups took a sixth of the time of the ledger's thread.
 */
export class KeySet {
  #bytes = new Uint8Array(MIN_CAPACITY * KEY_BYTES);
  /** The number of a key, counted from 1; 0: the slot is free. At most half of the slots are taken. */
  #slots = new Uint32Array(2 * MIN_CAPACITY);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The keys from a place on, in the order in which they were added. */
  bytesFrom(place: number): Uint8Array {
    return this.#bytes.subarray(place * KEY_BYTES, this.#size * KEY_BYTES);
  }

  has(key: Uint8Array): boolean {
    return this.#slots[this.#findSlot(key)] !== 0;
  }

  /** @param key is not in the set */
  add(key: Uint8Array): void {
    if (this.#size * KEY_BYTES === this.#bytes.length) this.#grow();
    this.#bytes.set(key, this.#size * KEY_BYTES);
    const slot = this.#findSlot(key);
    this.#size += 1;
    this.#slots[slot] = this.#size;
  }

  /** The bytes of all keys, ordered by the first two of each. */
  inOrder(): Uint8Array {
    const prefixAt = (place: number) => wordOf(this.#bytes, place * KEY_BYTES) >>> 16;
    const counts = new Uint32Array(PREFIXES);
    for (let place = 0; place < this.#size; place++) increase(counts, prefixAt(place));
    let start = 0;
    const starts = counts.map((count) => {
      start += count;
      return start - count;
    });
    const words = new Uint32Array(this.#bytes.buffer);
    const ordered = new Uint32Array(this.#size * KEY_WORDS);
    for (let place = 0; place < this.#size; place++) {
      const target = increase(starts, prefixAt(place)) * KEY_WORDS;
      for (let at = 0; at < KEY_WORDS; at++) ordered[target + at] = words[place * KEY_WORDS + at] ?? 0;
    }
    return new Uint8Array(ordered.buffer);
  }

  /** The slot of the key, or the free one where it belongs. */
  #findSlot(key: Uint8Array): number {
    const { length } = this.#slots;
    const hash = Math.imul(wordOf(key, 0), FACTOR) + Math.imul(wordOf(key, 4), OTHER_FACTOR);
    // as many of its highest bits as the number of a slot has
    const first = hash >>> (Math.clz32(length) + 1);
    for (let slot = first; ; slot = (slot + 1) & (length - 1)) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0 || this.#isAt(number - 1, key)) return slot;
    }
  }

  #isAt(place: number, key: Uint8Array): boolean {
    const start = place * KEY_BYTES;
    for (let at = 0; at < KEY_BYTES; at++) if (this.#bytes[start + at] !== key[at]) return false;
    return true;
  }

  #grow(): void {
    const bytes = new Uint8Array(2 * this.#bytes.length);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#slots = new Uint32Array(2 * this.#slots.length);
    let number = 0;
    for (const key of eachKey(this.bytesFrom(0))) this.#slots[this.#findSlot(key)] = ++number;
  }
}

/** Each of some keys that follow each other. */
export function* eachKey(keys: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < keys.length; at += KEY_BYTES) yield keys.subarray(at, at + KEY_BYTES);
}

/** @returns the number before */
function increase(numbers: Uint32Array, index: number): number {
  const number = numbers[index] ?? 0;
  numbers[index] = number + 1;
  return number;
}

const wordOf = (key: Uint8Array, at: number): number =>
  ((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0);

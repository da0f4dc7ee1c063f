/** A cache of ledger look-ups. Equal look-ups at the same time are made once. */
import { LRUCache } from "lru-cache";
import { createLru } from "./lru.ts";

interface LedgerCache<V extends object> {
  /** null: the ledger has no such value. undefined: not cached; call `load`. */
  get(key: string): V | null | undefined;
  /** Returns a cached value without marking it as recently used. */
  peek(key: string): V | undefined;
  /** Looks the key up in the ledger, even if it is cached, and caches the result. */
  load(key: string): Promise<V | null>;
  /** Whether `load` would share a look-up that has not ended. */
  isLoading(key: string): boolean;
  set(key: string, value: V): void;
  /** The result of a look-up that is under way is not cached; its callers still get it. A cached value stays. */
  discardPending(key: string): void;
  delete(key: string): void;
  /** Removes all values, or those that `matches` selects. Always removes the entries for keys that have no value. */
  clear(matches?: (value: V) => boolean): void;
}

interface LedgerCacheOptions<V extends object> {
  lookUp(key: string): Promise<V | null>;
  maxEntries: number;
  /** Maximum keys without a value. They have a limit of their own, so that invented keys evict no values. Default: not cached. */
  maxAbsent?: number;
  /** Maximum sum of the weights of all values, each of which is at least 1. Default: no limit. */
  maxWeight?: number;
  weightOf?(value: V): number;
  /** A value is looked up again after this time. Default: never. */
  maxAgeMs?: number;
}

export function createCache<V extends object>(options: LedgerCacheOptions<V>): LedgerCache<V> {
  const { lookUp, maxEntries, maxAbsent, maxAgeMs, maxWeight, weightOf } = options;
  const values =
    maxWeight && weightOf
      ? new LRUCache<string, V>({ max: maxEntries, maxSize: maxWeight, sizeCalculation: weightOf })
      : createLru<string, V>(maxEntries, maxAgeMs);
  const absent = maxAbsent === undefined ? null : createLru<string, true>(maxAbsent);
  /** The latest look-up of each key, until it ends or a change makes its result outdated. */
  const pending = new Map<string, Promise<V | null>>();

  async function lookUpAndCache(key: string): Promise<V | null> {
    const lookingUp = lookUp(key);
    pending.set(key, lookingUp);
    try {
      const found = await lookingUp;
      if (pending.get(key) !== lookingUp) return found;
      if (found) values.set(key, found);
      else absent?.set(key, true);
      return found;
    } finally {
      if (pending.get(key) === lookingUp) pending.delete(key);
    }
  }

  return {
    get: (key) => values.get(key) ?? (absent?.has(key) ? null : undefined),
    peek: (key) => values.peek(key),
    isLoading: (key) => pending.has(key),
    load: (key) => pending.get(key) ?? lookUpAndCache(key),
    set: (key, value) => {
      pending.delete(key);
      values.set(key, value);
    },
    discardPending: (key) => void pending.delete(key),
    delete: (key) => {
      pending.delete(key);
      values.delete(key);
    },
    clear: (matches) => {
      pending.clear();
      absent?.clear();
      if (!matches) return values.clear();
      for (const [key, value] of values.entries()) if (matches(value)) values.delete(key);
    },
  };
}

/** Caches that keep the entries that were used last. */
import { LRUCache } from "lru-cache";

/**
 * Its memory grows with its entries. With `max`, lru-cache takes the memory of a full cache at once, which is 4 MB for all
 * caches of an idle service.
 * @param maxAgeMs an entry is removed after this time. Default: never
 */
export const createLru = <K extends string | number, V extends object | string | number | true>(
  maxEntries: number,
  maxAgeMs = 0,
): LRUCache<K, V> => new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1, ttl: maxAgeMs });

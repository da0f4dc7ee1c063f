/** Answers of the ledger, remembered until one is told to forget. Whoever asks for the same at once shares one look-up. */
import { LRUCache } from "lru-cache";

export interface Remembered<V extends object> {
  /** null: it is known that there is none; undefined: nothing is known. */
  get(key: string): V | null | undefined;
  /** The same, without counting as use. */
  peek(key: string): V | undefined;
  /** Asks the ledger, whatever is remembered. */
  ask(key: string): Promise<V | null>;
  keep(key: string, value: V): void;
  /** What is being looked up of this key may be old when it comes: it is used once and not kept. */
  outdate(key: string): void;
  /** This one is asked for again. */
  drop(key: string): void;
  /** Without `isMeant` all of it; that there is none of something is forgotten in any case. */
  forget(isMeant?: (value: V) => boolean): void;
}

export interface RememberedParts<V extends object> {
  lookUp(key: string): Promise<V | null>;
  max: number;
  /** Keys that there is none of, apart, so that made-up ones push nothing out; default: they are not remembered. */
  maxAbsent?: number;
  /** Asked for again after so long, in milliseconds; default: never. */
  ageMs?: number;
}

export function createRemembered<V extends object>(parts: RememberedParts<V>): Remembered<V> {
  const { lookUp, max, maxAbsent, ageMs } = parts;
  const known = new LRUCache<string, V>({ max, ...(ageMs ? { ttl: ageMs } : {}) });
  const absent = maxAbsent === undefined ? null : new LRUCache<string, true>({ max: maxAbsent });
  const underWay = new Map<string, Promise<V | null>>();

  const ask = (key: string): Promise<V | null> => {
    const asked = underWay.get(key);
    if (asked) return asked;
    const isLatest = () => underWay.get(key) === asking;
    const asking = lookUp(key).then(
      (found) => {
        if (isLatest() && found) known.set(key, found);
        else if (isLatest()) absent?.set(key, true);
        if (isLatest()) underWay.delete(key);
        return found;
      },
      (error: unknown) => {
        if (isLatest()) underWay.delete(key);
        throw error;
      },
    );
    underWay.set(key, asking);
    return asking;
  };

  return {
    get: (key) => known.get(key) ?? (absent?.has(key) ? null : undefined),
    peek: (key) => known.peek(key),
    ask,
    keep: (key, value) => {
      underWay.delete(key);
      known.set(key, value);
    },
    outdate: (key) => void underWay.delete(key),
    drop: (key) => {
      underWay.delete(key);
      known.delete(key);
    },
    forget: (isMeant) => {
      underWay.clear();
      absent?.clear();
      if (!isMeant) return known.clear();
      for (const [key, value] of known.entries()) if (isMeant(value)) known.delete(key);
    },
  };
}

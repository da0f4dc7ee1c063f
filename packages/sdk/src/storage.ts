import type { EventOwner } from "./event.ts";

declare global {
  interface Storage {
    /** In the storage of a part: see `ClientStore.owner`. */
    readonly headwaterOwner?: Partial<EventOwner>;
  }
}

/**
 * Storage that outlives a page. Web storage throws when cookies are blocked, in a sandboxed frame and when it is full.
 * Values that cannot be written there are kept in memory for the life of the page.
 */
export interface ClientStore {
  /** Members of an event's owner that the kind of storage decides: one id for all visitors whose browser stores nothing. */
  owner(): Partial<EventOwner> | undefined;
  read(name: string): string | null | undefined;
  write(name: string, value: string): void;
  remove(name: string): void;
  /** Tries again to write the values that are only in memory. */
  persist(): void;
  /** The stored names with the prefix. */
  names(prefix: string): string[];
}

/** "site" and "consent": a part provides the storage. */
export type Persistence = "local" | "session" | "memory" | "none" | "site" | "consent";

/** @param mayWrite while it returns false, values stay in memory */
export function openStore(persistence: Persistence, mayWrite: () => boolean): ClientStore {
  const unwritten = new Map<string, string>();
  /**
   * Returns undefined when storage is blocked (reading `window.localStorage` throws), and for "memory" and "none"
   * (`window.memoryStorage` does not exist).
   */
  const attempt = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(window[`${persistence as "local"}Storage`]);
    } catch {
      // as if there were no storage
    }
  };
  const store: ClientStore = {
    owner: () =>
      persistence === "none" ? { anonymousId: "$none" } : attempt((storage) => storage.headwaterOwner),
    read: (name) => unwritten.get(name) ?? attempt((storage) => storage.getItem(name)),
    write(name, value) {
      unwritten.set(name, value);
      attempt((storage) => {
        if (!mayWrite()) return;
        storage.setItem(name, value);
        unwritten.delete(name);
      });
    },
    remove(name) {
      unwritten.delete(name);
      attempt((storage) => storage.removeItem(name));
    },
    persist() {
      // biome-ignore lint/suspicious/useIterableCallbackReturn: the script is loaded by every page, so bytes count
      unwritten.forEach((value, name) => store.write(name, value));
    },
    names: (prefix) =>
      [...unwritten.keys(), ...(attempt(Object.keys) ?? [])].filter((name) => name.startsWith(prefix)),
  };
  return store;
}

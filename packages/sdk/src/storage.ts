/**
 * Where the client keeps what should outlive a page. Storage throws when cookies are blocked, in a sandboxed frame
 * and when it is full: what could not be written there is kept for the life of the page.
 */
export interface Store {
  read(name: string): string | null | undefined;
  write(name: string, value: string): void;
  remove(name: string): void;
  /** Writes what could not be written before. */
  persist(): void;
  /** Those that begin so. */
  names(prefix: string): string[];
}

export type Persistence = "local" | "session" | "memory";

/** @param mayWrite while it answers false, what is written stays in memory */
export function openStore(persistence: Persistence, mayWrite: () => boolean): Store {
  const unwritten = new Map<string, string>();
  /** The mere look at a storage throws where it is forbidden; and "memory" has none. */
  const attempt = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(window[`${persistence as "local"}Storage`]);
    } catch {
      return undefined;
    }
  };
  const store: Store = {
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
      for (const [name, value] of unwritten) store.write(name, value);
    },
    names: (prefix) =>
      [...unwritten.keys(), ...(attempt(Object.keys) ?? [])].filter((name) => name.startsWith(prefix)),
  };
  return store;
}

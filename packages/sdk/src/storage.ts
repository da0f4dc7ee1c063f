/**
 * localStorage where it works. It throws when cookies are blocked, in a sandboxed frame and when it is full:
 * what could not be written is then kept for the life of the page.
 */
export interface Store {
  read(name: string): string | null;
  write(name: string, value: string): void;
}

export function openStore(): Store {
  const unwritten = new Map<string, string>();
  return {
    read(name) {
      try {
        return unwritten.get(name) ?? localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    write(name, value) {
      try {
        localStorage.setItem(name, value);
        unwritten.delete(name);
      } catch {
        unwritten.set(name, value);
      }
    },
  };
}

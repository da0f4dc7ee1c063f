/** How many places are held, by who holds them; who holds none is forgotten. */
export function createHolders() {
  const held = new Map<string, number>();
  return {
    heldBy: (name: string) => held.get(name) ?? 0,
    count: () => held.size,
    enter: (name: string) => held.set(name, (held.get(name) ?? 0) + 1),
    leave(name: string) {
      const left = held.get(name)! - 1;
      if (left === 0) held.delete(name);
      else held.set(name, left);
    },
  };
}

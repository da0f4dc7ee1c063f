/** Events that wait to be sent. Full, it refuses new ones: the first page view is worth more than the thousandth event. */
export interface Queue<T> {
  readonly size: number;
  add(item: T): void;
  /** The oldest ones, removed. */
  take(count: number): T[];
  /** Those that could not be sent, to the front again. */
  putBack(items: readonly T[]): void;
}

export function createQueue<T>(capacity: number): Queue<T> {
  let waiting: T[] = [];
  return {
    get size() {
      return waiting.length;
    },
    add(item) {
      if (waiting.length < capacity) waiting.push(item);
    },
    take: (count) => waiting.splice(0, count),
    putBack(items) {
      waiting = [...items, ...waiting].slice(0, capacity);
    },
  };
}

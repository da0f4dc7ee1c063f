/** Those who ask the same at the same time are given one answer, that was begun after each of them had asked. */
import { Refusal } from "./refusal.ts";

export type Shared = <T>(
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

interface Flight {
  readonly begin: () => void;
  readonly answer: Promise<unknown>;
  readonly left: AbortController;
  callers: number;
}

/** One is at work; those who came since wait for the next. */
interface Line {
  next: Flight | null;
}

/**
 * @returns what asks, or joins those who do; the work is told by its signal when the last of them has gone. It throws what
 *   the work throws, and Refusal when the client goes
 */
export function createShared(): Shared {
  const lines = new Map<string, Line>();

  const take = (key: string, line: Line) => {
    const { next } = line;
    line.next = null;
    if (next) next.begin();
    else lines.delete(key);
  };

  function prepare(key: string, line: Line, work: (signal: AbortSignal) => Promise<unknown>): Flight {
    const left = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = promise.then(() => work(left.signal)).finally(() => take(key, line));
    // whoever is still there hears of it
    answer.catch(() => undefined);
    return { begin: resolve, answer, left, callers: 0 };
  }

  /** A caller who goes is told so at once, whatever the others wait for. */
  async function join(flight: Flight, signal: AbortSignal): Promise<unknown> {
    flight.callers += 1;
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = () => {
      flight.callers -= 1;
      if (flight.callers === 0) flight.left.abort();
      reject(new Refusal("warehouse_unavailable"));
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await Promise.race([flight.answer, gone]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  return async <T>(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => {
    const line = lines.get(key);
    if (line) {
      // one that everybody has left would be told to end as soon as it begins
      if (!line.next || line.next.left.signal.aborted) line.next = prepare(key, line, work);
      return join(line.next, signal) as Promise<T>;
    }
    const own: Line = { next: null };
    lines.set(key, own);
    const flight = prepare(key, own, work);
    flight.begin();
    return join(flight, signal) as Promise<T>;
  };
}

/**
 * Coalescing: equal calls that are made at the same time share one run of the work and its answer. A call never joins a run
 * that has already begun. While one is running, later calls share the next run, which starts when the current one ends.
 */

type Coalesce<T> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/** One run of the work for all callers that joined before it began. */
interface SharedRun<T> {
  hasBegun: boolean;
  callers: number;
  /** Aborts when the last caller has left. */
  readonly abandoned: AbortController;
  readonly answer: Promise<T>;
}

/** Rejects with the signal's reason when it aborts before the answer is there. */
async function answerOrAbort<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * @returns a function that runs the work, or joins the next run for the same key. It rejects with the work's error, or with
 *   the reason of the caller's signal if the signal aborts first. The signal of the work aborts when all its callers have left.
 */
export function createCoalescer<T>(): Coalesce<T> {
  /** The newest run of each key that is at work or waiting. */
  const newest = new Map<string, SharedRun<T>>();

  const startAfter = (
    previous: SharedRun<T> | undefined,
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): SharedRun<T> => {
    const abandoned = new AbortController();
    const run = async (): Promise<T> => {
      // a failure of the previous run is handled by its own callers
      await previous?.answer.catch(() => undefined);
      shared.hasBegun = true;
      abandoned.signal.throwIfAborted();
      return work(abandoned.signal);
    };
    const answer = run().finally(() => {
      if (newest.get(key) === shared) newest.delete(key);
    });
    const shared: SharedRun<T> = { hasBegun: false, callers: 0, abandoned, answer };
    // when all callers have left, nobody else handles a failure
    answer.catch(() => undefined);
    newest.set(key, shared);
    return shared;
  };

  return async (key, signal, work) => {
    const latest = newest.get(key);
    const canJoin = latest && !latest.hasBegun && !latest.abandoned.signal.aborted;
    const shared = canJoin ? latest : startAfter(latest, key, work);
    shared.callers += 1;
    try {
      return await answerOrAbort(shared.answer, signal);
    } finally {
      shared.callers -= 1;
      if (shared.callers === 0) shared.abandoned.abort();
    }
  };
}

/** Background workers: each repeats a round of work until it is stopped, waits between rounds and backs off after a failure. */
import { setTimeout as sleep } from "node:timers/promises";

export interface WorkerLog {
  warn(fields: object, message: string): void;
}

export interface WorkerOptions {
  /** For the log and the metrics: `shipper`. */
  readonly name: string;
  /**
   * One round. The next one starts at once when it resolves with true (more work waits), else after `idleMs`.
   * @param cutOff aborts when `stopMs` have passed since `stop`: end the work now
   * @param stopping aborts on `stop`: begin nothing more
   */
  round(cutOff: AbortSignal, stopping: AbortSignal): Promise<boolean>;
  /** Wait before the first round. Default: none. */
  readonly initialDelayMs?: number;
  /** Wait between two rounds when nothing is left to do. */
  readonly idleMs: number;
  /** Wait after the first failure in a row; each further failure doubles it, up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** How long a round may go on after `stop`. */
  readonly stopMs: number;
  /** What a failure means for users, for the log: `events are not shipped`. Logged once per streak of failures. */
  readonly consequence: string;
  readonly log: WorkerLog;
}

export interface WorkerStatus {
  readonly name: string;
  /** Failures since the last round that succeeded. */
  readonly failuresInRow: number;
  /** The latest failure of the present streak; null when the last round succeeded. */
  readonly lastError: Error | null;
}

export interface Worker extends AsyncDisposable {
  status(): WorkerStatus;
  /** Starts the next round now instead of at the end of the wait. */
  wake(): void;
  /** Runs one round now, whatever the loop does. Rejects when it fails. For tests that drive the clock. */
  runOnce(): Promise<void>;
  /** Starts no further round, and waits for the present one until shortly after `stopMs`. */
  stop(): Promise<void>;
}

/** `stop` waits this much longer than `stopMs` for a round to react to its aborted signal. */
const CUT_OFF_MS = 1_000;

export function startWorker(options: WorkerOptions): Worker {
  const { name, round, initialDelayMs = 0, idleMs, retryMs, maxRetryMs, stopMs, consequence, log } = options;
  const stopping = new AbortController();
  const cutOff = new AbortController();
  let wakeUp = new AbortController();
  let failuresInRow = 0;
  let lastError: Error | null = null;

  const wait = async (ms: number) => {
    if (ms === 0 || stopping.signal.aborted) return;
    wakeUp = new AbortController();
    const signal = AbortSignal.any([stopping.signal, wakeUp.signal]);
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  };

  /** Returns how long to wait before the next round. */
  const runRound = async (): Promise<number> => {
    try {
      const hasMore = await round(cutOff.signal, stopping.signal);
      failuresInRow = 0;
      lastError = null;
      return hasMore ? 0 : idleMs;
    } catch (error) {
      const isFirst = failuresInRow === 0;
      failuresInRow += 1;
      lastError = error instanceof Error ? error : new Error(String(error));
      if (isFirst && !stopping.signal.aborted)
        log.warn({ err: error, worker: name }, `${consequence}; retrying`);
      return Math.min(retryMs * 2 ** (failuresInRow - 1), maxRetryMs);
    }
  };

  const run = async () => {
    await wait(initialDelayMs);
    while (!stopping.signal.aborted) await wait(await runRound());
  };
  const running = run();

  const stop = async () => {
    stopping.abort();
    const ended = new AbortController();
    const sleepUntilEnd = (ms: number) => sleep(ms, undefined, { signal: ended.signal });
    const cutOffInTime = async () => {
      await sleepUntilEnd(stopMs);
      cutOff.abort();
      await sleepUntilEnd(CUT_OFF_MS);
    };
    await Promise.race([running, cutOffInTime()]);
    ended.abort();
  };
  return {
    status: () => ({ name, failuresInRow, lastError }),
    wake: () => wakeUp.abort(),
    runOnce: async () => void (await round(cutOff.signal, stopping.signal)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

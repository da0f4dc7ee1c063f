/** Background workers: each repeats a round of work until it is stopped, waits between rounds and backs off after a failure. */
import { setTimeout as sleep } from "node:timers/promises";

/** How long a background worker may finish its round when the service stops. */
const WORKER_STOP_MS = 3_000;

export interface WorkerLog {
  warn(fields: object, message: string): void;
}

export interface WorkerOptions {
  /** Appears in the log and the metrics, such as `shipper`. */
  readonly name: string;
  /**
   * One round. Resolves with true when more work waits: the next round then starts at once, else after `idleMs`.
   * @param cutOff is aborted `stopMs` after `stop` was called: the round must end now
   * @param stopping is aborted when `stop` is called: the round may finish its current step but must not begin another
   */
  round(cutOff: AbortSignal, stopping: AbortSignal): Promise<boolean | undefined>;
  /** Wait before the first round. Default: none. */
  readonly initialDelayMs?: number;
  /** Wait between two rounds when nothing is left to do. */
  readonly idleMs: number;
  /** Wait after the first failure in a row. Default: `idleMs`. Each further failure doubles it, up to `maxRetryMs`. */
  readonly retryMs?: number;
  /** Default: `retryMs`. */
  readonly maxRetryMs?: number;
  /** How long a round may continue after `stop` was called. Default: `WORKER_STOP_MS`. */
  readonly stopMs?: number;
  /** The logged effect of a failure, such as `events are not shipped`. Logged for the first failure in a row only. */
  readonly consequence: string;
  readonly log: WorkerLog;
}

export interface WorkerStatus {
  readonly name: string;
  /** Failures since the last round that succeeded. */
  readonly failuresInRow: number;
  /** The error of the last round; null when it succeeded. */
  readonly lastError: Error | null;
}

export interface Worker extends AsyncDisposable {
  status(): WorkerStatus;
  /** Starts the next round now instead of at the end of the wait. */
  wake(): void;
  /** Runs one round now, even while the loop runs another. Rejects when the round fails. For tests that drive the clock. */
  runOnce(): Promise<void>;
  /** Starts no further round. Waits for the current round, but not much longer than `stopMs`. */
  stop(): Promise<void>;
}

/** How long `stop` waits for a round to end after `cutOff` was aborted. */
const CUT_OFF_GRACE_MS = 1_000;

export function startWorker(options: WorkerOptions): Worker {
  const { name, round, initialDelayMs = 0, idleMs, consequence, log } = options;
  const { retryMs = idleMs, maxRetryMs = retryMs, stopMs = WORKER_STOP_MS } = options;
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
    const cutOffAfterTimeout = async () => {
      await sleepUntilEnd(stopMs);
      cutOff.abort();
      await sleepUntilEnd(CUT_OFF_GRACE_MS);
    };
    await Promise.race([running, cutOffAfterTimeout()]);
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

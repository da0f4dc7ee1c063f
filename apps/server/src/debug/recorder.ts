/**
 * Takes every attempt that ended: counts it always, keeps it for the debug view as far as the bounds allow.
 * `record` is on the path of every request, so it only counts and queues; rendering and masking happen at
 * the flush, a few attempts a turn. Nothing that goes wrong here reaches ingest.
 */
import type { Attempt } from "../core/attempt.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import { createPending } from "./pending.ts";
import type { FinishedAttempt } from "./render.ts";
import { placeFor, RECORDER_LIMITS, type RecorderLimits, showsOverload } from "./sampling.ts";
import { createTally } from "./tally.ts";
import { type AttemptBatch, type WriteAttempts, writeHere } from "./write.ts";

/** Where trouble is written to; pino fits. */
export interface RecorderLog {
  warn(details: object, message: string): void;
}

/** Told which sources have new attempts in the ledger. */
export type FlushListener = (sourceIds: ReadonlySet<string>) => void;

export interface Recorder {
  record(attempt: Attempt): void;
  /** Resolves when all that was recorded before the call is in the ledger, or given up. Never rejects. */
  flush(): Promise<void>;
  onFlushed(listener: FlushListener): () => void;
  /** Attempts that were to be kept and were not: the bounds, or a failed flush. They are counted all the same. */
  droppedTotal(): number;
  /** Attempts that no source could be found for. */
  unattributedTotal(): number;
  /** When a private peer that TRUST_PROXY does not vouch for last sent X-Forwarded-For. */
  proxyUntrustedAt(): number | null;
  close(): Promise<void>;
}

export interface RecorderParts {
  ledger: AttemptLedger;
  /** Default: rendered in this process, then given to the ledger. */
  write?: WriteAttempts;
  clock: () => number;
  log: RecorderLog;
  limits?: Partial<RecorderLimits>;
}

const secondOf = (time: number) => Math.floor(time / 1_000);

export function createRecorder({ ledger, clock, log, limits: changed, ...parts }: RecorderParts): Recorder {
  const limits: RecorderLimits = { ...RECORDER_LIMITS, ...changed };
  const write = parts.write ?? writeHere(ledger, limits.sliceAttempts);
  const tally = createTally(limits.carriedCounts);
  const listeners = new Set<FlushListener>();
  const pending = createPending(limits);
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let dropped = 0;
  let unattributed = 0;
  let proxyUntrustedAt: number | null = null;
  let overloadedSecond = -1;
  let failing = false;
  let closed = false;

  function record(attempt: Attempt): void {
    if (closed || attempt.outcome === null) return;
    const now = clock();
    if (attempt.proxyUntrusted) proxyUntrustedAt = now;
    if (!isFinished(attempt)) {
      unattributed++;
      return;
    }
    const share = tally.count(attempt, now);
    timer ??= setTimeout(flush, limits.flushMs).unref();
    if (showsOverload(attempt)) overloadedSecond = secondOf(now);
    const place = placeFor(attempt, share, limits, overloadedSecond === secondOf(now));
    if (place !== null && !pending.add(attempt, place, now)) dropped++;
  }

  /** What cannot be written is given up, but for the counts. */
  async function writeBatch(batch: AttemptBatch, written: Set<string>): Promise<void> {
    try {
      dropped += batch.attempts.length - (await write(batch));
      for (const { source } of batch.attempts) written.add(source.sourceId);
      failing = false;
    } catch (error) {
      dropped += batch.attempts.length;
      tally.putBack(batch.counts);
      // said once, not four times a second for as long as it lasts
      if (!failing) log.warn({ err: error, attempts: batch.attempts.length }, "attempts cannot be recorded");
      failing = true;
    }
  }

  async function flushOnce(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const { attempts, dropped: evicted } = pending.take();
    dropped += evicted;
    let counts = tally.take(clock());
    const written = new Set<string>();
    for (let at = 0; at < attempts.length || counts.length > 0; at += limits.batchRows) {
      await writeBatch({ attempts: attempts.slice(at, at + limits.batchRows), counts }, written);
      counts = [];
    }
    if (written.size > 0) tell(written);
  }

  function tell(sourceIds: ReadonlySet<string>): void {
    for (const listener of listeners) {
      try {
        listener(sourceIds);
      } catch (error) {
        log.warn({ err: error }, "a listener for new attempts failed");
      }
    }
  }

  function flush(): Promise<void> {
    if (running === null) {
      running = flushOnce().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running.then(() => {
      next = null;
      return flush();
    });
    return next;
  }

  return {
    record,
    flush,
    onFlushed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    droppedTotal: () => dropped,
    unattributedTotal: () => unattributed,
    proxyUntrustedAt: () => proxyUntrustedAt,
    async close() {
      closed = true;
      await flush();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

function isFinished(attempt: Attempt): attempt is FinishedAttempt {
  return attempt.source !== null && attempt.outcome !== null;
}

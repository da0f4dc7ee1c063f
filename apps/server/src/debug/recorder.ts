/**
 * Records every attempt that ended: counts it unless it is a test, and keeps it for the debug view as far as the limits allow.
 * `record` is called on the path of every request, so it only counts and queues. Rendering and masking happen in the
 * flush. No failure here reaches ingest.
 */
import type { Attempt } from "../ingest/attempt.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import { createHourlyCounts } from "./hourly-counts.ts";
import { createPendingAttempts } from "./pending-attempts.ts";
import { type FinishedAttempt, outcomeOf } from "./render.ts";
import { createSampler, RECORDER_LIMITS, type RecorderLimits } from "./sampling.ts";
import { type AttemptBatch, type WriteAttempts, writeHere } from "./write.ts";

export interface Recorder {
  record(attempt: Attempt): void;
  /** Resolves when everything recorded before the call is in the ledger or dropped. Never rejects. */
  flush(): Promise<void>;
  /** Attempts that should have been kept but were lost, because of the limits or a failed flush. `health` counts them too. */
  droppedTotal(): number;
  close(): Promise<void>;
}

interface RecorderDeps {
  readonly ledger: AttemptLedger;
  /** Default: renders in this thread, then writes to the ledger. */
  readonly write?: WriteAttempts;
  readonly clock: () => number;
  readonly log: { warn(details: object, message: string): void };
  readonly limits?: Partial<RecorderLimits>;
}

const isFinished = (attempt: Attempt): attempt is FinishedAttempt =>
  attempt.source !== null && attempt.outcome !== null;

interface BatchWriterDeps {
  readonly write: WriteAttempts;
  readonly putBackCounts: (counts: AttemptBatch["counts"]) => void;
  readonly log: RecorderDeps["log"];
}

/**
 * Attempts that cannot be written are dropped. Their counts are kept for the next flush.
 * @returns a function that writes a batch and returns how many of its attempts were dropped
 */
function createBatchWriter({ write, putBackCounts, log }: BatchWriterDeps) {
  let isFailing = false;
  return async (batch: AttemptBatch): Promise<number> => {
    const attempts = batch.attempts.length;
    try {
      const written = await write(batch);
      isFailing = false;
      return attempts - written;
    } catch (error) {
      putBackCounts(batch.counts);
      // logged once, not four times a second while the failure lasts
      if (!isFailing) log.warn({ err: error, attempts }, "attempts cannot be recorded");
      isFailing = true;
      return attempts;
    }
  };
}

export function createRecorder({ ledger, clock, log, ...options }: RecorderDeps): Recorder {
  const limits: RecorderLimits = { ...RECORDER_LIMITS, ...options.limits };
  const write = options.write ?? writeHere(ledger, limits.sliceAttempts);
  const counts = createHourlyCounts(limits.carriedCounts);
  const sampleOf = createSampler(limits);
  const pending = createPendingAttempts(limits);
  const writeBatch = createBatchWriter({ write, putBackCounts: counts.putBack, log });
  let timer: NodeJS.Timeout | undefined;
  let lastFlush = Promise.resolve();
  let dropped = 0;
  let isClosed = false;

  function record(attempt: Attempt): void {
    if (isClosed || !isFinished(attempt)) return;
    const now = clock();
    const isTest = outcomeOf(attempt) === "test";
    if (!isTest) counts.add(attempt, now);
    timer ??= setTimeout(flush, limits.flushMs).unref();
    const sample = sampleOf(attempt, now);
    if (isTest && sample === "skipped") return;
    if (sample === "skipped") counts.addSkipped(attempt, now);
    else if (!pending.add(attempt, sample)) dropped++;
  }

  async function writeAndCount(batch: AttemptBatch): Promise<void> {
    const lost = await writeBatch(batch);
    dropped += lost;
  }

  async function writePending(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const { attempts, evicted } = pending.take();
    dropped += evicted;
    const [first = [], ...others] = batchesOf(attempts, limits.batchRows);
    const taken = counts.take();
    if (first.length + taken.length > 0) await writeAndCount({ attempts: first, counts: taken });
    for (const batch of others) await writeAndCount({ attempts: batch, counts: [] });
  }

  /** Flushes run one after the other. A flush with nothing to write costs nothing. */
  function flush(): Promise<void> {
    lastFlush = lastFlush.then(writePending);
    return lastFlush;
  }

  return {
    record,
    flush,
    droppedTotal: () => dropped,
    close() {
      isClosed = true;
      return flush();
    },
  };
}

const batchesOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

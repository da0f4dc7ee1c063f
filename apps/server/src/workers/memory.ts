/**
 * Returns memory to the operating system after a peak. V8 keeps what a peak has taken until the next full garbage collection,
 * and a service with little to do has none for hours.
 */
import { performance } from "node:perf_hooks";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** How often memory that is not used is looked for. */
const MEMORY_CHECK_MS = 20_000;
/** Memory is returned when it has grown by this much. */
export const MIN_RELEASED_BYTES = 64 * 1_048_576;
/**
 * Returning memory stops each thread for about 50 ms and drops compiled code. A main thread that is busy for more than this share needs
 * both: at half, ingest lost a tenth of its throughput.
 */
const MAX_BUSY_SHARE = 0.2;

interface MemoryWorkerDeps {
  readonly residentBytes: () => number;
  /** The share of the time since the last call in which the main thread was busy. */
  readonly busyShare: () => number;
  readonly releaseMemory: () => Promise<void>;
  readonly log: WorkerLog;
}

export function startMemoryWorker({
  residentBytes,
  busyShare,
  releaseMemory,
  log,
}: MemoryWorkerDeps): Worker {
  // the first time, memory of the start is returned
  let restingBytes = 0;
  const round = async () => {
    const isBusy = busyShare() > MAX_BUSY_SHARE;
    const bytes = residentBytes();
    restingBytes = Math.min(restingBytes, bytes);
    if (isBusy || bytes - restingBytes < MIN_RELEASED_BYTES) return false;
    await releaseMemory();
    restingBytes = residentBytes();
    return false;
  };
  return startWorker({
    name: "memory release",
    round,
    initialDelayMs: MEMORY_CHECK_MS,
    idleMs: MEMORY_CHECK_MS,
    consequence: "the service keeps memory that it does not use",
    log,
  });
}

/** @returns a function for `busyShare` */
export function measureBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

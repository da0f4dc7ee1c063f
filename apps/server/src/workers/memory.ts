/**
 * Returns memory to the operating system after a peak. V8 keeps what a peak has taken until the next full garbage collection,
 * and a service with little to do has none for hours.
 */
import { performance } from "node:perf_hooks";
import { SERVER_LIMITS } from "../core/limits.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

const { memoryCheckMs, minReleasedBytes, maxBusyShare } = SERVER_LIMITS;

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
    const isBusy = busyShare() > maxBusyShare;
    const bytes = residentBytes();
    restingBytes = Math.min(restingBytes, bytes);
    if (isBusy || bytes - restingBytes < minReleasedBytes) return false;
    await releaseMemory();
    restingBytes = residentBytes();
    return false;
  };
  return startWorker({
    name: "memory",
    round,
    initialDelayMs: memoryCheckMs,
    idleMs: memoryCheckMs,
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

/** Attempts that wait for the next flush, bounded in number and in bytes. */
import { LIMITS } from "@headwater/contract/limits";
import type { FinishedAttempt } from "./render.ts";
import { PRIORITIES, type Priority, type RecorderLimits } from "./sampling.ts";

/** Bytes of an attempt beside its body: envelope, results, normal forms. */
const OVERHEAD_BYTES = 2_000;

/** Normal forms are somewhat larger than the body. */
const bytesOf = ({ payloadBytes }: FinishedAttempt): number =>
  OVERHEAD_BYTES + 3 * Math.min(payloadBytes, LIMITS.maxPayloadBytesCeiling);

type Queues = Record<Priority, FinishedAttempt[]>;
const emptyQueues = (): Queues => ({ success: [], failure: [], "assured failure": [] });

export function createPendingAttempts(limits: RecorderLimits) {
  let queues = emptyQueues();
  let count = 0;
  let bytes = 0;
  let evicted = 0;

  const isFull = (added: number) => count >= limits.pendingAttempts || bytes + added > limits.pendingBytes;

  /** Removes the oldest attempts of a queue until there is room. */
  const evictFrom = (queue: FinishedAttempt[], added: number) => {
    while (isFull(added)) {
      const oldest = queue.shift();
      if (oldest === undefined) return;
      count--;
      bytes -= bytesOf(oldest);
      evicted++;
    }
  };

  return {
    /** Makes room by evicting attempts of lower priorities. @returns false if there is still no room */
    add(attempt: FinishedAttempt, priority: Priority): boolean {
      const added = bytesOf(attempt);
      const lower = PRIORITIES.slice(0, PRIORITIES.indexOf(priority));
      for (const one of lower) evictFrom(queues[one], added);
      if (isFull(added)) return false;
      queues[priority].push(attempt);
      count++;
      bytes += added;
      return true;
    },
    /** Everything that waits, oldest first, and how many attempts were evicted since the last call. */
    take() {
      const { success, failure, "assured failure": assured } = queues;
      const attempts = [...success, ...failure, ...assured];
      const taken = { attempts: attempts.sort((a, b) => a.receivedAt - b.receivedAt), evicted };
      queues = emptyQueues();
      count = 0;
      bytes = 0;
      evicted = 0;
      return taken;
    },
  };
}

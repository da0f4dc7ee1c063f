/**
 * Admission of requests to processing, in time slices (docs/decisions/0011). Under overload, requests are processed for
 * some milliseconds; then everything that arrived meanwhile is read, and requests that find no slot are refused. A
 * refusal costs a fraction of a request, so clients get it soon.
 */
import { MessageChannel } from "node:worker_threads";
import { type Admission, createAdmission } from "./admission.ts";

/** A request waits this long for its turn, then it is refused. Clients wait longer: our server client 10 s, browsers 30 s. */
const MAX_INGEST_WAIT_MS = 3_000;
/** Requests are processed for this long before the event loop reads what arrived meanwhile. */
const TIME_SLICE_MS = 5;
/** Requests that are processed at once: a group that the ledger commits, and the next group. */
export const MAX_ACTIVE_REQUESTS = 64;

/**
 * Returns a function that runs `work` after all events that have arrived by then. `setImmediate` would wait until no
 * more events arrive. Two channels alternate, because a message that is posted while a message of the same channel is
 * handled would be handled at once.
 */
function createDeferral(work: () => void): () => void {
  const [first, second] = [new MessageChannel(), new MessageChannel()];
  for (const { port1 } of [first, second]) port1.on("message", work).unref();
  let isFirst = false;
  return () => {
    isFirst = !isFirst;
    (isFirst ? first : second).port2.postMessage(null);
  };
}

/** Runs `work` after the promise callbacks that are pending now. */
const afterPendingPromises = (work: () => void) => queueMicrotask(() => process.nextTick(work));

interface SlicedAdmissionOptions {
  /** Maximum requests that are processed or wait for a slot. */
  readonly maxAdmitted: number;
  /** Milliseconds, monotonic. */
  readonly stopwatch: () => number;
}

/** The keys are source ids: sources take turns, and each has a fair share of the slots. */
export function createSlicedAdmission({ maxAdmitted, stopwatch }: SlicedAdmissionOptions): Admission {
  const maxActive = MAX_ACTIVE_REQUESTS;
  /** null: nothing was processed since the event loop last read what arrived. */
  let sliceStartedAt: number | null = null;
  let isStartingNext = false;

  const startSlice = () => {
    sliceStartedAt = stopwatch();
    endSliceLater();
  };
  const isWithinSlice = () => sliceStartedAt !== null && stopwatch() - sliceStartedAt < TIME_SLICE_MS;
  const admission = createAdmission({
    maxActive,
    maxAdmitted,
    maxWaitMs: MAX_INGEST_WAIT_MS,
    isOpen: () => {
      if (sliceStartedAt === null) startSlice();
      // waiting requests go first, and `startNext` alone starts them
      return isWithinSlice() && (isStartingNext || admission.waiting() === 0);
    },
  });

  /** Starts one waiting request, lets it run until it waits for something itself, and goes on with the next. */
  const startNext = () => {
    const waitingBefore = admission.waiting();
    isStartingNext = true;
    admission.resume(1);
    isStartingNext = false;
    const hasStarted = admission.waiting() < waitingBefore;
    if (hasStarted && admission.waiting() > 0 && isWithinSlice()) afterPendingPromises(startNext);
  };
  const endSliceLater = createDeferral(() => {
    sliceStartedAt = null;
    const hasFreeSlot = admission.admitted() - admission.waiting() < maxActive;
    if (admission.waiting() === 0 || !hasFreeSlot) return;
    startSlice();
    startNext();
  });
  return admission;
}

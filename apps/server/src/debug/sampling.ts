/** Which attempts are kept for the debug view: all of a quiet source, a sample of a busy one. */
import { LIMITS } from "@headwater/contract";
import { codeOf, type FinishedAttempt, outcomeOf } from "./render.ts";
import type { SourceTally } from "./tally.ts";

export const RECORDER_LIMITS = {
  successesPerSecond: LIMITS.attemptSuccessesPerSecond,
  failuresPerSecond: LIMITS.attemptFailuresPerSecond,
  rateLimitedPerSecond: 1,
  /** The first few successes of a source and second, and of each code of its others, are kept whatever else comes. */
  assuredPerSecond: 3,
  successesKept: LIMITS.attemptsSucceededKept,
  flushMs: LIMITS.attemptFlushMs,
  /** Successes of all sources together: at 100 µs to render one and write it, a quarter of the attempts' thread. */
  sharedSuccessesPerSecond: 2_500,
  pendingAttempts: 1_500,
  pendingBytes: 64 * 1_048_576,
  /** Attempts rendered in one turn of the event loop: 5 ms of the largest bodies, 1 ms of ordinary ones. */
  sliceAttempts: 20,
  /** Rows sent to the ledger at once. */
  batchRows: 200,
  /** Counters carried over while the ledger does not take them. */
  carriedCounts: 50_000,
} as const;
export type RecorderLimits = { readonly [Name in keyof typeof RECORDER_LIMITS]: number };

/** Where an attempt waits; what is `assured` is kept even when others have used up what is shared. */
export interface Place {
  queue: "successes" | "others";
  assured: boolean;
}

/** Whether this attempt is one of those of its source and second that are kept, and where. */
export function placeFor(attempt: FinishedAttempt, share: SourceTally, limits: RecorderLimits): Place | null {
  if (outcomeOf(attempt) === "succeeded") {
    share.successes++;
    const assured = share.successes <= limits.assuredPerSecond;
    return share.successes <= limits.successesPerSecond || assured ? { queue: "successes", assured } : null;
  }
  const code = codeOf(attempt) ?? "";
  const ofCode = (share.byCode.get(code) ?? 0) + 1;
  share.byCode.set(code, ofCode);
  if (code === "rate_limited")
    return ofCode <= limits.rateLimitedPerSecond ? { queue: "others", assured: true } : null;
  // a flood of one code hides no other
  const assured = ofCode <= limits.assuredPerSecond;
  // says nothing of the install, and comes when there is no time for it
  if (code === "overloaded") return assured ? { queue: "others", assured } : null;
  share.others++;
  return share.others <= limits.failuresPerSecond || assured ? { queue: "others", assured } : null;
}

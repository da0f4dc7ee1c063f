/** Which attempts are kept for the debug view: all of a quiet source, a sample of a busy one. */
import { LIMITS } from "@headwater/contract";
import { type FinishedAttempt, outcomeOf } from "./render.ts";
import type { SourceTally } from "./tally.ts";

export const RECORDER_LIMITS = {
  successesPerSecond: LIMITS.attemptSuccessesPerSecond,
  failuresPerSecond: LIMITS.attemptFailuresPerSecond,
  rateLimitedPerSecond: 1,
  /** The first few of a source and second are kept even when busy sources have used up what is shared. */
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

/** A `success` takes part of what all sources share; `assured` does not. */
export type Place = "success" | "other" | "assured";

/** Whether this attempt is one of those of its source and second that are kept, and in which queue. */
export function placeFor(attempt: FinishedAttempt, share: SourceTally, limits: RecorderLimits): Place | null {
  if (outcomeOf(attempt) === "succeeded") {
    share.successes++;
    if (share.successes <= limits.assuredPerSecond) return "assured";
    return share.successes <= limits.successesPerSecond ? "success" : null;
  }
  if (attempt.outcome.kind === "refused" && attempt.outcome.refusal.code === "rate_limited") {
    share.rateLimited++;
    return share.rateLimited <= limits.rateLimitedPerSecond ? "other" : null;
  }
  share.others++;
  return share.others <= limits.failuresPerSecond ? "other" : null;
}

/** Which attempts are kept for the debug view: all of a quiet source, a sample of a busy one. */
import { LIMITS } from "@headwater/contract";
import { type FinishedAttempt, outcomeOf } from "./render.ts";
import type { SourceTally } from "./tally.ts";

export const RECORDER_LIMITS = {
  successesPerSecond: LIMITS.attemptSuccessesPerSecond,
  failuresPerSecond: LIMITS.attemptFailuresPerSecond,
  rateLimitedPerSecond: 1,
  /** The first few of a source and second are kept even when busy sources have used up the shared room. */
  assuredPerSecond: 3,
  successesKept: LIMITS.attemptsSucceededKept,
  flushMs: LIMITS.attemptFlushMs,
  /** What one flush renders at about 50 µs each: with 250 ms between flushes, within 5 % of the thread. */
  pendingSuccesses: 150,
  pendingAttempts: 500,
  pendingBytes: 32 * 1_048_576,
  /** Attempts rendered in one turn of the event loop: 5 ms of the largest bodies, 1 ms of ordinary ones. */
  sliceAttempts: 20,
  /** Rows sent to the ledger at once. */
  batchRows: 200,
  /** Counters carried over while the ledger does not take them. */
  carriedCounts: 50_000,
} as const;
export type RecorderLimits = { readonly [Name in keyof typeof RECORDER_LIMITS]: number };

/** `assured` needs no room of the share of all successes. */
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

/** Which attempts are kept for the debug view: all of a quiet source, a sample of a busy one. */
import { SERVER_LIMITS } from "../core/limits.ts";
import { codeOf, type FinishedAttempt, outcomeOf } from "./render.ts";
import type { SourceTally } from "./tally.ts";

export const RECORDER_LIMITS = {
  successesPerSecond: SERVER_LIMITS.attemptSuccessesPerSecond,
  failuresPerSecond: SERVER_LIMITS.attemptFailuresPerSecond,
  /** Of a source's that were refused for their number, and of its successes while others are: there is no time for more. */
  crowdedPerSecond: 1,
  /** The first few successes of a source and second, and of each code of its others, are kept whatever else comes. */
  assuredPerSecond: 3,
  successesKept: SERVER_LIMITS.attemptsSucceededKept,
  flushMs: SERVER_LIMITS.attemptFlushMs,
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

const CROWDED = new Set(["rate_limited", "overloaded"]);

/** Whether the service has more to do than it can. */
export const showsOverload = (attempt: FinishedAttempt): boolean => codeOf(attempt) === "overloaded";

/**
 * Whether this attempt is one of those of its source and second that are kept, and where.
 * @param overloaded something was refused as overloaded in this second
 */
export function placeFor(
  attempt: FinishedAttempt,
  share: SourceTally,
  limits: RecorderLimits,
  overloaded: boolean,
): Place | null {
  if (outcomeOf(attempt) === "succeeded") {
    share.successes++;
    if (overloaded && share.successes > limits.crowdedPerSecond) return null;
    const assured = share.successes <= limits.assuredPerSecond;
    return share.successes <= limits.successesPerSecond || assured ? { queue: "successes", assured } : null;
  }
  const code = codeOf(attempt) ?? "";
  const ofCode = (share.byCode.get(code) ?? 0) + 1;
  share.byCode.set(code, ofCode);
  if (CROWDED.has(code)) return ofCode <= limits.crowdedPerSecond ? { queue: "others", assured: true } : null;
  // a flood of one code hides no other
  const assured = ofCode <= limits.assuredPerSecond;
  share.others++;
  return share.others <= limits.failuresPerSecond || assured ? { queue: "others", assured } : null;
}

/** Decides which attempts the debug view keeps: all of a quiet source, a sample of a busy one (docs/contract.md section 6). */
import { SERVER_LIMITS } from "../core/limits.ts";
import { codeOf, type FinishedAttempt, outcomeOf } from "./render.ts";

export const RECORDER_LIMITS = {
  successesPerSecond: SERVER_LIMITS.attemptSuccessesPerSecond,
  failuresPerSecond: SERVER_LIMITS.attemptFailuresPerSecond,
  /** Kept of each source: `rate_limited` and `overloaded` attempts, and during overload successes. There is no time for more. */
  crowdedPerSecond: 1,
  /** The first few successes of a source, and the first few of each of its codes, are kept whatever other sources send. */
  assuredPerSecond: 3,
  successesKept: SERVER_LIMITS.attemptsSucceededKept,
  flushMs: SERVER_LIMITS.attemptFlushMs,
  /** Successes of all sources together: rendering and writing one takes 100 µs, so this is a quarter of the thread. */
  sharedSuccessesPerSecond: 2_500,
  pendingAttempts: 1_500,
  pendingBytes: 64 * 1_048_576,
  /** Attempts rendered without a pause for the event loop: 5 ms of the largest bodies, 1 ms of ordinary ones. */
  sliceAttempts: 20,
  /** Rows sent to the ledger at once. */
  batchRows: 200,
  /** Maximum counts held while the ledger cannot be written. */
  carriedCounts: 50_000,
} as const;
export type RecorderLimits = { readonly [Name in keyof typeof RECORDER_LIMITS]: number };

/** When memory is short, an attempt of a higher priority replaces attempts of lower ones. */
export const PRIORITIES = ["success", "failure", "assured failure"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** `skipped`: the source has enough of its kind in this second. `dropped`: all sources together have too many. */
export type Sample = Priority | "skipped" | "dropped";

/** How many attempts of one source ended within the current second. */
interface SourceSecond {
  successes: number;
  failures: number;
  failuresByCode: Map<string, number>;
}

const CROWDED_CODES = new Set(["rate_limited", "overloaded", "quota_exceeded"]);

/** @returns a function that decides about one attempt */
export function createSampler(limits: RecorderLimits): (attempt: FinishedAttempt, now: number) => Sample {
  const sources = new Map<string, SourceSecond>();
  let second = -1;
  let isOverloaded = false;
  let sharedSuccesses = 0;

  function secondOf(sourceId: string, now: number): SourceSecond {
    const current = Math.floor(now / 1_000);
    if (current !== second) {
      second = current;
      isOverloaded = false;
      sharedSuccesses = 0;
      sources.clear();
    }
    const known = sources.get(sourceId);
    if (known) return known;
    const fresh = { successes: 0, failures: 0, failuresByCode: new Map<string, number>() };
    sources.set(sourceId, fresh);
    return fresh;
  }

  function sampleSuccess(seen: SourceSecond): Sample {
    seen.successes++;
    if (isOverloaded && seen.successes > limits.crowdedPerSecond) return "skipped";
    if (seen.successes <= limits.assuredPerSecond) return "success";
    if (seen.successes > limits.successesPerSecond) return "skipped";
    sharedSuccesses++;
    return sharedSuccesses <= limits.sharedSuccessesPerSecond ? "success" : "dropped";
  }

  function sampleFailure(seen: SourceSecond, code: string): Sample {
    const ofCode = (seen.failuresByCode.get(code) ?? 0) + 1;
    seen.failuresByCode.set(code, ofCode);
    if (CROWDED_CODES.has(code)) return ofCode <= limits.crowdedPerSecond ? "assured failure" : "skipped";
    seen.failures++;
    // a flood of one code must not hide the others
    if (ofCode <= limits.assuredPerSecond) return "assured failure";
    return seen.failures <= limits.failuresPerSecond ? "failure" : "skipped";
  }

  return (attempt, now) => {
    const seen = secondOf(attempt.source.sourceId, now);
    const code = codeOf(attempt) ?? "";
    if (code === "overloaded") isOverloaded = true;
    return outcomeOf(attempt) === "succeeded" ? sampleSuccess(seen) : sampleFailure(seen, code);
  };
}

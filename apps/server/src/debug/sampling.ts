/** Decides which attempts the debug view keeps: all of a quiet source, a sample of a busy one (docs/api/debug.md). */
import { createRateLimiter } from "../overload/rate-limit.ts";
import { PLAN_WARNING } from "./hourly-counts.ts";
import { acceptedViolations, codeOf, type FinishedAttempt, outcomeOf } from "./render.ts";

/** The average rate of one source. A few requests of a busy source show what all look like. */
export const ATTEMPT_SUCCESSES_PER_SECOND = 5;
/** The burst of one source. Somebody who tries an install sees all requests. */
export const ATTEMPT_SUCCESS_BURST = 50;
/** Sources whose recent successes are known. One that is forgotten starts with the full burst. */
const ATTEMPT_SAMPLED_SOURCES = 10_000;
/** The rate of all sources together. Rendering and writing one takes 100 µs, so this is 2 % of a core. */
export const ATTEMPT_SUCCESSES_PER_SECOND_TOTAL = 200;
/** The share of that rate for sources without a recorded success in the last 10 s: a quiet source is not crowded out. */
export const ATTEMPT_QUIET_SUCCESSES_PER_SECOND = 50;
const ATTEMPT_QUIET_SECONDS = 10;
export const ATTEMPT_FAILURES_PER_SECOND = 200;
export const ATTEMPT_FLUSH_MS = 250;

export const RECORDER_LIMITS = {
  successesPerSecond: ATTEMPT_SUCCESSES_PER_SECOND,
  successBurst: ATTEMPT_SUCCESS_BURST,
  successesPerSecondTotal: ATTEMPT_SUCCESSES_PER_SECOND_TOTAL,
  quietSuccessesPerSecond: ATTEMPT_QUIET_SUCCESSES_PER_SECOND,
  failuresPerSecond: ATTEMPT_FAILURES_PER_SECOND,
  /** Kept of each source: `rate_limited` and `overloaded` attempts, and during overload successes. There is no time for more. */
  crowdedPerSecond: 1,
  /** The first few failures of a source with each code are kept whatever other sources send. */
  assuredPerSecond: 3,
  flushMs: ATTEMPT_FLUSH_MS,
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

/** `skipped`: enough of its kind were kept lately. */
type Sample = Priority | "skipped";

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
  let successes = 0;
  const successesOfEach = createRateLimiter({
    perSecond: limits.successesPerSecond,
    burst: limits.successBurst,
    maxKeys: ATTEMPT_SAMPLED_SOURCES,
  });
  const recentSources = createRecentKeys(ATTEMPT_QUIET_SECONDS);

  function secondOf(sourceId: string, now: number): SourceSecond {
    const current = Math.floor(now / 1_000);
    if (current !== second) {
      second = current;
      isOverloaded = false;
      successes = 0;
      recentSources.startSecond(current);
      sources.clear();
    }
    const known = sources.get(sourceId);
    if (known) return known;
    const fresh = { successes: 0, failures: 0, failuresByCode: new Map<string, number>() };
    sources.set(sourceId, fresh);
    return fresh;
  }

  function sampleSuccess(seen: SourceSecond, sourceId: string, now: number): Sample {
    seen.successes++;
    if (isOverloaded && seen.successes > limits.crowdedPerSecond) return "skipped";
    const reserved = recentSources.has(sourceId) ? limits.quietSuccessesPerSecond : 0;
    if (successes >= limits.successesPerSecondTotal - reserved) return "skipped";
    if (!successesOfEach.take(sourceId, now).ok) return "skipped";
    successes++;
    recentSources.add(sourceId);
    return "success";
  }

  function sampleFailure(seen: SourceSecond, code: string): Sample {
    const count = (seen.failuresByCode.get(code) ?? 0) + 1;
    seen.failuresByCode.set(code, count);
    if (CROWDED_CODES.has(code)) return count <= limits.crowdedPerSecond ? "assured failure" : "skipped";
    seen.failures++;
    // a flood of one code must not hide the others
    if (count <= limits.assuredPerSecond) return "assured failure";
    return seen.failures <= limits.failuresPerSecond ? "failure" : "skipped";
  }

  return (attempt, now) => {
    const { sourceId } = attempt.source;
    const seen = secondOf(sourceId, now);
    const code = codeOf(attempt) ?? "";
    if (code === "overloaded") isOverloaded = true;
    if (outcomeOf(attempt) !== "succeeded") return sampleFailure(seen, code);
    // it has something to mend, so it must not drown among the successes of a busy source
    if (acceptedViolations(attempt) > 0) return sampleFailure(seen, PLAN_WARNING);
    return sampleSuccess(seen, sourceId, now);
  };
}

/** Keys that were added at most `seconds` to twice `seconds` ago. */
function createRecentKeys(seconds: number) {
  let startedAt = 0;
  let current = new Set<string>();
  let previous = new Set<string>();
  return {
    startSecond(second: number): void {
      if (second >= startedAt && second < startedAt + seconds) return;
      previous = second < startedAt + 2 * seconds ? current : new Set();
      current = new Set();
      startedAt = second;
    },
    has: (key: string) => current.has(key) || previous.has(key),
    add: (key: string) => void current.add(key),
  };
}

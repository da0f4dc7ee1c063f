/** When a request is sent again, and how long to wait before. */
import type { ApiFailure } from "./failure.ts";

const FIRST_WAIT_MS = 500;
const MAX_BACKOFF_MS = 10_000;

/** The service stored nothing of a request that it answered with one of these. */
const STORED_NOTHING = [408, 429, 503];

/** @param isRepeatable the request has the same effect when it is sent twice */
function canRetry({ status, code, retryable }: ApiFailure, isRepeatable: boolean): boolean {
  const storedNothing = STORED_NOTHING.includes(status) && code !== "unreachable";
  return retryable && (isRepeatable || storedNothing);
}

/**
 * Milliseconds to wait before the next try. null: there is none.
 * @param tries how often the request was sent
 */
export function waitBeforeRetry(failure: ApiFailure, isRepeatable: boolean, tries: number): number | null {
  if (!canRetry(failure, isRepeatable)) return null;
  const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_BACKOFF_MS) * (1 + Math.random() / 4);
  return Math.max(backoffMs, failure.retryAfterMs ?? 0);
}

/** Waits, but not longer than until the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });

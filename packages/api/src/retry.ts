/** When a request is sent again, and how long to wait before. */
import type { ApiFailure } from "./failure.ts";

const FIRST_WAIT_MS = 500;
/** A longer Retry-After, as of a quota of the day, is left to the caller. */
const MAX_WAIT_MS = 60_000;

/** The service stored nothing of a request that it answered with one of these. */
const STORED_NOTHING = [408, 429, 503];
/** A proxy answers these when the service is down. */
const PROXY_STATUSES = [502, 503, 504];

/** @param isRepeatable the request has the same effect when it is sent twice */
function canRetry({ status, retryable }: ApiFailure, isRepeatable: boolean): boolean {
  if (STORED_NOTHING.includes(status) && retryable) return true;
  return isRepeatable && (status === 0 || retryable || PROXY_STATUSES.includes(status));
}

/**
 * Milliseconds to wait before the next try. null: there is none.
 * @param tries how often the request was sent
 * @param retryAfter the header, in seconds
 */
export function waitBeforeRetry(
  failure: ApiFailure,
  tries: number,
  isRepeatable: boolean,
  retryAfter: string | null,
): number | null {
  if (!canRetry(failure, isRepeatable)) return null;
  const backoffMs = FIRST_WAIT_MS * 2 ** (tries - 1) * (1 + Math.random() / 4);
  const waitMs = Math.max(backoffMs, 1_000 * (Number(retryAfter) || 0));
  return waitMs > MAX_WAIT_MS ? null : waitMs;
}

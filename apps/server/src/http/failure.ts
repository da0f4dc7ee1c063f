/** Renders every failure of every route (docs/api/conventions.md). */
import { ERRORS, LIMITS } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { LedgerBusy, StorageError } from "../ledger/ledger.ts";
import { AdmissionFull } from "../overload/admission.ts";

/**
 * Maps a thrown error to the refusal that the client gets. The error is the `cause` of the refusal if storage failed or there
 * is a bug; other refusals have no cause.
 */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof LedgerBusy || error instanceof AdmissionFull) return new Refusal("overloaded");
  if (error instanceof StorageError)
    return new Refusal(error.kind === "full" ? "storage_full" : "storage_unavailable", {}, error);
  return new Refusal("internal_error", {}, error);
}

/** Members that the failure's body also has. Only ingest routes set `attemptId` and `debugUrl`; undefined ones are left out. */
interface FailureContext {
  readonly requestId: string;
  readonly attemptId?: string | undefined;
  readonly debugUrl?: string | undefined;
}

/** Statuses of a request that is refused because there are too many. */
export const NEEDS_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

function failureHeaders({ status, detail }: Refusal): Record<string, string> {
  const headers = { ...detail.headers };
  if (status === 401) headers["WWW-Authenticate"] = "Bearer";
  if (NEEDS_RETRY_AFTER.has(status)) {
    const seconds = detail.retryAfterSeconds ?? SERVER_LIMITS.retryAfterSeconds;
    headers["Retry-After"] = String(Math.max(1, Math.ceil(seconds)));
  }
  return headers;
}

export function renderFailure(refusal: Refusal, context: FailureContext) {
  const { error, retryable } = ERRORS[refusal.code];
  const { issues, limit, actual, resetAt } = refusal.detail;
  const isTruncated = issues !== undefined && issues.length > LIMITS.maxIssues;
  const body = {
    ok: false,
    error,
    code: refusal.code,
    message: refusal.message,
    hint: refusal.hint,
    retryable,
    ...context,
    issues: issues?.slice(0, LIMITS.maxIssues),
    issuesTruncated: isTruncated || undefined,
    limit,
    actual,
    resetAt: resetAt === undefined ? undefined : toIsoTime(resetAt),
  };
  return { status: refusal.status, headers: failureHeaders(refusal), body };
}

/** A failure as text, for requests that never got to a route. The connection is closed after it. */
export function renderClosingFailure(refusal: Refusal, requestId: string) {
  const { status, headers, body } = renderFailure(refusal, { requestId });
  const text = JSON.stringify(body);
  return {
    status,
    text,
    headers: {
      ...headers,
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(text)),
      "X-Request-Id": requestId,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      Connection: "close",
    },
  };
}

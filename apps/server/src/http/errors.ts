import { ERRORS, LIMITS } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { Refusal } from "../core/refusal.ts";

/** What a failure is answered with: status, headers, and the one flat body (CONTRACT section 1). */
export interface FailureAnswer {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

const NEEDS_RETRY_AFTER = new Set([429, 503]);

function headersOf(refusal: Refusal): Record<string, string> {
  const headers = { ...refusal.detail.headers };
  if (refusal.status === 401) headers["WWW-Authenticate"] = "Bearer";
  if (NEEDS_RETRY_AFTER.has(refusal.status)) {
    headers["Retry-After"] = String(
      Math.max(1, Math.ceil(refusal.detail.retryAfterSeconds ?? SERVER_LIMITS.retryAfterSeconds)),
    );
  }
  return headers;
}

/** An answer of what is no whole request: the connection ends with it. */
export function closingAnswer(refusal: Refusal, requestId: string) {
  const { status, headers, body } = failureAnswer(refusal, requestId);
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
      Connection: "close",
    },
  };
}

/** Renders a refusal. `attemptId` on ingest routes only. */
export function failureAnswer(refusal: Refusal, requestId: string, attemptId?: string): FailureAnswer {
  const { error, retryable } = ERRORS[refusal.code];
  const { issues, limit, actual } = refusal.detail;
  const body: Record<string, unknown> = {
    ok: false,
    error,
    code: refusal.code,
    message: refusal.message,
    hint: refusal.hint,
    retryable,
    requestId,
  };
  if (attemptId !== undefined) body.attemptId = attemptId;
  if (issues) {
    body.issues = issues.slice(0, LIMITS.maxIssues);
    if (issues.length > LIMITS.maxIssues) body.issuesTruncated = true;
  }
  if (limit !== undefined) body.limit = limit;
  if (actual !== undefined) body.actual = actual;
  return { status: refusal.status, headers: headersOf(refusal), body };
}

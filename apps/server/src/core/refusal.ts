import type { ErrorCode, Issue, IssueCode, SourceLimits } from "@headwater/contract";
import { ERRORS } from "@headwater/contract/errors";

export interface RefusalDetail {
  /** Replaces the catalogue's message. */
  message?: string;
  /** Replaces the catalogue's hint. It contains the value to paste if there is one. */
  hint?: string;
  issues?: Issue[];
  retryAfterSeconds?: number;
  /** The limit that was exceeded; for a rate, requests a second. */
  limit?: number;
  /** The value that was sent; for a quota, the value that was used. */
  actual?: number;
  /** When a quota is reset, in milliseconds. */
  resetAt?: number;
  /** The debug view shows which of the source's own limits was exceeded. */
  limitName?: keyof SourceLimits;
  /** Further response headers, such as `Allow` or `RateLimit-*`. */
  headers?: Record<string, string>;
}

/**
 * A request that is answered with an error of the catalogue. Any other thrown error is a bug and is answered
 * `internal_error`. Details for the operator go into `cause`, which is logged and never sent.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly hint: string;
  readonly detail: RefusalDetail;

  constructor(code: ErrorCode, detail: RefusalDetail = {}, cause?: unknown) {
    // A refusal is an ordinary answer. Capturing its stack would cost more than all other work on it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail.message ?? ERRORS[code].message, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "Refusal";
    this.code = code;
    this.status = ERRORS[code].status;
    this.hint = detail.hint ?? ERRORS[code].hint;
    this.detail = detail;
  }
}

/** A 422 that is about the body as a whole. */
export const invalidBody = (code: IssueCode, message: string): Refusal =>
  new Refusal("invalid_payload", { message, issues: [{ path: [], code, message }] });

/** @param place a member of the body or query, or its path */
export const issueAt = (
  place: string | Issue["path"],
  message: string,
  code: IssueCode = "invalid_value",
): Issue => ({ path: [place].flat(), code, message });

/** @throws Refusal 422 with all issues, if there are any */
export function requireNoIssues(issues: Issue[]): void {
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues });
}

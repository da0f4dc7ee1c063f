import { ERRORS, type ErrorCode, type Issue, type SourceLimits } from "@headwater/contract";

interface Detail {
  /** Replaces the catalogue's public sentence. */
  message?: string;
  /** Replaces the catalogue's hint; carries the value to paste where there is one. */
  hint?: string;
  issues?: Issue[];
  retryAfterSeconds?: number;
  /** What may be sent, and what was; a request a second where it is a rate. */
  limit?: number;
  actual?: number;
  /** Which of the source's own limits it is: for the debug view. */
  limitName?: keyof SourceLimits;
  /** Further response headers, `Allow` or `RateLimit-*`. */
  headers?: Record<string, string>;
}

/**
 * The one error class: a request that ends here, with a public code. Whatever else is thrown is a bug and is
 * answered `internal_error`. Text for the operator goes into `cause`, never into the answer.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly hint: string;
  readonly detail: Detail;

  constructor(code: ErrorCode, detail: Detail = {}, cause?: unknown) {
    // a refusal is an answer, not a bug: its stack would cost more than everything else about it
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

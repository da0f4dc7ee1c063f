/** The trace of a request, by W3C Trace Context (https://www.w3.org/TR/trace-context/). */

/** The ids of a request in log lines. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that the client's `traceparent` names; null: none. */
  readonly traceId: string | null;
}

/** The members that a log line gets. */
export const toLogIds = ({ requestId, traceId }: RequestIds) =>
  traceId === null ? { requestId } : { requestId, traceId };

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/**
 * @param traceparent the header. A later version may have more fields
 * @returns null when the header is missing or not valid
 */
export function traceIdOf(traceparent: string | string[] | undefined): string | null {
  if (typeof traceparent !== "string") return null;
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || (version === "00" && more !== undefined)) return null;
  return traceId;
}

/** A request whose answer has begun. */
export interface TracedRequest {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly requestId: string;
  /** A valid `traceparent`, or null: the request begins a trace. */
  readonly traceparent: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
}

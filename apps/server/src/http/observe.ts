/** Counts the requests of every route. */
import type { Refusal } from "../core/refusal.ts";
import type { Exchange } from "./reply.ts";
import type { RouteMatch } from "./router.ts";

/** A request whose answer has begun. */
export interface ServedRequest {
  readonly exchange: Exchange;
  /** The id of the operation, or a word for requests without one. */
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  /** Why the request was refused; null if it was not. Always null for ingest routes, whose attempt has the refusal. */
  readonly refusal: Refusal | null;
}

export interface HttpCounters {
  request(operation: string, status: number, durationMs: number): void;
  failedAuthentication(code: string): void;
}

/** The name of a request in metrics. As it is a label, it contains nothing that a client can make up, such as a path. */
export function operationName(match: RouteMatch | null, method = ""): string {
  if (match === null) return "none";
  return method === "OPTIONS" ? "preflight" : (match.operations.get(method)?.id ?? "none");
}

const CLIENT_DISCONNECTED = 499;

export const statusOf = ({ response }: Exchange): number =>
  response.headersSent ? response.statusCode : CLIENT_DISCONNECTED;

export function createRequestObserver(counters: HttpCounters) {
  return ({ operation, status, durationMs, refusal }: ServedRequest): void => {
    counters.request(operation, status, durationMs);
    if (refusal?.status === 401) counters.failedAuthentication(refusal.code);
  };
}

/** Counts and logs every request on every route when its answer begins. */
import type { Config } from "../config/settings.ts";
import type { Refusal } from "../core/refusal.ts";
import { networkOf } from "../overload/client-key.ts";
import { clientOf } from "./client-address.ts";
import type { Exchange } from "./reply.ts";
import type { RouteMatch } from "./router.ts";
import { type TracedRequest, toLogIds } from "./trace-context.ts";

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

interface HttpCounters {
  request(operation: string, status: number, durationMs: number): void;
  failedAuthentication(code: string): void;
}

interface RequestLog {
  info(fields: object, message: string): void;
}

interface RequestObserverDeps {
  readonly metrics: { readonly http: HttpCounters };
  readonly boundedLog: RequestLog;
  /** Gets a line for every request. Null: ACCESS_LOG is off. */
  readonly accessLog: RequestLog | null;
  readonly clock: () => number;
  readonly config: Pick<Config, "TRUST_PROXY">;
  /** Null: no OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly tracer: { record(request: TracedRequest): void } | null;
}

/** The name of a request in metrics. As it is a label, it contains nothing that a client can make up, such as a path. */
export function operationName(match: RouteMatch | null, method = ""): string {
  if (match === null) return "none";
  return method === "OPTIONS" ? "preflight" : (match.operations.get(method)?.id ?? "none");
}

const CLIENT_DISCONNECTED = 499;

export const statusOf = ({ response }: Exchange): number =>
  response.headersSent ? response.statusCode : CLIENT_DISCONNECTED;

/** @param endedAt milliseconds since the epoch */
function toSpan({ exchange, operation, status, durationMs }: ServedRequest, endedAt: number): TracedRequest {
  const { request, requestId, traceId } = exchange;
  const { method = "", headers } = request;
  const traceparent = traceId === null ? null : (headers.traceparent?.toString() ?? null);
  const startedAt = endedAt - durationMs;
  return { operation, method, status, requestId, traceparent, startedAt, endedAt };
}

export function createRequestObserver(deps: RequestObserverDeps) {
  const { metrics, boundedLog, accessLog, clock, config, tracer } = deps;
  const toLogFields = ({ exchange, operation }: ServedRequest) => ({
    ...toLogIds(exchange),
    operation,
    address: networkOf(clientOf(exchange.request, config.TRUST_PROXY).key),
  });

  return (served: ServedRequest): void => {
    const { exchange, operation, status, durationMs, refusal } = served;
    metrics.http.request(operation, status, durationMs);
    tracer?.record(toSpan(served, clock()));
    if (refusal?.status === 401) {
      metrics.http.failedAuthentication(refusal.code);
      const reason = refusal.cause instanceof Error ? { reason: refusal.cause.message } : {};
      boundedLog.info({ ...toLogFields(served), code: refusal.code, ...reason }, "authentication failed");
    }
    if (accessLog) {
      const { method } = exchange.request;
      const rounded = Math.round(durationMs * 100) / 100;
      accessLog.info({ ...toLogFields(served), method, status, durationMs: rounded }, "request");
    }
  };
}

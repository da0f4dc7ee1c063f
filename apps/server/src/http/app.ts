/** The HTTP pipeline of all routes: request id, routing, CORS, the route itself, and one place for failures. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { OPERATIONS, type Operation } from "@headwater/contract";
import type { Config } from "../config/settings.ts";
import { Refusal } from "../core/refusal.ts";
import { createConnectionPauses } from "../overload/paused-connections.ts";
import { createAlias } from "./alias.ts";
import { type CorsPolicy, createCorsPolicies, INGEST_CORS } from "./cors.ts";
import { NEEDS_RETRY_AFTER, renderFailure, toRefusal } from "./failure.ts";
import { createHttpServer } from "./http-server.ts";
import { operationName, type ServedRequest, statusOf } from "./observe.ts";
import { type Exchange, type ServeRoute, send, sendJson } from "./reply.ts";
import { allowedMethods, createRouter, type RouteMatch } from "./router.ts";
import { type RequestIds, traceIdOf } from "./trace-context.ts";

/** Serves paths that no operation has. */
export interface PathServer {
  /** Returns null when it does not have the path either. */
  serve(exchange: Exchange, path: string): Promise<void> | null;
}

interface HttpAppDeps {
  /** Serves the operations that are not for public keys. */
  readonly serveWorkspace: ServeRoute;
  readonly serveIngest: ServeRoute;
  /** Serves a request below a public key whose path no operation has. */
  readonly serveStray: (exchange: Exchange, params: RouteMatch["params"]) => Promise<void>;
  readonly newId: (prefix: string) => string;
  readonly config: Pick<Config, "TRUST_PROXY" | "GEO_HEADER" | "INGEST_ALIAS">;
  /** They may contain the listening port, which is known only after the start. */
  readonly addresses: () => { readonly appUrl: string };
  /** The console, or the test server's own routes; null: neither. */
  readonly otherPaths: PathServer | null;
  /** Called for every request when its answer has begun. */
  readonly onServed: (served: ServedRequest) => void;
  /** Logs a storage failure or a bug. */
  readonly report: (error: unknown, ids: RequestIds) => void;
  /** Milliseconds, monotonic. */
  readonly stopwatch: () => number;
}

/** At most 128 visible ASCII characters. */
const VALID_REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The request's own `X-Request-Id` if it is valid, else a new one (docs/api/conventions.md). */
function requestIdOf({ headers }: IncomingMessage, createId: () => string): string {
  const own = headers["x-request-id"];
  return typeof own === "string" && VALID_REQUEST_ID.test(own) ? own : createId();
}

function splitUrl(url: string): { path: string; queryText: string } {
  const queryStart = url.indexOf("?");
  if (queryStart === -1) return { path: url, queryText: "" };
  return { path: url.slice(0, queryStart), queryText: url.slice(queryStart + 1) };
}

/** @returns why the request is refused */
function refuse(exchange: Exchange, error: unknown, report: HttpAppDeps["report"]): Refusal {
  const { response, requestId } = exchange;
  const refusal = toRefusal(error);
  // the line `authentication failed` says why a token is invalid
  if (refusal.cause !== undefined && refusal.status !== 401) report(refusal.cause, exchange);
  const { body, ...reply } = renderFailure(refusal, { requestId });
  if (response.headersSent) response.destroy();
  else sendJson(exchange, reply, body);
  return refusal;
}

/** @returns a server that does not listen yet */
export function createHttpApp(deps: HttpAppDeps): Server {
  const { newId, otherPaths, report, stopwatch } = deps;
  const operations: readonly Operation[] = OPERATIONS;
  const findRoute = createRouter(operations);
  const splitAlias = createAlias(deps.config.INGEST_ALIAS);
  const workspaceCors = createCorsPolicies(() => deps.addresses().appUrl);
  const pauseConnection = createConnectionPauses();

  function serve(exchange: Exchange, match: RouteMatch | null, cors: CorsPolicy): Promise<void> | void {
    if (!match) throw new Refusal("route_not_found");
    const { method = "", headers } = exchange.request;
    if (method === "OPTIONS")
      return send(exchange, { status: 204, headers: cors.preflight(headers, allowedMethods(match)) });
    if (match.params.strayPath !== undefined) return deps.serveStray(exchange, match.params);
    const operation = match.operations.get(method);
    if (!operation) throw new Refusal("method_not_allowed", { headers: { Allow: allowedMethods(match) } });
    if (operation.access !== "public-key") return deps.serveWorkspace(exchange, operation, match.params);
    return deps.serveIngest(exchange, operation, match.params);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = stopwatch();
    const requestId = requestIdOf(request, () => newId("req"));
    const { url, alias } = splitAlias(request.url ?? "/");
    const { path, queryText } = splitUrl(url);
    const match = findRoute(path);
    const cors = match?.isIngest ? INGEST_CORS : workspaceCors(path);
    const headers = {
      "X-Request-Id": requestId,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...cors.headers(request.headers.origin),
    };
    const traceId = traceIdOf(request.headers.traceparent);
    const exchange = { request, response, requestId, traceId, alias, queryText, headers };
    const other = match ? null : otherPaths?.serve({ ...exchange, headers: {} }, path);
    let refusal: Refusal | null = null;
    try {
      await (other ?? serve(exchange, match, cors));
    } catch (error) {
      // Node still reads what arrived with the headers; if that is not HTTP, the answer is 400
      await Promise.resolve();
      refusal = refuse(exchange, error, report);
    }
    const operation = other ? "console" : operationName(match, request.method);
    const durationMs = stopwatch() - startedAt;
    const status = statusOf(exchange);
    if (NEEDS_RETRY_AFTER.has(status)) pauseConnection(request);
    deps.onServed({ exchange, operation, status, durationMs, refusal });
  }

  return createHttpServer(
    (request, response) => void handle(request, response),
    () => newId("req"),
  );
}

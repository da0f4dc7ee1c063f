/** Every operation of the table that is not for public keys: checked by the guard, then handled. */
import { parse as parseQuery } from "node:querystring";
import type { Operation } from "@headwater/contract";
import type { Config } from "../config/settings.ts";
import { Refusal } from "../core/refusal.ts";
import { readBytes } from "./body.ts";
import { clientOf } from "./client-address.ts";
import type { Admitted, Guard } from "./guard.ts";
import type { Handlers, InnerRequest } from "./handler.ts";
import { type AnyHandler, createInnerRequests } from "./inner-requests.ts";
import { maxBodyBytesOf } from "./input.ts";
import { NO_BODY } from "./json-body.ts";
import { type Exchange, type ServeRoute, sendAnswer } from "./reply.ts";
import type { RequestIds } from "./trace-context.ts";

export interface WorkspaceRouteDeps {
  readonly handlers: Handlers;
  readonly guard: Guard;
  readonly clock: () => number;
  readonly config: Pick<Config, "TRUST_PROXY">;
  /** While the service stops, operations that need a token are refused. */
  readonly readiness: { state(): { readonly draining: boolean } };
  /** Logs a storage failure or a bug. */
  readonly report: (error: unknown, ids: RequestIds) => void;
}

/** How often a stream checks whether its caller may still see it (docs/api/access.md: revocation within 1 s). */
const RECHECK_MS = 1_000;

/** @throws Error when an operation has no handler or no declared access: the service must not start then */
function indexHandlers(
  handlers: Handlers,
  operations: readonly Operation[],
): ReadonlyMap<string, AnyHandler> {
  const index = new Map(Object.entries(handlers));
  for (const { id, access } of operations) {
    if (!access) throw new Error(`the operation ${id} has no declared access`);
    if (access !== "public-key" && !index.has(id)) throw new Error(`the operation ${id} has no handler`);
  }
  // a handler takes the call of its own operation, which is what the guard makes of the same entry of the table
  return index as ReadonlyMap<string, AnyHandler>;
}

/** @throws Refusal 400 when a parameter is not validly percent-encoded */
function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new Refusal("malformed_http", { message: "The request's path is not validly encoded." });
  }
}

/** One for all requests: creating an error for each took a tenth of a millisecond. */
const CLIENT_LEFT = new Refusal("request_timeout", {
  message: "The connection was closed before the response was sent.",
});

/** Aborts when the client disconnects, so that its work can stop. Call it before the first wait: the client may leave meanwhile. */
function abortOnDisconnect({ response }: Exchange): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort(CLIENT_LEFT));
  return controller.signal;
}

/** Disconnects a stream when its caller may no longer see it. */
function recheckAccess(
  { request, response }: Exchange,
  operation: Operation,
  admitted: Admitted,
  { guard, clock }: WorkspaceRouteDeps,
): void {
  // the client has left while its request was admitted
  if (response.closed) return;
  const recheck = async () => {
    try {
      await guard.recheck(operation, request.headers.authorization, admitted, clock());
    } catch (error) {
      // a storage failure says nothing about the caller's rights
      if (error instanceof Refusal && error.status < 500) response.destroy();
    }
  };
  const timer = setInterval(recheck, RECHECK_MS).unref();
  response.once("close", () => clearInterval(timer));
}

/** The caller of a public operation. */
const NOBODY = {
  actor: null,
  isPerson: false,
  limitedTo: null,
  ceiling: null,
  grantsUntil: null,
  rememberedId: null,
};

export function createWorkspaceRoute(deps: WorkspaceRouteDeps, operations: readonly Operation[]): ServeRoute {
  const { guard, clock, config, readiness } = deps;
  const handlers = indexHandlers(deps.handlers, operations);
  const askInner = createInnerRequests({ ...deps, handlers });

  /** A failed sign-in counts as a failed authentication of its address. */
  function countFailedSignIn(operation: Operation, address: string, error: unknown): unknown {
    const hasFailed = operation.access === "public" && error instanceof Refusal && error.status === 401;
    return hasFailed ? (guard.countFailure(address, clock()) ?? error) : error;
  }

  /** Everything before the handler, in the order of docs/api/conventions.md. */
  async function admit(
    exchange: Exchange,
    operation: Operation,
    rawParams: Readonly<Record<string, string>>,
  ) {
    const { request, queryText } = exchange;
    const params = decodeParams(rawParams);
    if (operation.access !== "public" && readiness.state().draining) throw new Refusal("shutting_down");
    const address = clientOf(request, config.TRUST_PROXY).key;
    const caller = await guard.identify(operation, request.headers.authorization, address, clock());
    const body = operation.body
      ? await readBytes(request, maxBodyBytesOf(operation), { clientKey: address, sourceId: null })
      : NO_BODY;
    const now = clock();
    const incoming = { params, query: parseQuery(queryText), headers: request.headers, body };
    const admitted = await guard.admit(operation, caller, incoming, now);
    return { admitted, caller, address, now };
  }

  return async (exchange, operation, rawParams) => {
    const { request, requestId } = exchange;
    const signal = abortOnDisconnect(exchange);
    const { admitted, caller, address, now } = await admit(exchange, operation, rawParams);
    const handle = handlers.get(operation.id);
    if (!handle) throw new Refusal("route_not_found");
    if (operation.isStream) recheckAccess(exchange, operation, admitted, deps);
    const call = {
      ...admitted,
      operation,
      ...(caller ?? NOBODY),
      now,
      requestId,
      clientAddress: address,
      headers: request.headers,
      signal,
    };
    const ask = (inner: InnerRequest) => askInner({ ids: exchange, caller, call }, inner);
    const answer = await handle({ ...call, ask }).catch((error: unknown) => {
      throw countFailedSignIn(operation, address, error);
    });
    sendAnswer(exchange, answer, { status: operation.status });
  };
}

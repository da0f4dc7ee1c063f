/**
 * The workspace API over Fastify: every operation of the table that is not the ingest corridor's, each behind the
 * guard. Fastify routes and sends; reading, checking and refusing are ours (its parsers take what the contract does
 * not, and its failures have another shape).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { OPERATIONS, type Operation } from "@headwater/contract";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { clientAddress, type Trust } from "../core/client-address.ts";
import type { Caller, Handlers } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import { StorageError } from "../ledger/ledger.ts";
import { type AnyAnswer, sendAnswer, sendJson } from "./answer.ts";
import { createClientErrorHandler } from "./client-error.ts";
import { corsHeaders, preflightHeaders } from "./cors.ts";
import { failureAnswer } from "./errors.ts";
import type { Admitted, Guard } from "./guard.ts";
import { createHttpServer } from "./http-server.ts";
import { NO_BODY, type RawBody, readWorkspaceBody } from "./json-body.ts";
import { isBug, refusalOf } from "./refusal-of.ts";
import { requestIdOf } from "./request-id.ts";
import { createRouteTable } from "./route-table.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface WorkspaceAppOptions {
  readonly handlers: Handlers;
  readonly guard: Guard;
  readonly clock: () => number;
  readonly newId: (prefix: string) => string;
  readonly trust: Trust;
  /** The console's address; asked for at each request, since it may follow the port that is listened on. */
  readonly appUrl: () => string;
  /** The service stops: requests that need a token are answered 503 `shutting_down`. */
  readonly isStopping: () => boolean;
  readonly log: { error(fields: Record<string, unknown>, message: string): void };
  /** A request is refused because the ledger failed. */
  readonly storageFailed: (error: StorageError, requestId: string) => void;
  /** Makes the server around Fastify's listener, with `createHttpServer`; default: a plain one. */
  readonly serverFactory?: (listener: Listener) => Server;
}

/** As long as a request's headers may be: an id too long to exist is a 404 like another. */
const MAX_PARAM_LENGTH = 16_384;
/** What was admitted to a stream is looked at again this often (CONTRACT section 3: revocation within 1 s). */
const RECHECK_MS = 1_000;

/** A handler takes what the guard checked against the same entry of the table. */
type AnyHandler = (call: unknown) => Promise<AnyAnswer>;

const served = (OPERATIONS as readonly Operation[]).filter((operation) => operation.access !== "public-key");

function handlerOf(handlers: Handlers, operation: Operation): AnyHandler {
  const handler = (handlers as unknown as Record<string, AnyHandler | undefined>)[operation.id];
  if (!operation.access) throw new Error(`${operation.id} has no declared access`);
  if (!handler) throw new Error(`${operation.id} has no handler`);
  return handler;
}

export function createWorkspaceApp(options: WorkspaceAppOptions): FastifyInstance {
  const { guard, clock, newId, trust } = options;
  const allowed = createRouteTable(OPERATIONS);
  const callers = new WeakMap<FastifyRequest, Caller | null>();

  const app = fastify({
    serverFactory: options.serverFactory ?? ((listener) => createHttpServer(listener, () => newId("req"))),
    genReqId: (raw) => requestIdOf(raw.headers["x-request-id"], () => newId("req")),
    clientErrorHandler: createClientErrorHandler(() => newId("req")),
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request: FastifyRequest, payload: IncomingMessage) =>
    readWorkspaceBody(payload),
  );
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  app.setNotFoundHandler(() => Promise.reject(new Refusal("route_not_found")));

  const addressOf = (request: FastifyRequest) => {
    const forwarded = request.headers["x-forwarded-for"];
    return clientAddress(request.raw.socket.remoteAddress, forwarded?.toString(), trust).key;
  };

  function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers({
      "X-Request-Id": request.id,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...corsHeaders(request.headers.origin, options.appUrl()),
    });
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalOf(error);
    if (error instanceof StorageError) options.storageFailed(error, request.id);
    if (isBug(refusal)) options.log.error({ requestId: request.id, err: refusal.cause }, "a request failed");
    setHeaders(request, reply);
    const { status, headers, body } = failureAnswer(refusal, request.id);
    return sendJson(reply, status, headers, body);
  }

  /** No route of the table: another method of a path that is there, or no path at all. */
  function answerUnrouted(request: FastifyRequest, reply: FastifyReply) {
    const methods = allowed(request.url);
    if (methods === null) throw new Refusal("route_not_found");
    if (request.method !== "OPTIONS")
      throw new Refusal("method_not_allowed", { headers: { Allow: methods } });
    const letIn = reply.hasHeader("Access-Control-Allow-Origin");
    return reply
      .code(204)
      .headers({ Allow: methods, ...(letIn ? preflightHeaders(methods) : {}) })
      .send();
  }

  app.addHook("onRequest", async (request, reply) => {
    setHeaders(request, reply);
    if (request.is404) return answerUnrouted(request, reply);
  });

  /** Token and rate come before the body is read. */
  async function identify(operation: Operation, request: FastifyRequest): Promise<void> {
    if (operation.access !== "public" && options.isStopping()) throw new Refusal("shutting_down");
    const { authorization } = request.headers;
    callers.set(request, await guard.identify(operation, authorization, addressOf(request), clock()));
  }

  const admit = (operation: Operation, request: FastifyRequest, now: number) =>
    guard.admit(
      operation,
      callers.get(request) ?? null,
      {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string | string[]>,
        headers: request.headers,
        body: (request.body as RawBody | undefined) ?? NO_BODY,
      },
      now,
    );

  function callOf(
    operation: Operation,
    request: FastifyRequest,
    admitted: Admitted,
    now: number,
    signal: AbortSignal,
  ) {
    const caller = callers.get(request) ?? null;
    const lastEventId = request.headers["last-event-id"]?.toString() ?? null;
    return {
      ...admitted,
      operation,
      actor: caller?.actor ?? null,
      limitedTo: caller?.limitedTo ?? null,
      ceiling: caller?.ceiling ?? null,
      now,
      requestId: request.id,
      clientAddress: addressOf(request),
      lastEventId,
      signal,
    };
  }

  /** Cuts a stream off when its client leaves, or when what let it in holds no longer. */
  function watch(operation: Operation, request: FastifyRequest, reply: FastifyReply, admitted: Admitted) {
    const over = new AbortController();
    const recheck = async () => {
      try {
        await guard.recheck(operation, request.headers.authorization, admitted, clock());
      } catch (error) {
        // a storage that does not answer for a moment takes nobody's right away
        if (error instanceof Refusal && error.status < 500) reply.raw.destroy();
      }
    };
    const timer = setInterval(recheck, RECHECK_MS).unref();
    const end = () => {
      clearInterval(timer);
      over.abort();
    };
    reply.raw.once("close", end);
    return { signal: over.signal, end };
  }

  /** Aborts when the client has gone: what is worked out for it need not be. */
  function goneOf(reply: FastifyReply): AbortSignal {
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    return gone.signal;
  }

  /** A sign-in that fails is a failed authentication of its address. */
  function countFailure(operation: Operation, request: FastifyRequest, error: unknown): unknown {
    const failed = operation.access === "public" && error instanceof Refusal && error.status === 401;
    return failed ? (guard.countFailure(addressOf(request), clock()) ?? error) : error;
  }

  function register(operation: Operation): void {
    const handle = handlerOf(options.handlers, operation);
    app.route({
      method: operation.method,
      url: operation.path,
      onRequest: (request) => identify(operation, request),
      handler: async (request, reply) => {
        const now = clock();
        const admitted = await admit(operation, request, now);
        const watched = operation.isStream ? watch(operation, request, reply, admitted) : null;
        try {
          const call = callOf(operation, request, admitted, now, watched?.signal ?? goneOf(reply));
          const answer = await handle(call);
          sendAnswer(reply, operation.status, answer, { onEnd: () => watched?.end() });
        } catch (error) {
          watched?.end();
          throw countFailure(operation, request, error);
        }
        return reply;
      },
    });
  }

  for (const operation of served) register(operation);
  return app;
}

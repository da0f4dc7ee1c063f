/** The HTTP server: its time limits, and our failure answers where Node would answer without a body. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Refusal } from "../core/refusal.ts";
import { endAnswer } from "../overload/unsent-answers.ts";
import { createClientErrorHandler } from "./client-error.ts";
import { renderClosingFailure } from "./failure.ts";

export const REQUEST_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 8_000;
/** Requests of a connection that wait until the answer before them is sent. Browsers and proxies send none ahead. */
export const MAX_PIPELINED_REQUESTS = 8;

/** Without these, slow clients could hold connections forever. */
const SERVER_OPTIONS = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
};

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

function refuseMalformed(response: ServerResponse, message: string, requestId: string): void {
  const refusal = new Refusal("malformed_http", { message });
  const { status, headers, text } = renderClosingFailure(refusal, requestId);
  response.writeHead(status, headers);
  endAnswer(response, text);
}

/** A missing or second Host header is an error (RFC 9112, 3.2), because proxies could read two of them differently. */
function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return "The request has more than one Host header.";
  return hosts === 1 || httpVersion === "1.0" ? null : "The request has no Host header.";
}

const SCHEME_AND_HOST = /^https?:\/\/[^/?#]*/i;

/** Proxies may send the whole address (RFC 9112, 3.2.2). Only its path and query are used. */
function useOriginForm(request: IncomingMessage): void {
  const url = request.url ?? "/";
  if (!url.startsWith("/")) request.url = url.replace(SCHEME_AND_HOST, "") || "/";
}

const openSockets = new WeakMap<Server, Set<Socket>>();

function trackSockets(server: Server): void {
  const sockets = new Set<Socket>();
  openSockets.set(server, sockets);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
}

/**
 * Closes the connections without an open request. Browsers open connections in advance; Node does not count a connection as
 * idle before its first request.
 */
export function closeIdle(server: Server): void {
  server.closeIdleConnections();
  for (const socket of openSockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/** Node keeps the parser of a connection in this member. The parser stops when `onIncoming` returns 2. */
interface ParsedSocket extends Socket {
  parser?: { onIncoming: () => number } | null;
}

/**
 * Closes a connection, and drops the requests that have arrived on it. Node would parse them after `destroy`: with 1,000
 * requests on each of 100 connections, that blocked the process for a second.
 */
function closeAtOnce(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}

/**
 * Handles the requests of one connection one after another. Otherwise Node would emit pipelined requests all at once and keep
 * their answers in memory. A response gets its socket when the operating system has accepted the whole previous answer.
 */
function inTurn(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    if (response.socket) return listener(request, response);
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > MAX_PIPELINED_REQUESTS) {
      closeAtOnce(socket);
      return;
    }
    response.once("socket", () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      listener(request, response);
    });
  };
}

export function createHttpServer(listener: RequestListener, newRequestId: () => string): Server {
  const handle = inTurn((request, response) => {
    useOriginForm(request);
    const problem = hostProblem(request);
    if (problem === null) listener(request, response);
    else refuseMalformed(response, problem, newRequestId());
  });
  const refuseExpectation = inTurn((_request, response) =>
    refuseMalformed(response, "The request has an Expect header that is not supported.", newRequestId()),
  );
  const server = createServer(SERVER_OPTIONS, handle);
  trackSockets(server);
  server.on("clientError", createClientErrorHandler(newRequestId));
  server.on("checkExpectation", refuseExpectation);
  return server;
}

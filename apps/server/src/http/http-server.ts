/** The HTTP server: its time limits, and failures in our shape where Node would answer without a body. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { createClientErrorHandler } from "./client-error.ts";
import { renderClosingFailure } from "./failure.ts";

/** Without these, slow clients could hold connections forever. */
const SERVER_OPTIONS = {
  requestTimeout: SERVER_LIMITS.requestTimeoutMs,
  headersTimeout: SERVER_LIMITS.headersTimeoutMs,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
};

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

function refuseMalformed(response: ServerResponse, message: string, requestId: string): void {
  const refusal = new Refusal("malformed_http", { message });
  const { status, headers, text } = renderClosingFailure(refusal, requestId);
  response.writeHead(status, headers);
  response.end(text);
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
 * Closes the connections without an open request. Node does not count a connection as idle on which no request was ever
 * sent, but browsers open such connections in advance.
 */
export function closeIdle(server: Server): void {
  server.closeIdleConnections();
  for (const socket of openSockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

export function createHttpServer(listener: RequestListener, newRequestId: () => string): Server {
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    useOriginForm(request);
    const problem = hostProblem(request);
    if (problem === null) listener(request, response);
    else refuseMalformed(response, problem, newRequestId());
  });
  trackSockets(server);
  server.on("clientError", createClientErrorHandler(newRequestId));
  server.on("checkExpectation", (_request, response: ServerResponse) =>
    refuseMalformed(response, "The request has an Expect header that is not supported.", newRequestId()),
  );
  return server;
}

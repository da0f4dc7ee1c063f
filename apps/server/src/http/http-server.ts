/** The one HTTP server: its time limits, and an answer of our own where Node would send one without a body. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { closingAnswer } from "./errors.ts";

/** Slow clients stay for ever otherwise. */
const OPTIONS = {
  requestTimeout: SERVER_LIMITS.requestTimeoutMs,
  headersTimeout: SERVER_LIMITS.headersTimeoutMs,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
} as const;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function refuse(response: ServerResponse, message: string, requestId: string): void {
  const { status, headers, text } = closingAnswer(new Refusal("malformed_http", { message }), requestId);
  response.writeHead(status, headers);
  response.end(text);
}

/** Why a request is none for what it says of its host (RFC 9112, 3.2): two of them may be read apart. Null: it is one. */
function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return "The request has more than one Host header.";
  return hosts === 1 || httpVersion === "1.0" ? null : "The request has no Host header.";
}

const HOST_OF_ADDRESS = /^https?:\/\/[^/?#]*/i;

/** Proxies may send the whole address (RFC 9112, 3.2.2): what is asked for is its path and query. */
function useOriginForm(request: IncomingMessage): void {
  const url = request.url ?? "/";
  if (!url.startsWith("/")) request.url = url.replace(HOST_OF_ADDRESS, "") || "/";
}

const openSockets = new WeakMap<Server, Set<Socket>>();

function keepSockets(server: Server): void {
  const sockets = new Set<Socket>();
  openSockets.set(server, sockets);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
}

/**
 * Closes what owes nobody an answer. For Node a connection on which nothing was ever asked, as browsers open them in
 * advance, is not idle: it would be waited for.
 */
export function closeIdle(server: Server): void {
  server.closeIdleConnections();
  for (const socket of openSockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

export function createHttpServer(listener: Listener, newRequestId: () => string): Server {
  const server = createServer(OPTIONS, (request, response) => {
    useOriginForm(request);
    const problem = hostProblem(request);
    if (problem === null) listener(request, response);
    else refuse(response, problem, newRequestId());
  });
  keepSockets(server);
  server.on("checkExpectation", (_request, response: ServerResponse) =>
    refuse(response, "The request expects what this service does not do.", newRequestId()),
  );
  return server;
}

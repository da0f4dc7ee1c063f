/**
 * Listens at one address with many sockets. Node accepts one connection per socket in a turn of its event loop (libuv
 * 1.45 and later), and turns are long under load. With a single socket, a new visitor waited ten seconds behind a flood of
 * connections (docs/decisions/0021-many-listening-sockets.md).
 */
import type { Server } from "node:http";
import { createServer, type ListenOptions, type Server as SocketServer } from "node:net";
import { closeIdle } from "./http-server.ts";

/** Connections that wait to be accepted, per socket. The system drops further ones; clients retry after a second or more. */
const LISTEN_BACKLOG = 4_096;
/** Each accepts one connection per turn of the event loop. With 64, a flood of 8,000 connections took ten seconds. */
export const LISTENING_SOCKETS = 128;
export const DRAIN_TIMEOUT_MS = 8_000;
const DRAIN_SWEEP_MS = 50;

export interface Listening {
  port: number;
  /** Stops accepting connections. Resolves when all have ended: idle ones at once, the others after their answer. */
  close(): Promise<void>;
}

/** @returns the port */
function listenOn(server: SocketServer, options: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ backlog: LISTEN_BACKLOG, ...options }, () => {
      server.off("error", reject);
      const address = server.address();
      // a Unix socket has a path instead of an address with a port
      if (address === null || typeof address === "string") reject(new Error("the server has no port"));
      else resolve(address.port);
    });
  });
}

const closed = (server: SocketServer): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()));

/**
 * Checks that no other service uses the address. Sockets that share an address would share it with another service too.
 * @returns the given port, or any free port for 0
 * @throws Error of `listen` in `node:net`, such as EADDRINUSE
 */
export async function freePort(options: ListenOptions): Promise<number> {
  const probe = createServer();
  const port = await listenOn(probe, options);
  await closed(probe);
  return port;
}

/** A socket that hands the connections that it accepts to the HTTP server. */
const createAcceptor = (server: Server): SocketServer =>
  createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit("connection", socket));

/** Linux distributes connections over sockets that share an address. */
const CAN_SHARE_ADDRESS = process.platform === "linux";

/**
 * @param address port 0: any free port
 * @throws Error of `listen` in `node:net`, such as EADDRINUSE
 */
export async function listenFor(server: Server, address: { host: string; port: number }): Promise<Listening> {
  if (!CAN_SHARE_ADDRESS) {
    const port = await listenOn(server, address);
    return { port, close: () => closeAll([server], server) };
  }
  const options = { ...address, port: await freePort(address), reusePort: true };
  const port = await listenOn(server, options);
  const sockets: SocketServer[] = [server];
  const listenAlso = async () => {
    const acceptor = createAcceptor(server);
    await listenOn(acceptor, options);
    sockets.push(acceptor);
  };
  // fewer sockets are enough when the process may not open so many files
  await Promise.allSettled(Array.from({ length: LISTENING_SOCKETS - 1 }, listenAlso));
  return { port, close: () => closeAll(sockets, server) };
}

async function closeAll(sockets: readonly SocketServer[], server: Server): Promise<void> {
  const timeout = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  // a busy connection becomes idle when its answer has been sent
  const sweep = setInterval(() => closeIdle(server), DRAIN_SWEEP_MS);
  const allClosed = Promise.all(sockets.map(closed));
  closeIdle(server);
  await allClosed;
  clearTimeout(timeout);
  clearInterval(sweep);
}

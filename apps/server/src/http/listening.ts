/**
 * Where the service listens: at one address by many sockets. Node takes one connection from each in a turn of its event
 * loop (libuv 1.45 and later), and turns are long while thousands of connections want something: by a single socket a new
 * visitor waited ten seconds behind a flood (docs/decisions/0021-many-listening-sockets.md).
 */

import cluster from "node:cluster";
import type { Server } from "node:http";
import { type AddressInfo, createServer, type ListenOptions, type Server as SocketServer } from "node:net";
import { SERVER_LIMITS } from "../core/limits.ts";
import { closeIdle } from "./http-server.ts";

export interface Listening {
  port: number;
  /** Resolves when every connection has ended: idle ones at once, the others with their answers. */
  close(): Promise<void>;
}

function listenOn<S extends SocketServer>(server: S, options: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ backlog: SERVER_LIMITS.backlog, ...options }, () => {
      server.off("error", reject);
      // the address of a server that listens on a port is neither null nor a path
      resolve(server.address() as AddressInfo);
    });
  });
}

const closed = (server: SocketServer): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()));

/**
 * Sockets that share an address would share it with another service too: so it is looked first whether there is one.
 * @returns the port that is free: the one asked for, or any for 0
 * @throws what `listen` of `node:net` says, such as EADDRINUSE
 */
export async function freePort(options: ListenOptions): Promise<number> {
  const probe = createServer();
  const { port } = await listenOn(probe, options);
  await closed(probe);
  return port;
}

/** What it takes is the HTTP server's, as if it had taken it itself. */
const takingFor = (server: Server): SocketServer =>
  createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit("connection", socket));

/** Only Linux and a few others deal connections out to sockets that share an address; workers get theirs from the primary. */
const CAN_SHARE = process.platform === "linux" && !cluster.isWorker;

/**
 * @param port 0: any that is free
 * @throws what `listen` of `node:net` says, such as EADDRINUSE
 */
export async function listenFor(server: Server, address: { host: string; port: number }): Promise<Listening> {
  const options = CAN_SHARE ? { ...address, port: await freePort(address), reusePort: true } : address;
  const { port } = await listenOn(server, options);
  const others = Array.from({ length: CAN_SHARE ? SERVER_LIMITS.listeningSockets - 1 : 0 }, () =>
    takingFor(server),
  );
  // as many as the process may have files for
  const tried = await Promise.allSettled(others.map((other) => listenOn(other, options)));
  const listening = others.filter((_, index) => tried[index]?.status === "fulfilled");
  return { port, close: () => closeAll(server, listening) };
}

async function closeAll(server: Server, others: readonly SocketServer[]): Promise<void> {
  const patience = setTimeout(() => server.closeAllConnections(), SERVER_LIMITS.drainTimeoutMs);
  // a connection that is busy now is idle when its answer has left
  const sweep = setInterval(() => closeIdle(server), SERVER_LIMITS.drainSweepMs);
  const all = Promise.all([server, ...others].map(closed));
  closeIdle(server);
  await all;
  clearTimeout(patience);
  clearInterval(sweep);
}

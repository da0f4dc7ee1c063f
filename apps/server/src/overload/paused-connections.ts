/**
 * Backpressure on connections whose request was refused with 429 or 503 (docs/decisions/0011). The service pauses them, so their
 * next request waits in the kernel's buffer. Each turn of the event loop resumes some of them, the longest paused first. So refusals
 * leave time for the requests that are processed, and other connections are read at once.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Paused connections that a turn of the event loop reads again: two or three milliseconds of refusals. */
export const RESUMED_PER_TURN = 64;
/** Most turns of the event loop that a connection is paused: a few seconds when thousands are paused. */
export const MAX_PAUSED_TURNS = 128;

/** @returns a function that pauses the connection of a refused request until its turn comes */
export function createConnectionPauses(): (request: IncomingMessage) => void {
  /** The idle time-out of each, in ms. Node ends a connection after it, although the next request may wait in the buffer. */
  const paused = new Map<Socket, number>();
  let isScheduled = false;

  const scheduleTurn = () => {
    if (isScheduled || paused.size === 0) return;
    isScheduled = true;
    setImmediate(resumeSome);
  };
  const resumeSome = () => {
    isScheduled = false;
    let left = Math.max(RESUMED_PER_TURN, paused.size / MAX_PAUSED_TURNS);
    for (const [socket, timeoutMs] of paused) {
      if (left < 1) break;
      left -= 1;
      paused.delete(socket);
      socket.setTimeout(timeoutMs);
      socket.resume();
    }
    scheduleTurn();
  };
  const pause = (socket: Socket) => {
    if (socket.destroyed || paused.has(socket)) return;
    paused.set(socket, socket.timeout ?? 0);
    socket.setTimeout(0);
    socket.pause();
    scheduleTurn();
  };
  return (request) => {
    const { socket } = request;
    // a request resumes its connection until its body has been read
    if (request.closed) pause(socket);
    else request.once("close", () => pause(socket));
  };
}

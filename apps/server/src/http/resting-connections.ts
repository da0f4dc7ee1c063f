/**
 * Rests of connections whose request was refused because there are too many (docs/decisions/0011). Their next request
 * waits in the kernel's buffer. Each turn of the event loop reads some of them again, those first that have rested longest.
 * So refusals leave time for the requests that are processed, and connections without a refusal are read at once.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SERVER_LIMITS } from "../core/limits.ts";

const { readRefusedPerTurn, maxRestTurns } = SERVER_LIMITS;

/** @returns a function that lets the connection of a refused request rest */
export function createRests(): (request: IncomingMessage) => void {
  const resting = new Set<Socket>();
  let isScheduled = false;

  const scheduleTurn = () => {
    if (isScheduled || resting.size === 0) return;
    isScheduled = true;
    setImmediate(readSome).unref();
  };
  const readSome = () => {
    isScheduled = false;
    let left = Math.max(readRefusedPerTurn, resting.size / maxRestTurns);
    for (const socket of resting) {
      if (left < 1) break;
      left -= 1;
      resting.delete(socket);
      socket.resume();
    }
    scheduleTurn();
  };
  const rest = (socket: Socket) => {
    if (socket.destroyed) return;
    socket.pause();
    resting.add(socket);
    scheduleTurn();
  };
  return (request) => {
    const { socket } = request;
    // a request resumes its connection until its body has been read
    if (request.closed) rest(socket);
    else request.once("close", () => rest(socket));
  };
}

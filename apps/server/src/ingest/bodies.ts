/** Bodies that are still on their way: a slow client holds one of these places, and none of those of requests at work. */
import { LIMITS } from "@headwater/contract/limits";
import type { Body } from "../arrival.ts";
import { Refusal } from "../refusal.ts";

export interface Bodies {
  /** @throws Refusal 503 when this source or this address waits for too many bodies already */
  await(sourceId: string, clientKey: string, read: () => Promise<Body>): Promise<Body>;
}

/** How many hold a place, by who holds it. */
function createHolders(most: number) {
  const held = new Map<string, number>();
  return {
    isFull: (name: string) => (held.get(name) ?? 0) >= most,
    enter: (name: string) => held.set(name, (held.get(name) ?? 0) + 1),
    leave(name: string) {
      const left = held.get(name)! - 1;
      if (left === 0) held.delete(name);
      else held.set(name, left);
    },
  };
}

export function createBodies(): Bodies {
  const sources = createHolders(LIMITS.waitingBodiesOfSource);
  const clients = createHolders(LIMITS.waitingBodiesOfClient);
  let waiting = 0;
  return {
    async await(sourceId, clientKey, read) {
      if (waiting >= LIMITS.waitingBodies || sources.isFull(sourceId) || clients.isFull(clientKey))
        throw new Refusal("overloaded", {
          message: "Too many requests are waiting for the rest of their body.",
          hint: "Send the whole body at once; try again after Retry-After.",
        });
      waiting += 1;
      sources.enter(sourceId);
      clients.enter(clientKey);
      try {
        return await read();
      } finally {
        waiting -= 1;
        sources.leave(sourceId);
        clients.leave(clientKey);
      }
    },
  };
}

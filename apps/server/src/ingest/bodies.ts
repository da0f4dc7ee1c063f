/** Bodies that are still on their way: a slow client holds one of these places, and none of those of requests at work. */

import type { Body } from "../core/ingest-request.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { createHolders } from "./holders.ts";

export interface Bodies {
  /** @throws Refusal 503 when this source or this address waits for too many bodies already */
  await(sourceId: string, clientKey: string, read: () => Promise<Body>): Promise<Body>;
}

export function createBodies(): Bodies {
  const sources = createHolders();
  const clients = createHolders();
  let waiting = 0;
  return {
    async await(sourceId, clientKey, read) {
      const isFull =
        waiting >= SERVER_LIMITS.waitingBodies ||
        sources.heldBy(sourceId) >= SERVER_LIMITS.waitingBodiesOfSource ||
        clients.heldBy(clientKey) >= SERVER_LIMITS.waitingBodiesOfClient;
      if (isFull)
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

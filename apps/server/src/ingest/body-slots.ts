/** Bounds how many requests wait for the rest of their body. They take no slot of the requests that are processed. */
import { createAdmission } from "../core/admission.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";

export interface BodySlots {
  /**
   * Runs `work` in a slot.
   * @throws Refusal 503 when this source, this client or the whole node waits for too many bodies
   */
  run<T>(sourceId: string, clientKey: string, work: () => Promise<T>): Promise<T>;
}

export function createBodySlots(): BodySlots {
  const bySource = createAdmission({
    maxActive: SERVER_LIMITS.maxPendingBodies,
    maxActivePerKey: SERVER_LIMITS.maxPendingBodiesPerSource,
  });
  const byClient = createAdmission({ maxActivePerKey: SERVER_LIMITS.maxPendingBodiesPerClient });
  return {
    async run(sourceId, clientKey, work) {
      const releaseClient = byClient.tryEnter(clientKey);
      const releaseSource = releaseClient && bySource.tryEnter(sourceId);
      if (!releaseSource) {
        releaseClient?.();
        throw new Refusal("overloaded", {
          message: "Too many requests are waiting for the rest of their body.",
          hint: "Send the whole body at once; try again after Retry-After.",
        });
      }
      try {
        return await work();
      } finally {
        releaseClient();
        releaseSource();
      }
    },
  };
}

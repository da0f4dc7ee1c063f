/** The time that every deletion by age uses, and the report of a jump of the clock (`ledger/catalog/deletion-clock.ts`). */
import { HEADWATER } from "../core/command-name.ts";
import { HOUR_MS, SECOND_MS, toIsoTime } from "../core/time.ts";
import type { Ledger } from "../ledger/ledger.ts";

export type DeletionTime = ReturnType<typeof createDeletionTime>;

interface DeletionTimeDeps {
  ledger: Pick<Ledger, "deletionClock">;
  clock(): number;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

export function createDeletionTime({ ledger, clock, log }: DeletionTimeDeps) {
  let jumpMs = 0;

  const report = (trustedAt: number, seenAt: number, previousMs: number) => {
    const now = toIsoTime(seenAt);
    if (jumpMs === 0) {
      log.warn({ now }, "the clock is trusted again; deletions by age continue");
      return;
    }
    if (Math.abs(jumpMs - previousMs) < HOUR_MS) return;
    log.error(
      { now, before: toIsoTime(trustedAt), jumpSeconds: Math.round(jumpMs / SECOND_MS) },
      "the clock has jumped. No data is deleted by the new time until the service has run with it for a day. " +
        `If the new time is right, run \`${HEADWATER} accept-clock\`; if not, set the clock`,
    );
  };

  return {
    /** How far the clock has jumped ahead (negative: back). 0 when the clock is trusted. */
    jumpMs: () => jumpMs,
    /** Reads the clock. Call it for each deletion; never delete by another time. */
    read: async () => {
      const { trustedAt, seenAt, heldMs } = await ledger.deletionClock({ now: clock() });
      const previousMs = jumpMs;
      jumpMs = heldMs === null ? 0 : seenAt - trustedAt;
      if (jumpMs !== previousMs) report(trustedAt, seenAt, previousMs);
      // after a jump back, new rows have earlier times, and by the trusted time they would be deleted too soon
      return Math.min(trustedAt, seenAt);
    },
  };
}

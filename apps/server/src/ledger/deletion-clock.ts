/**
 * The clock by which expired data is deleted. A machine's clock may be wrong: after a jump ahead, data would be deleted that
 * must still be kept. So the ledger stores the time at which it last read the clock. When the clock is suddenly far from that
 * time, deletions go on by the clock from before the jump, until the service has run with the new time for a day or an operator
 * confirms it.
 */
import { DAY_MS, HOUR_MS } from "../core/time.ts";

export interface DeletionClock {
  /** The time that is trusted. After a jump it goes on from the time before the jump. */
  trustedAt: number;
  /** The clock when it was last read. */
  seenAt: number;
  /** For how long the service has run with the time after a jump; null: the clock is trusted. */
  heldMs: number | null;
}

/** The clock has jumped if it differs from the expected time by more than this. Shorter stops of the service are no jump. */
const JUMP_MS = DAY_MS;
/** After a jump, the new time is trusted when the service has run with it for this long. */
const HOLD_MS = DAY_MS;
/** The clock is read every minute. A pause longer than this counts as this much: nobody saw the clock during the pause. */
const MAX_STEP_MS = HOUR_MS;

/** @param clock null: the clock was never read */
export function readDeletionClock(clock: DeletionClock | null, now: number): DeletionClock {
  const trusted: DeletionClock = { trustedAt: now, seenAt: now, heldMs: null };
  if (clock === null) return trusted;
  const sinceSeenMs = now - clock.seenAt;
  const isContinuous = Math.abs(sinceSeenMs) <= JUMP_MS;
  const stepMs = isContinuous ? Math.min(Math.max(sinceSeenMs, 0), MAX_STEP_MS) : 0;
  const trustedAt = clock.trustedAt + stepMs;
  if (Math.abs(now - trustedAt) <= JUMP_MS) return trusted;
  const heldMs = isContinuous ? (clock.heldMs ?? 0) + stepMs : 0;
  return heldMs >= HOLD_MS ? trusted : { trustedAt, seenAt: now, heldMs };
}

/**
 * The clock by which data is deleted for its age. A machine's clock may be wrong: a jump ahead would delete what is still to be
 * kept. So the ledger stores the time that it has seen last. When the clock is suddenly far from it, nothing that the clock
 * before the jump would keep is deleted, until the service has run with the new time for a day or an operator confirms it.
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

/** A clock that is further off than this has jumped. A service that was stopped for a shorter time notices no jump. */
const JUMP_MS = DAY_MS;
/** A new time is trusted after it has held for this long. */
const HOLD_MS = DAY_MS;
/** The clock is read every minute. A longer pause counts as this much: it does not show that the time held. */
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

/**
 * The clock by which expired data is deleted. A machine's clock may be wrong: after a jump ahead, data would be deleted that
 * must still be kept. So the ledger stores the time at which it last read the clock. When the clock is suddenly far from that
 * time, deletions go on by the clock from before the jump, until the service has run with the new time for a day or an operator
 * confirms it. All nodes share it.
 */
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { CatalogDb, LeaseClock } from "./database.ts";
import type { CatalogTables } from "./schema.ts";

type DeletionClock = Omit<CatalogTables["deletionClock"], "one">;

/** The clock has jumped if it differs from the expected time by more than this. Shorter stops of the service are not a jump. */
const JUMP_MS = DAY_MS;
/** After a jump, the new time is trusted when the service has run with it for this long. */
const HOLD_MS = DAY_MS;
/** The clock is read every minute. A pause longer than this counts as this much: nobody saw the clock during the pause. */
const MAX_STEP_MS = HOUR_MS;

/** @param clock undefined: the clock was never read */
function readClock(clock: DeletionClock | undefined, now: number): DeletionClock {
  const trusted: DeletionClock = { trustedAt: now, seenAt: now, heldMs: null };
  if (clock === undefined) return trusted;
  const sinceSeenMs = now - clock.seenAt;
  const isContinuous = Math.abs(sinceSeenMs) <= JUMP_MS;
  const stepMs = isContinuous ? Math.min(Math.max(sinceSeenMs, 0), MAX_STEP_MS) : 0;
  const trustedAt = clock.trustedAt + stepMs;
  if (Math.abs(now - trustedAt) <= JUMP_MS) return trusted;
  const heldMs = isContinuous ? (clock.heldMs ?? 0) + stepMs : 0;
  return heldMs >= HOLD_MS ? trusted : { trustedAt, seenAt: now, heldMs };
}

/**
 * Reads the clock, and returns the clock by which expired data may be deleted. PostgreSQL uses the database's clock instead of
 * `now`.
 */
async function deletionClock(
  db: CatalogDb,
  { now }: { now: number },
  leaseClock: LeaseClock,
): Promise<DeletionClock> {
  const known = await db
    .selectFrom("deletionClock")
    .select(["trustedAt", "seenAt", "heldMs"])
    .executeTakeFirst();
  const time = await db.selectNoFrom(leaseClock(now).as("now")).executeTakeFirstOrThrow();
  const clock = readClock(known, time.now);
  await db
    .insertInto("deletionClock")
    .values({ one: 1, ...clock })
    .onConflict((conflict) => conflict.column("one").doUpdateSet(clock))
    .execute();
  return clock;
}

/** Trusts the clock from now on, although it has jumped. */
async function acceptClock(
  db: CatalogDb,
  asked: { now: number },
  leaseClock: LeaseClock,
): Promise<DeletionClock> {
  await db.deleteFrom("deletionClock").execute();
  return deletionClock(db, asked, leaseClock);
}

export const clockWrites = { deletionClock, acceptClock };

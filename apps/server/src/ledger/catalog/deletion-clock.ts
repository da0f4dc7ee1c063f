/** Stores the clock by which data is deleted (`ledger/deletion-clock.ts`). All nodes share it. */
import { type DeletionClock, readDeletionClock } from "../deletion-clock.ts";
import type { Argument, CatalogDb, LeaseClock } from "./database.ts";

async function store(db: CatalogDb, clock: DeletionClock): Promise<DeletionClock> {
  await db
    .insertInto("deletionClock")
    .values({ one: 1, ...clock })
    .onConflict((conflict) => conflict.column("one").doUpdateSet(clock))
    .execute();
  return clock;
}

const readNow = async (db: CatalogDb, leaseClock: LeaseClock, now: number): Promise<number> =>
  (await db.selectNoFrom(leaseClock(now).as("now")).executeTakeFirstOrThrow()).now;

export async function deletionClock(
  db: CatalogDb,
  leaseClock: LeaseClock,
  { now }: Argument<"deletionClock">,
): Promise<DeletionClock> {
  const known = await db
    .selectFrom("deletionClock")
    .select(["trustedAt", "seenAt", "heldMs"])
    .executeTakeFirst();
  return store(db, readDeletionClock(known ?? null, await readNow(db, leaseClock, now)));
}

export async function acceptClock(
  db: CatalogDb,
  leaseClock: LeaseClock,
  { now }: Argument<"acceptClock">,
): Promise<DeletionClock> {
  return store(db, readDeletionClock(null, await readNow(db, leaseClock, now)));
}

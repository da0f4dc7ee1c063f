/** The mark of a ledger that is on its way to PostgreSQL, or has arrived there: it is not served from any more. */
import type { DatabaseSync } from "node:sqlite";

export interface MoveMark {
  /** The same stands in the database that it moves to. */
  moveId: string;
  isFinished: boolean;
}

/** The sentence says what to do. */
export class MovedLedger extends Error {
  override readonly name = "MovedLedger";
}

export function moveMarkOf(ledger: DatabaseSync): MoveMark | null {
  const row = ledger.prepare("select move_id as moveId, finished_at as finishedAt from move_mark").get();
  return row ? { moveId: row.moveId as string, isFinished: row.finishedAt !== null } : null;
}

export const markMoving = (ledger: DatabaseSync, moveId: string, now: number): void =>
  void ledger.prepare("insert into move_mark values (1, ?, ?, null) on conflict do nothing").run(moveId, now);

export const markMoved = (ledger: DatabaseSync, now: number): void =>
  void ledger.prepare("update move_mark set finished_at = coalesce(finished_at, ?)").run(now);

/** The ledger stays here; false: it was not on its way. */
export const unmark = (ledger: DatabaseSync): boolean =>
  ledger.prepare("delete from move_mark").run().changes > 0;

const GIVE_UP = "To serve from DATA_DIR after all, run `headwater move --give-up`";

/** @throws MovedLedger */
export function refuseMoved(ledger: DatabaseSync): void {
  const mark = moveMarkOf(ledger);
  if (!mark) return;
  throw new MovedLedger(
    mark.isFinished
      ? `The ledger in DATA_DIR has moved to PostgreSQL: set DATABASE_URL to that database. ${GIVE_UP}; what was accepted there since is not known here.`
      : `The ledger in DATA_DIR is on its way to PostgreSQL: run \`headwater move --to …\` again, then set DATABASE_URL. ${GIVE_UP}.`,
  );
}

/** Marks a ledger that is moving to PostgreSQL or has moved there. A marked ledger is not served. */
import type { DatabaseSync } from "node:sqlite";

export interface MoveMark {
  /** The target database stores the same id. */
  moveId: string;
  isFinished: boolean;
}

/** The ledger is marked. The message says what to do. */
export class MovedLedger extends Error {
  override readonly name = "MovedLedger";
}

export function readMoveMark(ledger: DatabaseSync): MoveMark | null {
  const row = ledger.prepare("select move_id as moveId, finished_at as finishedAt from move_mark").get();
  return row ? { moveId: String(row.moveId), isFinished: row.finishedAt !== null } : null;
}

/** Does nothing when the ledger is marked already. */
export const markMoving = (ledger: DatabaseSync, moveId: string, now: number): void =>
  void ledger.prepare("insert into move_mark values (1, ?, ?, null) on conflict do nothing").run(moveId, now);

export const markMoved = (ledger: DatabaseSync, now: number): void =>
  void ledger.prepare("update move_mark set finished_at = coalesce(finished_at, ?)").run(now);

/** @returns false when the ledger was not marked */
export const removeMoveMark = (ledger: DatabaseSync): boolean =>
  ledger.prepare("delete from move_mark").run().changes > 0;

const GIVE_UP = "To serve from DATA_DIR after all, run `headwater move --give-up`";

/** @throws MovedLedger */
export function refuseMoved(ledger: DatabaseSync): void {
  const mark = readMoveMark(ledger);
  if (!mark) return;
  throw new MovedLedger(
    mark.isFinished
      ? `The ledger in DATA_DIR has moved to PostgreSQL. Set DATABASE_URL to that database. ${GIVE_UP}; events accepted by PostgreSQL since then will be missing.`
      : `The ledger in DATA_DIR is moving to PostgreSQL. Run \`headwater move --to …\` again, then set DATABASE_URL. ${GIVE_UP}.`,
  );
}

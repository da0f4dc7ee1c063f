/** Renders, masks and writes attempts. `writeHere` does it in this thread; a ledger on SQLite does it in its attempts thread. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AttemptLedger } from "../ledger/ledger.ts";
import type { AttemptCount, AttemptRow } from "../ledger/records.ts";
import { type FinishedAttempt, renderEach, rowOf } from "./render.ts";

export interface AttemptBatch {
  attempts: readonly FinishedAttempt[];
  counts: AttemptCount[];
}
/** Resolves with the number of attempts that were written. Attempts that cannot be rendered are skipped and not counted. */
export type WriteAttempts = (batch: AttemptBatch) => Promise<number>;

/** @param slice the number of attempts that are rendered without a pause for the event loop */
export const writeHere =
  (ledger: AttemptLedger, slice: number): WriteAttempts =>
  async ({ attempts, counts }) => {
    const rows: AttemptRow[] = [];
    for (let start = 0; start < attempts.length; start += slice) {
      if (start > 0) await nextTurn();
      rows.push(...renderEach(attempts.slice(start, start + slice), rowOf));
    }
    await ledger.recordAttempts({ rows, counts });
    return rows.length;
  };

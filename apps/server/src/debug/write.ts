/** Rendered and masked, then written: in this process, a few attempts a turn, or wherever the wiring has it done. */

import type { AttemptCount, AttemptRow } from "../core/records.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import { type FinishedAttempt, rowOf, rowsOf } from "./render.ts";

export interface AttemptBatch {
  attempts: readonly FinishedAttempt[];
  counts: AttemptCount[];
}
/** Resolves with the number of attempts that were written: one that cannot be rendered is not. */
export type WriteAttempts = (batch: AttemptBatch) => Promise<number>;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** @param slice attempts rendered in one turn of the event loop */
export const writeHere =
  (ledger: AttemptLedger, slice: number): WriteAttempts =>
  async ({ attempts, counts }) => {
    const rows: AttemptRow[] = [];
    for (let at = 0; at < attempts.length; at += slice) {
      if (at > 0) await turn();
      rows.push(...rowsOf(attempts.slice(at, at + slice), rowOf));
    }
    await ledger.recordAttempts({ rows, counts });
    return rows.length;
  };

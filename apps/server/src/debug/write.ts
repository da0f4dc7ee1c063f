/** Rendered and masked, then written: in this process, a few attempts a turn, or wherever the wiring has it done. */
import type { AttemptLedger } from "../ledger/ledger.ts";
import type { AttemptCount, AttemptRow } from "../ledger/records.ts";
import { type FinishedAttempt, rowOf, rowsOf } from "./render.ts";
import type { RecorderLimits } from "./sampling.ts";

export interface AttemptBatch {
  attempts: readonly FinishedAttempt[];
  counts: AttemptCount[];
}
export interface AttemptWriter {
  /** Attempts that a batch has at most. */
  atOnce: number;
  /** Resolves with the number of attempts that were written: one that cannot be rendered is not. */
  write(batch: AttemptBatch): Promise<number>;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export const writeHere = (
  ledger: AttemptLedger,
  { sliceAttempts, batchRows }: Pick<RecorderLimits, "sliceAttempts" | "batchRows">,
): AttemptWriter => ({
  atOnce: batchRows,
  async write({ attempts, counts }) {
    const rows: AttemptRow[] = [];
    for (let at = 0; at < attempts.length; at += sliceAttempts) {
      if (at > 0) await turn();
      rows.push(...rowsOf(attempts.slice(at, at + sliceAttempts), rowOf));
    }
    await ledger.recordAttempts({ rows, counts });
    return rows.length;
  },
});

/** What the ledger has counted of a source's events, those that wait in the outbox included. */
import { isDeepStrictEqual } from "node:util";
import type { CountedDay, Ledger } from "../ledger/ledger.ts";
import { countDays } from "../shipping/count-days.ts";

export type CountingLedger = Pick<Ledger, "countedDays" | "readOutbox">;

/** Outbox rows that are read at once. */
const OUTBOX_ROWS = 100;
/** Rows of a read that may be repeated: a moment's work. While more wait, pages are shipped without a pause. */
const MAX_ROWS_AGAIN = 2_000;
const MAX_TRIES = 5;

interface WaitingEvents {
  readonly days: ReadonlyMap<number, number>;
  /** Rows of the outbox. */
  readonly rows: number;
}

/** The source's events in the outbox, by day. */
async function countWaiting(
  { readOutbox }: Pick<Ledger, "readOutbox">,
  sourceId: string,
): Promise<WaitingEvents> {
  const days = new Map<number, number>();
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await readOutbox({ sourceId, after, limit: OUTBOX_ROWS });
    const counts = await countDays({ parts: rows.map(({ part }) => part) });
    for (const { day, events } of counts.filter((count) => count.sourceId === sourceId))
      days.set(day, (days.get(day) ?? 0) + events);
    const last = rows.at(-1);
    if (!last) return { days, rows: count };
    count += rows.length;
    after = last.seq;
  }
}

interface LedgerCounts {
  readonly waiting: ReadonlyMap<number, number>;
  readonly counted: readonly CountedDay[];
}

/** Counts again when events have left the outbox meanwhile: they were perhaps counted twice. @param span.to the last day */
export async function countInLedger(
  ledger: CountingLedger,
  span: { sourceId: string; from: number; to: number },
): Promise<LedgerCounts> {
  let counted = await ledger.countedDays(span);
  for (let tries = 1; ; tries += 1) {
    const before = counted;
    const { days: waiting, rows } = await countWaiting(ledger, span.sourceId);
    counted = await ledger.countedDays(span);
    const isExact = isDeepStrictEqual(before, counted);
    if (isExact || rows > MAX_ROWS_AGAIN || tries === MAX_TRIES) return { waiting, counted };
  }
}

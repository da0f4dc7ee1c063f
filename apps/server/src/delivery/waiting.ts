/** What the ledger has counted of a source's events, those that wait in the outbox included. */
import { isDeepStrictEqual } from "node:util";
import type { CountedDay, Ledger } from "../ledger/ledger.ts";
import type { WaitingSlice } from "../ledger/records.ts";
import type { DayCount } from "../ledger/warehouse-report.ts";
import { countDays } from "../shipping/count-days.ts";

export type CountingLedger = Pick<Ledger, "countedDays" | "readOutbox" | "waitingDays">;

/** Rows of a read that may be repeated: a moment's work. While more wait, pages are shipped without a pause. */
const MAX_ROWS_AGAIN = 2_000;
const MAX_TRIES = 5;

interface WaitingEvents {
  readonly days: ReadonlyMap<number, number>;
  /** Rows of the outbox. */
  readonly rows: number;
}

/** Counts the source's events in rows that have to be read. Some may have left the outbox. */
async function countUnread(
  { readOutbox }: Pick<Ledger, "readOutbox">,
  sourceId: string,
  unread: readonly number[],
): Promise<DayCount[]> {
  const counts: DayCount[] = [];
  for (const seq of unread) {
    const rows = await readOutbox({ sourceId, after: seq - 1, limit: 1 });
    const parts = rows.filter((row) => row.seq === seq).map(({ part }) => part);
    counts.push(...(await countDays({ parts })));
  }
  return counts.filter((count) => count.sourceId === sourceId);
}

/** The source's events in the outbox, by day. */
async function countWaiting(ledger: CountingLedger, sourceId: string): Promise<WaitingEvents> {
  const days = new Map<number, number>();
  let rows = 0;
  for (let after: number | null = 0; after !== null; ) {
    const slice: WaitingSlice = await ledger.waitingDays({ sourceId, after });
    const counts = [...slice.days, ...(await countUnread(ledger, sourceId, slice.unread))];
    for (const { day, events } of counts) days.set(day, (days.get(day) ?? 0) + events);
    rows += slice.rows;
    after = slice.last;
  }
  return { days, rows };
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

/** Erases visitors from the outbox and the debug history, a slice of one source's rows at a time. */
import type pg from "pg";
import type { Ledger } from "../ledger.ts";
import { buildPayload, joinLines, readLines } from "../outbox-payload.ts";
import type { Cursor } from "../records.ts";
import { createAttemptFilter, type RecordedAttempt } from "../visitor-attempts.ts";
import { type KeptLines, removeVisitors, sourcesOf, visitorsIn } from "../visitors.ts";
import { withOutboxLock } from "./transaction.ts";

/** Rows are locked while they are rewritten, so a slice is small. */
const SLICE_ROWS = 50;
const SLICE_ATTEMPTS = 100;

const LAST_SEQ = "select coalesce(max(seq), 0) as last from outbox where source_id = $1";
/** No node seals rows meanwhile (`withOutboxLock`). The select waits for a row that is being deleted, and then leaves it out. */
const OUTBOX_ROWS = `select seq, events, skipped, payload from outbox
  where source_id = $1 and seq > $2 and seq <= $3 and (page_id is null or $4)
  order by seq limit ${SLICE_ROWS} for update`;
const REWRITE =
  "update outbox set events = $3, payload = $4, skipped = '{}' where source_id = $1 and seq = $2";
const DELETE = "delete from outbox where source_id = $1 and seq = $2";
const ADD_ERASED = `insert into shipped_days (source_id, day, shipped, removed, expired, erased_waiting) values ($1, $2, 0, 0, 0, $3)
  on conflict (source_id, day) do update set erased_waiting = shipped_days.erased_waiting + excluded.erased_waiting`;
const SUBTRACT = "update outbox_totals set events = events - $2, bytes = bytes - $3 where source_id = $1";

const ATTEMPTS = `select seq, received_at as "receivedAt", anonymous_id as "anonymousId", record from attempts
  where source_id = $1 and seq > $2 order by seq limit ${SLICE_ATTEMPTS}`;
const DELETE_ATTEMPTS = `with gone as (
    delete from attempts where source_id = $1 and seq = any($2) returning bytes
  )
  update attempt_totals set bytes = bytes - (select coalesce(sum(bytes), 0) from gone)`;

interface RewrittenRow {
  seq: number;
  events: number;
  skipped: number[];
  payload: Buffer;
}

async function rewrite(
  client: pg.PoolClient,
  sourceId: string,
  row: RewrittenRow,
  { kept, days }: KeptLines,
) {
  const packed = kept.length === 0 ? null : await buildPayload(joinLines(kept), days);
  if (packed) await client.query(REWRITE, [sourceId, row.seq, kept.length, packed]);
  else await client.query(DELETE, [sourceId, row.seq]);
  const freedBytes = row.payload.length - (packed?.length ?? 0);
  await client.query(SUBTRACT, [sourceId, row.events - kept.length, freedBytes]);
}

export const erasureMethods = (pool: pg.Pool): Pick<Ledger, "eraseOutbox" | "eraseAttempts"> => ({
  eraseOutbox: async ({ visitors, after, sealed }) => {
    const { sourceIndex = 0, afterSeq = 0, upToSeq } = after ?? {};
    const sourceId = sourcesOf(visitors)[sourceIndex];
    if (sourceId === undefined) return { next: null };
    const visitorsOfSource = visitorsIn(visitors, sourceId);
    return withOutboxLock(pool, async (client) => {
      const upTo: number = upToSeq ?? (await client.query(LAST_SEQ, [sourceId])).rows[0].last;
      const { rows } = await client.query<RewrittenRow>(OUTBOX_ROWS, [sourceId, afterSeq, upTo, sealed]);
      for (const row of rows) {
        const all = await readLines({ payload: row.payload, skipped: [] });
        const removed = removeVisitors(all, row.skipped, visitorsOfSource);
        if (!removed) continue;
        await rewrite(client, sourceId, row, removed);
        for (const { day, events } of removed.erased) await client.query(ADD_ERASED, [sourceId, day, events]);
      }
      const last = rows.length < SLICE_ROWS ? undefined : rows.at(-1);
      const next: Cursor = last
        ? { sourceIndex, afterSeq: last.seq, upToSeq: upTo }
        : { sourceIndex: sourceIndex + 1 };
      return { next };
    });
  },

  eraseAttempts: async ({ visitors, after }) => {
    const { sourceIndex = 0, afterSeq = 0 } = after ?? {};
    const sourceId = sourcesOf(visitors)[sourceIndex];
    if (sourceId === undefined) return { next: null };
    const isWanted = createAttemptFilter(visitorsIn(visitors, sourceId));
    const { rows } = await pool.query<RecordedAttempt & { seq: number }>(ATTEMPTS, [sourceId, afterSeq]);
    const erased = rows.filter(isWanted).map(({ seq }) => seq);
    if (erased.length > 0) await pool.query(DELETE_ATTEMPTS, [sourceId, erased]);
    const last = rows.length < SLICE_ATTEMPTS ? undefined : rows.at(-1);
    return { next: last ? { sourceIndex, afterSeq: last.seq } : { sourceIndex: sourceIndex + 1 } };
  },
});

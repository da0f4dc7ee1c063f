/** Visitors that are erased: who is to be, and what that takes out of sessions and outbox, a source's slice at a call. */
import type pg from "pg";
import type { Cursor, OpenErasure, VisitorToErase } from "../../core/records.ts";
import type { ErasureLedger } from "../ledger.ts";
import { buildPayload, joinLines, type OutboxLine, readLines } from "../outbox-payload.ts";
import { createAttemptFilter, type RecordedAttempt } from "../visitor-attempts.ts";
import { removeVisitors, sourcesOf, visitorsIn } from "../visitors.ts";
import { changingOutbox } from "./transactions.ts";

/** Rows are held while they are rewritten. */
const SLICE_ROWS = 50;
const SLICE_SESSIONS = 5_000;
const SLICE_ATTEMPTS = 100;

/** Claims pass by the database's clock, which all nodes share. */
const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
const TAKE = `with free as (
    select receipt_id from erasures where finished_at is null and claimed_until <= ${NOW}
    order by claimed_until, requested_at, receipt_id limit $2 for update skip locked
  )
  update erasures e set claimed_until = ${NOW} + $1 from free where e.receipt_id = free.receipt_id
  returning e.receipt_id, e.kind, e.visitor_id, e.status, e.pages, e.requested_at,
    coalesce((select json_agg(s.source_id) from sources s where s.organization_id = e.organization_id
      and (e.source_id is null or s.source_id = e.source_id)), '[]') as source_ids`;
const HOLD = `update erasures set claimed_until = ${NOW} + $2
  where receipt_id = any($1) and finished_at is null`;
const MOVE = `update erasures set status = $2, pages = $3, finished_at = case $2 when 'done' then $4::bigint end,
    visitor_id = case $2 when 'done' then null else visitor_id end
  where receipt_id = any($1) and status = $5 and finished_at is null`;

const SESSIONS = `with slice as (
    select session_id, anonymous_id, user_id, started_at from sessions where source_id = $1 and session_id > $2
    order by session_id limit ${SLICE_SESSIONS}
  ), gone as (
    delete from sessions where source_id = $1 and session_id in (
      select session_id from slice join json_to_recordset($3) as v (kind text, id text, until bigint)
        on started_at <= v.until
          and (v.kind = 'userId' and user_id = v.id or v.kind <> 'userId' and anonymous_id = v.id))
    returning session_id
  )
  select (select coalesce(json_agg(session_id), '[]') from gone) as erased, count(*) as seen, max(session_id) as last
  from slice`;

/** Nobody seals meanwhile; a row that is being deleted is waited for, and is not among them. */
const waiting = (sealed: boolean) => `select seq, events, skipped, payload from outbox
  where source_id = $1 and seq > $2 and seq <= $3 ${sealed ? "" : "and page_id is null"}
  order by seq limit ${SLICE_ROWS} for update`;
const SUBTRACT = "update outbox_totals set events = events - $2, bytes = bytes - $3 where source_id = $1";

const ATTEMPTS = `select seq, received_at as "receivedAt", anonymous_id as "anonymousId", record from attempts
  where source_id = $1 and seq > $2 order by seq limit ${SLICE_ATTEMPTS}`;
const DELETE_ATTEMPTS = `with gone as (
    delete from attempts where source_id = $1 and seq = any($2) returning bytes
  )
  update attempt_totals set bytes = bytes - (select coalesce(sum(bytes), 0) from gone)`;

interface OpenRow {
  receipt_id: string;
  kind: VisitorToErase["kind"];
  visitor_id: string;
  status: OpenErasure["status"];
  pages: string;
  requested_at: number;
  source_ids: string[];
}
interface WaitingRow {
  seq: number;
  events: number;
  skipped: number[];
  payload: Buffer;
}

type AttemptOfSlice = RecordedAttempt & { seq: number };

const openOf = (row: OpenRow): OpenErasure => ({
  receiptId: row.receipt_id,
  status: row.status,
  pages: JSON.parse(row.pages) as string[],
  visitor: { sourceIds: row.source_ids, kind: row.kind, id: row.visitor_id, until: row.requested_at },
});

async function rewrite(client: pg.PoolClient, sourceId: string, row: WaitingRow, lines: OutboxLine[]) {
  const packed = lines.length === 0 ? null : await buildPayload(joinLines(lines));
  if (packed) {
    const values = [sourceId, row.seq, lines.length, packed];
    await client.query(
      "update outbox set events = $3, payload = $4, skipped = '{}' where source_id = $1 and seq = $2",
      values,
    );
  } else await client.query("delete from outbox where source_id = $1 and seq = $2", [sourceId, row.seq]);
  const freed = [row.events - lines.length, row.payload.length - (packed?.length ?? 0)];
  await client.query(SUBTRACT, [sourceId, ...freed]);
}

export const erasureVerbs = (pool: pg.Pool): ErasureLedger => ({
  claimErasures: async ({ leaseMs, limit }) =>
    (await pool.query<OpenRow>(TAKE, [leaseMs, limit])).rows.map(openOf),
  renewErasureLeases: async ({ receiptIds, leaseMs }) => void (await pool.query(HOLD, [receiptIds, leaseMs])),
  advanceErasures: async ({ receiptIds, from, status, pages, now }) =>
    void (await pool.query(MOVE, [receiptIds, status, JSON.stringify(pages), now, from])),

  eraseSessions: async ({ visitors, after }) => {
    const { sourceIndex = 0, afterSessionId = "" } = after ?? {};
    const sourceId = sourcesOf(visitors)[sourceIndex];
    if (sourceId === undefined) return { erased: [], next: null };
    const wanted = JSON.stringify(visitorsIn(visitors, sourceId));
    const { erased, ...slice } = (await pool.query(SESSIONS, [sourceId, afterSessionId, wanted])).rows[0];
    const isLast = slice.seen < SLICE_SESSIONS;
    const next: Cursor = isLast
      ? { sourceIndex: sourceIndex + 1 }
      : { sourceIndex, afterSessionId: slice.last };
    return { erased: erased.map((sessionId: string) => ({ sourceId, sessionId })), next };
  },

  eraseOutbox: async ({ visitors, after, sealed }) => {
    const { sourceIndex = 0, afterSeq = 0, upToSeq } = after ?? {};
    const sourceId = sourcesOf(visitors)[sourceIndex];
    if (sourceId === undefined) return { next: null };
    const own = visitorsIn(visitors, sourceId);
    return changingOutbox(pool, async (client) => {
      const newest = "select coalesce(max(seq), 0) as last from outbox where source_id = $1";
      const upTo = upToSeq ?? (await client.query(newest, [sourceId])).rows[0].last;
      const { rows } = await client.query<WaitingRow>(waiting(sealed), [sourceId, afterSeq, upTo]);
      for (const row of rows) {
        const all = await readLines({ payload: row.payload, skipped: [] });
        const lines = removeVisitors(all, row.skipped, own);
        if (lines) await rewrite(client, sourceId, row, lines);
      }
      const last = rows.length < SLICE_ROWS ? undefined : rows.at(-1);
      const next = last
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
    const { rows } = await pool.query<AttemptOfSlice>(ATTEMPTS, [sourceId, afterSeq]);
    const gone = rows.filter(isWanted).map(({ seq }) => seq);
    if (gone.length > 0) await pool.query(DELETE_ATTEMPTS, [sourceId, gone]);
    const last = rows.length < SLICE_ATTEMPTS ? undefined : rows.at(-1);
    return { next: last ? { sourceIndex, afterSeq: last.seq } : { sourceIndex: sourceIndex + 1 } };
  },
  retentions: async () =>
    (
      await pool.query(
        `select source_id as "sourceId", retention_days as "retentionDays" from sources where retention_days is not null`,
      )
    ).rows,
  sealedPages: async () =>
    (await pool.query("select page_id from outbox_pages")).rows.map(({ page_id: pageId }) => pageId),
});

/** Visitors that are erased: who is to be, and what that takes out of sessions and outbox, a slice at a call. */
import type { DatabaseSync } from "node:sqlite";
import type { Cursor, OpenErasure, VisitorToErase } from "../../core/records.ts";
import type { ErasureLedger } from "../ledger.ts";
import { buildPayloadSync, joinLines, type OutboxLine, readLinesSync } from "../outbox-payload.ts";
import { removeVisitors, sourcesOf, visitorsIn } from "../visitors.ts";
import { inTransaction } from "./transaction.ts";

/** Compressed: some tens of milliseconds of the ledger's thread. */
const SLICE_BYTES = 1_048_576;
const SLICE_ROWS = 500;
const SLICE_SESSIONS = 5_000;

interface OpenRow {
  receipt_id: string;
  kind: VisitorToErase["kind"];
  visitor_id: string;
  status: OpenErasure["status"];
  pages: string;
  requested_at: number;
  source_ids: string;
}
interface WaitingRow {
  seq: number;
  events: number;
  payload: Uint8Array;
}
interface SessionRow {
  session_id: string;
  anonymous_id: string;
  user_id: string | null;
  started_at: number;
}

const openOf = (row: OpenRow): OpenErasure => ({
  receiptId: row.receipt_id,
  status: row.status,
  pages: JSON.parse(row.pages) as string[],
  visitor: {
    sourceIds: JSON.parse(row.source_ids) as string[],
    kind: row.kind,
    id: row.visitor_id,
    until: row.requested_at,
  },
});

const isSessionOf = (row: SessionRow, visitors: readonly VisitorToErase[]): boolean =>
  visitors.some(
    ({ kind, id, until }) =>
      row.started_at <= until && (kind === "userId" ? row.user_id : row.anonymous_id) === id,
  );

type Verbs = {
  [V in Exclude<keyof ErasureLedger, "eraseAttempts">]: (
    ...given: Parameters<ErasureLedger[V]>
  ) => Awaited<ReturnType<ErasureLedger[V]>>;
};

export function prepareErasures(database: DatabaseSync): Verbs {
  const open = database.prepare(
    `select e.*, (select json_group_array(s.source_id) from sources s where s.organization_id = e.organization_id
       and (e.source_id is null or s.source_id = e.source_id)) as source_ids
     from erasures e where finished_at is null and claimed_until <= ?
     order by claimed_until, requested_at, receipt_id limit ?`,
  );
  const claim = database.prepare(
    "update erasures set claimed_until = ? where receipt_id = ? and finished_at is null",
  );
  const move = database.prepare(
    `update erasures set status = ?2, pages = ?3, finished_at = iif(?2 = 'done', ?4, null),
       visitor_id = iif(?2 = 'done', null, visitor_id)
     where receipt_id = ?1 and status = ?5 and finished_at is null`,
  );
  const retentions = database.prepare(
    `select source_id as sourceId, retention_days as retentionDays from sources where retention_days is not null`,
  );
  const pages = database.prepare("select page_id from outbox_pages");
  const sessions = database.prepare(
    `select session_id, anonymous_id, user_id, started_at from sessions
     where source_id = ? and session_id > ? order by session_id limit ${SLICE_SESSIONS}`,
  );
  const deleteSession = database.prepare("delete from sessions where source_id = ? and session_id = ?");
  const bounds = database.prepare(
    `select coalesce((select max(seq) from outbox), 0) as last,
       coalesce((select max(last_seq) from outbox_pages), 0) as sealed`,
  );
  const waiting = database.prepare(
    `select seq, events, payload from outbox where seq > ? and seq <= ? order by seq limit ${SLICE_ROWS}`,
  );
  const rewrite = database.prepare("update outbox set events = ?, payload = ? where seq = ?");
  const remove = database.prepare("delete from outbox where seq = ?");
  const subtract = database.prepare("update outbox_totals set events = events - ?, bytes = bytes - ?");

  const slice = (from: number, upTo: number): WaitingRow[] => {
    const rows: WaitingRow[] = [];
    let bytes = 0;
    for (const row of waiting.iterate(from, upTo) as Iterable<unknown> as Iterable<WaitingRow>) {
      rows.push(row);
      bytes += row.payload.length;
      if (bytes >= SLICE_BYTES) break;
    }
    return rows;
  };

  const keepLines = ({ seq, events, payload }: WaitingRow, lines: OutboxLine[]) => {
    const packed = lines.length === 0 ? null : buildPayloadSync(joinLines(lines));
    if (packed) rewrite.run(lines.length, packed, seq);
    else remove.run(seq);
    subtract.run(events - lines.length, payload.length - (packed?.length ?? 0));
  };

  // whoever claimed them is gone: a ledger has one process
  database.exec("update erasures set claimed_until = 0 where claimed_until > 0");

  return {
    claimErasures: ({ now, leaseMs, limit }) =>
      inTransaction(database, () => {
        const found = (open.all(now, limit) as unknown as OpenRow[]).map(openOf);
        for (const { receiptId } of found) claim.run(now + leaseMs, receiptId);
        return found;
      }),

    renewErasureLeases: ({ receiptIds, now, leaseMs }) =>
      inTransaction(database, () => {
        for (const receiptId of receiptIds) claim.run(now + leaseMs, receiptId);
      }),

    advanceErasures: ({ receiptIds, from, status, pages: awaited, now }) =>
      inTransaction(database, () => {
        for (const receiptId of receiptIds) move.run(receiptId, status, JSON.stringify(awaited), now, from);
      }),

    eraseSessions: ({ visitors, after }) =>
      inTransaction(database, () => {
        const { sourceIndex = 0, afterSessionId = "" } = after ?? {};
        const sourceId = sourcesOf(visitors)[sourceIndex];
        if (sourceId === undefined) return { erased: [], next: null };
        const rows = sessions.all(sourceId, afterSessionId) as unknown as SessionRow[];
        const own = visitorsIn(visitors, sourceId);
        const gone = rows.filter((row) => isSessionOf(row, own));
        for (const { session_id: sessionId } of gone) deleteSession.run(sourceId, sessionId);
        const last = rows.length < SLICE_SESSIONS ? undefined : rows.at(-1);
        const next: Cursor = last
          ? { sourceIndex, afterSessionId: last.session_id }
          : { sourceIndex: sourceIndex + 1 };
        return { erased: gone.map(({ session_id: sessionId }) => ({ sourceId, sessionId })), next };
      }),

    eraseOutbox: ({ visitors, after, sealed }) =>
      inTransaction(database, () => {
        const bound = bounds.get() as { last: number; sealed: number };
        const { afterSeq: from = 0, upToSeq: upTo = bound.last } = after ?? {};
        const rows = slice(sealed ? from : Math.max(from, bound.sealed), upTo);
        for (const row of rows) {
          const lines = removeVisitors(readLinesSync({ payload: row.payload, skipped: [] }), [], visitors);
          if (lines) keepLines(row, lines);
        }
        const last = rows.at(-1);
        return {
          next: last && last.seq < upTo ? { sourceIndex: 0, afterSeq: last.seq, upToSeq: upTo } : null,
        };
      }),

    retentions: () =>
      retentions.all().map((row) => ({ ...row })) as { sourceId: string; retentionDays: number }[],
    sealedPages: () => pages.all().map(({ page_id: pageId }) => pageId as string),
  };
}

/** Erasures of visitors on SQLite: the receipts, and deleting a visitor's sessions and outbox events one slice a call. */
import type { Cursor, OpenErasure, SourceRetention, VisitorToErase } from "../../core/records.ts";
import type { ErasedSessions, ErasureLedger, ErasureSlice } from "../ledger.ts";
import { buildPayloadSync, joinLines, type OutboxLine, readLinesSync } from "../outbox-payload.ts";
import { belongsTo, removeVisitors, sourcesOf, visitorsIn } from "../visitors.ts";
import { SUBTRACT_TOTALS } from "./outbox.ts";
import type { Statements, Synchronous } from "./statements.ts";

/** A slice takes the ledger's thread some tens of milliseconds. Bytes are compressed. */
const SLICE_BYTES = 1_048_576;
const SLICE_ROWS = 500;
const SLICE_SESSIONS = 5_000;

const OPEN = `
  select e.*, (select json_group_array(s.source_id) from sources s where s.organization_id = e.organization_id
    and (e.source_id is null or s.source_id = e.source_id)) as source_ids
  from erasures e where finished_at is null and claimed_until <= ?
  order by claimed_until, requested_at, receipt_id limit ?`;
const CLAIM = "update erasures set claimed_until = ? where receipt_id = ? and finished_at is null";
const MOVE = `
  update erasures set status = ?2, pages = ?3, finished_at = iif(?2 = 'done', ?4, null),
    visitor_id = iif(?2 = 'done', null, visitor_id)
  where receipt_id = ?1 and status = ?5 and finished_at is null`;
/** A ledger on SQLite has one process: after a start nobody holds a claim. */
const CLEAR_CLAIMS = "update erasures set claimed_until = 0 where claimed_until > 0";

const SESSIONS = `
  select session_id as sessionId, anonymous_id as anonymousId, user_id as userId, started_at as at from sessions
  where source_id = ? and session_id > ? order by session_id limit ${SLICE_SESSIONS}`;
const DELETE_SESSION = "delete from sessions where source_id = ? and session_id = ?";

const LAST_ROWS = `
  select coalesce((select max(seq) from outbox), 0) as last,
    coalesce((select max(last_seq) from outbox_pages), 0) as lastSealed`;
const OUTBOX_ROWS = `select seq, events, payload from outbox where seq > ? and seq <= ? order by seq limit ${SLICE_ROWS}`;
const REWRITE_ROW = "update outbox set events = ?, payload = ? where seq = ?";
const DELETE_ROW = "delete from outbox where seq = ?";

const RETENTIONS = `
  select source_id as sourceId, retention_days as retentionDays from sources where retention_days is not null`;

interface ErasureRow {
  receipt_id: string;
  kind: VisitorToErase["kind"];
  visitor_id: string;
  status: OpenErasure["status"];
  pages: string;
  requested_at: number;
  source_ids: string;
}
interface ErasedRow {
  seq: number;
  events: number;
  payload: Uint8Array;
}
interface ErasedSession {
  sessionId: string;
  anonymousId: string;
  userId: string | null;
  /** When it started. */
  at: number;
}

const toOpenErasure = (row: ErasureRow): OpenErasure => ({
  receiptId: row.receipt_id,
  status: row.status,
  pages: JSON.parse(row.pages),
  visitor: {
    sourceIds: JSON.parse(row.source_ids),
    kind: row.kind,
    id: row.visitor_id,
    until: row.requested_at,
  },
});

function readSlice(sql: Statements, after: number, upTo: number): ErasedRow[] {
  const rows: ErasedRow[] = [];
  let bytes = 0;
  for (const row of sql.each<ErasedRow>(OUTBOX_ROWS, after, upTo)) {
    rows.push(row);
    bytes += row.payload.length;
    if (bytes >= SLICE_BYTES) break;
  }
  return rows;
}

/** Leaves only these events in a row of the outbox. */
function keepLines(sql: Statements, { seq, events, payload }: ErasedRow, lines: OutboxLine[]): void {
  const kept = lines.length === 0 ? null : buildPayloadSync(joinLines(lines));
  if (kept) sql.run(REWRITE_ROW, lines.length, kept, seq);
  else sql.run(DELETE_ROW, seq);
  sql.run(SUBTRACT_TOTALS, events - lines.length, payload.length - (kept?.length ?? 0));
}

function eraseSessions(sql: Statements, { visitors, after }: ErasureSlice): ErasedSessions {
  const { sourceIndex = 0, afterSessionId = "" } = after ?? {};
  const sourceId = sourcesOf(visitors)[sourceIndex];
  if (sourceId === undefined) return { erased: [], next: null };
  const slice = sql.all<ErasedSession>(SESSIONS, sourceId, afterSessionId);
  const own = visitorsIn(visitors, sourceId);
  const erased = slice.filter((session) => belongsTo(own, session));
  for (const { sessionId } of erased) sql.run(DELETE_SESSION, sourceId, sessionId);
  const end = slice.length === SLICE_SESSIONS ? slice.at(-1) : undefined;
  const next: Cursor = end
    ? { sourceIndex, afterSessionId: end.sessionId }
    : { sourceIndex: sourceIndex + 1 };
  return { erased: erased.map(({ sessionId }) => ({ sourceId, sessionId })), next };
}

function eraseOutbox(
  sql: Statements,
  { visitors, after, sealed }: ErasureSlice & { sealed: boolean },
): { next: Cursor | null } {
  const { last, lastSealed } = sql.get<{ last: number; lastSealed: number }>(LAST_ROWS) ?? {
    last: 0,
    lastSealed: 0,
  };
  const { afterSeq: from = 0, upToSeq: upTo = last } = after ?? {};
  const rows = readSlice(sql, sealed ? from : Math.max(from, lastSealed), upTo);
  for (const row of rows) {
    const lines = removeVisitors(readLinesSync({ payload: row.payload, skipped: [] }), [], visitors);
    if (lines) keepLines(sql, row, lines);
  }
  const end = rows.at(-1);
  return { next: end && end.seq < upTo ? { sourceIndex: 0, afterSeq: end.seq, upToSeq: upTo } : null };
}

/** `eraseAttempts` is the debug history's, which is in another thread. */
export function createErasureVerbs(sql: Statements): Synchronous<Omit<ErasureLedger, "eraseAttempts">> {
  sql.run(CLEAR_CLAIMS);
  return {
    claimErasures: ({ now, leaseMs, limit }) =>
      sql.transaction(() => {
        const open = sql.all<ErasureRow>(OPEN, now, limit).map(toOpenErasure);
        for (const { receiptId } of open) sql.run(CLAIM, now + leaseMs, receiptId);
        return open;
      }),

    renewErasureLeases: ({ receiptIds, now, leaseMs }) =>
      sql.transaction(() => {
        for (const receiptId of receiptIds) sql.run(CLAIM, now + leaseMs, receiptId);
      }),

    advanceErasures: ({ receiptIds, from, status, pages, now }) =>
      sql.transaction(() => {
        for (const receiptId of receiptIds)
          sql.run(MOVE, receiptId, status, JSON.stringify(pages), now, from);
      }),

    eraseSessions: (asked) => sql.transaction(() => eraseSessions(sql, asked)),
    eraseOutbox: (asked) => sql.transaction(() => eraseOutbox(sql, asked)),
    retentions: () => sql.all<SourceRetention>(RETENTIONS),
    sealedPages: () =>
      sql.all<{ pageId: string }>("select page_id as pageId from outbox_pages").map(({ pageId }) => pageId),
  };
}

/** Erases visitors from the outbox on SQLite, one slice per call. */
import type { OutboxLedger } from "../ledger.ts";
import { buildPayloadSync, joinLines, readLinesSync } from "../outbox-payload.ts";
import type { Cursor } from "../records.ts";
import { type ErasureSlice, type KeptLines, removeVisitors } from "../visitors.ts";
import { SUBTRACT_TOTALS } from "./outbox.ts";
import type { Statements, Synchronous } from "./statements.ts";

/** A slice keeps the ledger's thread busy for some tens of milliseconds. `MAX_SLICE_BYTES` counts compressed bytes. */
const MAX_SLICE_BYTES = 1_048_576;
const MAX_SLICE_ROWS = 500;

const OPEN_ERASURE = "select 1 from erasures where finished_at is null limit 1";

const RUNNING_REPLAY = "select 1 from replays where status = 'running' limit 1";

const LAST_ROWS = `
  select coalesce((select max(seq) from outbox), 0) as last,
    coalesce((select max(last_seq) from outbox_pages), 0) as lastSealed`;
const OUTBOX_ROWS = `select seq, events, payload from outbox where seq > ? and seq <= ? order by seq limit ${MAX_SLICE_ROWS}`;
const REWRITE_ROW = "update outbox set events = ?, payload = ? where seq = ?";
const ADD_ERASED = `insert into shipped_days values (?, ?, 0, 0, 0, ?)
  on conflict do update set erased_waiting = erased_waiting + excluded.erased_waiting`;
const DELETE_ROW = "delete from outbox where seq = ?";

interface OutboxSliceRow {
  seq: number;
  events: number;
  payload: Uint8Array;
}

function readSlice(sql: Statements, after: number, upTo: number): OutboxSliceRow[] {
  const rows: OutboxSliceRow[] = [];
  let bytes = 0;
  for (const row of sql.each<OutboxSliceRow>(OUTBOX_ROWS, after, upTo)) {
    rows.push(row);
    bytes += row.payload.length;
    if (bytes >= MAX_SLICE_BYTES) break;
  }
  return rows;
}

/** Reduces a row of the outbox to these lines; deletes it if there are none. */
function keepLines(
  sql: Statements,
  { seq, events, payload }: OutboxSliceRow,
  { kept, days }: KeptLines,
): void {
  const packed = kept.length === 0 ? null : buildPayloadSync(joinLines(kept), days);
  if (packed) sql.run(REWRITE_ROW, kept.length, packed, seq);
  else sql.run(DELETE_ROW, seq);
  sql.run(SUBTRACT_TOTALS, events - kept.length, payload.length - (packed?.length ?? 0));
}

function eraseOutbox(
  sql: Statements,
  { visitors, after, sealed: includeSealed }: ErasureSlice & { sealed: boolean },
): { next: Cursor | null } {
  const { last, lastSealed } = sql.get<{ last: number; lastSealed: number }>(LAST_ROWS) ?? {
    last: 0,
    lastSealed: 0,
  };
  const { afterSeq: from = 0, upToSeq: upTo = last } = after ?? {};
  const rows = readSlice(sql, includeSealed ? from : Math.max(from, lastSealed), upTo);
  for (const row of rows) {
    const removed = removeVisitors(readLinesSync({ payload: row.payload, skipped: [] }), [], visitors);
    if (!removed) continue;
    keepLines(sql, row, removed);
    for (const { sourceId, day, events } of removed.erased) sql.run(ADD_ERASED, sourceId, day, events);
  }
  const end = rows.at(-1);
  return { next: end && end.seq < upTo ? { sourceIndex: 0, afterSeq: end.seq, upToSeq: upTo } : null };
}

interface SqliteErasureMethods extends Synchronous<Pick<OutboxLedger, "eraseOutbox">> {
  /** Whether any erasure is unfinished. Asked before `claimErasures`, which costs much more: a worker claims every second. */
  hasOpenErasures(): boolean;
  /** Whether a replay is running. Asked before `claimReplay`. */
  hasRunningReplays(): boolean;
}

export function createErasureMethods(sql: Statements): SqliteErasureMethods {
  return {
    eraseOutbox: (slice) => sql.transaction(() => eraseOutbox(sql, slice)),
    hasRunningReplays: () => sql.get(RUNNING_REPLAY) !== undefined,
    hasOpenErasures: () => sql.get(OPEN_ERASURE) !== undefined,
  };
}

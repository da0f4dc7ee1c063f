/** The outbox on SQLite: pages are sealed, claimed, and deleted once the warehouse has their events. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OutboxLedger, OutboxStatus } from "../ledger.ts";
import type { OutboxPage } from "../records.ts";
import { toWaitingSlice, type WaitingGroup } from "../waiting-slice.ts";
import type { Statements, Synchronous } from "./statements.ts";

const PAGES = `select page_id as pageId, first_seq as firstSeq, last_seq as lastSeq, events, created_at as createdAt, tries
  from outbox_pages`;
const NEXT_PAGE = `${PAGES} where claimed_until <= ? order by first_seq limit 1`;
const PAGE = `${PAGES} where page_id = ?`;
const LAST_SEALED = "select coalesce(max(last_seq), 0) as seq from outbox_pages";
const UNSEALED = `select seq, events, created_at as createdAt, length(payload) as bytes from outbox where seq > ?
  order by seq limit ${SERVER_LIMITS.pageRows}`;
const SEAL = "insert into outbox_pages values (?, ?, ?, ?, ?, 0, 0)";
const CLAIM = "update outbox_pages set tries = tries + 1, claimed_until = ? where page_id = ?";
const RELEASE = "update outbox_pages set claimed_until = ? where page_id = ?";
const PAYLOADS = "select payload from outbox where seq between ? and ? order by seq";
const DELETE_PAGE = "delete from outbox_pages where page_id = ?";

const DELETE_ROWS = "delete from outbox where seq between ? and ? returning events, length(payload) as bytes";
export const SUBTRACT_TOTALS = "update outbox_totals set events = events - ?, bytes = bytes - ?";

const ROWS_AFTER = "select seq, payload from outbox where seq > ? order by seq limit ?";
/**
 * The rows of a slice by what their payloads say of their days (`outbox-payload.ts`). A slice keeps the ledger's thread busy for some
 * milliseconds: SQLite reads whole payloads to find their ends.
 */
const DAYS_AFTER = `with tails as (
    select seq, substr(payload, -4096) as tail from outbox where seq > ? order by seq limit 1000
  ), sized as (
    select seq, tail, ('[0x' || hex(substr(tail, -6, 1)) || hex(substr(tail, -7, 1)) || hex(substr(tail, -8, 1)) || ']') ->> 0 as size
    from tails
  )
  select case when size between 1 and length(tail) - 8 then cast(substr(tail, -8 - size, size) as text) end as counts,
    count(*) as rows, max(seq) as last, json_group_array(seq) filter (where size = 0 or size > length(tail) - 8) as unread
  from sized group by counts`;
const EXPIRED = `select min(seq) as first, max(seq) as last
  from (select seq from outbox where created_at < ? order by seq limit ${SERVER_LIMITS.pageRows})`;
const DELETE_EMPTY_PAGES = "delete from outbox_pages where last_seq <= ?";

const ADD_SHIPPED = `insert into shipped_days values (?, ?, ?, 0, 0, 0)
  on conflict do update set shipped = shipped + excluded.shipped`;

type PageRow = Omit<OutboxPage, "parts"> & { firstSeq: number; lastSeq: number };
interface UnsealedRow {
  seq: number;
  events: number;
  createdAt: number;
  bytes: number;
}
interface PayloadRow {
  seq: number;
  payload: Uint8Array;
}

/** The oldest rows that are in no page and fit into one; at least one row, whatever its size. */
function chooseRows(sql: Statements, maxEvents: number): UnsealedRow[] {
  const { seq: after } = sql.get<{ seq: number }>(LAST_SEALED) ?? { seq: 0 };
  const chosen: UnsealedRow[] = [];
  let [events, bytes] = [0, 0];
  for (const row of sql.each<UnsealedRow>(UNSEALED, after)) {
    events += row.events;
    bytes += row.bytes;
    const isTooMuch = events > maxEvents || bytes > SERVER_LIMITS.pageBytes;
    if (isTooMuch && chosen.length > 0) break;
    chosen.push(row);
  }
  return chosen;
}

function sealPage(sql: Statements, pageId: string, maxEvents: number): PageRow | undefined {
  const rows = chooseRows(sql, maxEvents);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  const events = rows.reduce((sum, row) => sum + row.events, 0);
  const createdAt = Math.min(...rows.map((row) => row.createdAt));
  sql.run(SEAL, pageId, first.seq, last.seq, events, createdAt);
  return sql.get<PageRow>(PAGE, pageId);
}

function deleteRows(sql: Statements, first: number, last: number): void {
  let [events, bytes] = [0, 0];
  for (const row of sql.all<Pick<UnsealedRow, "events" | "bytes">>(DELETE_ROWS, first, last)) {
    events += row.events;
    bytes += row.bytes;
  }
  sql.run(SUBTRACT_TOTALS, events, bytes);
}

function claimPage(
  sql: Statements,
  { pageId, now, maxEvents, leaseMs }: Parameters<OutboxLedger["claimPage"]>[0],
): OutboxPage | null {
  const row = sql.get<PageRow>(NEXT_PAGE, now) ?? sealPage(sql, pageId, maxEvents);
  if (!row) return null;
  const { firstSeq, lastSeq, ...page } = row;
  sql.run(CLAIM, now + leaseMs, page.pageId);
  const parts = sql.all<Pick<PayloadRow, "payload">>(PAYLOADS, firstSeq, lastSeq);
  return { ...page, parts: parts.map(({ payload }) => ({ payload, skipped: [] })) };
}

export function createOutboxMethods(sql: Statements): Synchronous<Omit<OutboxLedger, "eraseOutbox">> {
  return {
    claimPage: (wanted) => sql.transaction(() => claimPage(sql, wanted)),

    deletePage: ({ pageId, shipped }) =>
      sql.transaction(() => {
        const row = sql.get<PageRow>(PAGE, pageId);
        if (!row) return;
        deleteRows(sql, row.firstSeq, row.lastSeq);
        sql.run(DELETE_PAGE, pageId);
        for (const { sourceId, day, events } of shipped) sql.run(ADD_SHIPPED, sourceId, day, events);
      }),

    releasePage: ({ pageId, now, waitMs }) => void sql.run(RELEASE, now + waitMs, pageId),

    // a row holds events of all sources, so the source is not used
    readOutbox: ({ after, limit }) =>
      sql
        .all<PayloadRow>(ROWS_AFTER, after, limit)
        .map(({ seq, payload }) => ({ seq, part: { payload, skipped: [] } })),

    waitingDays: ({ sourceId, after }) => {
      const groups = sql.all<Omit<WaitingGroup, "unread"> & { unread: string }>(DAYS_AFTER, after);
      return toWaitingSlice(
        sourceId,
        groups.map((group) => ({ ...group, unread: JSON.parse(group.unread) })),
      );
    },

    expireOutbox: ({ before }) =>
      sql.transaction(() => {
        const expired = sql.get<{ first: number | null; last: number | null }>(EXPIRED, before);
        if (!expired || expired.first === null || expired.last === null) return false;
        deleteRows(sql, expired.first, expired.last);
        sql.run(DELETE_EMPTY_PAGES, expired.last);
        return true;
      }),
  };
}

export function readOutboxStatus(sql: Statements): OutboxStatus {
  const totals = sql.get<{ events: number; bytes: number }>("select events, bytes from outbox_totals");
  const oldest = sql.get<{ at: number }>("select created_at as at from outbox order by seq limit 1");
  return {
    outboxEvents: totals?.events ?? 0,
    outboxBytes: totals?.bytes ?? 0,
    outboxOldestAt: oldest?.at ?? null,
  };
}

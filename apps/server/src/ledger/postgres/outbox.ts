/** The outbox on PostgreSQL: one node at a time claims a page, and deletes it when the warehouse has stored it. */
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OutboxLedger } from "../ledger.ts";
import type { OutboxPage, OutboxPart } from "../records.ts";
import { toWaitingSlice, type WaitingGroup } from "../waiting-slice.ts";
import type { DayCount } from "../warehouse-report.ts";
import { inTransaction, withOutboxLock } from "./transaction.ts";
import { holdsPlace, type WarehousePlaceStore } from "./warehouse-place.ts";

/** Claims end by the database's clock, which all nodes share. */
const CLAIM = `with free as (
    select page_id from outbox_pages where claimed_until <= clock_timestamp() and ${holdsPlace("$2")}
    order by created_at limit 1 for update skip locked
  )
  update outbox_pages p set tries = tries + 1, claimed_until = clock_timestamp() + $1 * interval '1 ms'
  from free where p.page_id = free.page_id
  returning p.page_id as "pageId", events, created_at as "createdAt", tries - 1 as tries`;

/** Seals at least one row, and as many as fit. Only one node seals at a time (`withOutboxLock`). */
const SEAL = `with waiting as (
    select source_id, seq, events, created_at, length(payload) as bytes from outbox where page_id is null and ${holdsPlace("$4")}
    order by created_at limit ${SERVER_LIMITS.pageRows}
  ), summed as (
    select *, sum(events) over so_far as events_so_far, sum(bytes) over so_far as bytes_so_far,
      row_number() over so_far as place
    from waiting window so_far as (order by created_at, source_id, seq)
  ), chosen as (
    update outbox o set page_id = $1 from summed s
    where o.source_id = s.source_id and o.seq = s.seq and o.page_id is null
      and (place = 1 or (events_so_far <= $3 and bytes_so_far <= ${SERVER_LIMITS.pageBytes}))
    returning o.events, o.created_at
  )
  insert into outbox_pages
  select $1, sum(events), min(created_at), 1, clock_timestamp() + $2 * interval '1 ms' from chosen having count(*) > 0
  returning page_id as "pageId", events, created_at as "createdAt", 0 as tries`;

const PAGE_PARTS = "select payload, skipped from outbox where page_id = $1 order by source_id, seq";

/**
 * Deletes rows and subtracts them from the totals of their sources. The update is written as an insert because an insert
 * locks rows in the order of its select; all statements lock sources in the same order, so none deadlock.
 */
const deleteRowsSql = (condition: string) => `with gone as (
    delete from outbox where ${condition} returning source_id, events, length(payload) as bytes
  )
  insert into outbox_totals (source_id, events, bytes)
  select source_id, -sum(events), -sum(bytes) from gone group by source_id order by source_id
  on conflict (source_id) do update
  set events = outbox_totals.events + excluded.events, bytes = outbox_totals.bytes + excluded.bytes`;
const DELETE_PAGE_ROWS = deleteRowsSql("page_id = $1");
const DELETE_PAGE = `delete from outbox_pages where page_id = $1 and ${holdsPlace("$2", "for share")}`;
/** Sorted, because all nodes must lock rows in the same order. */
const ADD_SHIPPED = `insert into shipped_days (source_id, day, shipped, removed, expired, erased_waiting)
  select source_id, day, events, 0, 0, 0 from unnest($1::text[], $2::bigint[], $3::bigint[]) as s (source_id, day, events)
  order by source_id, day
  on conflict (source_id, day) do update set shipped = shipped_days.shipped + excluded.shipped`;
const EXPIRE = deleteRowsSql(
  `(source_id, seq) in (select source_id, seq from outbox where created_at < $1 order by created_at limit ${SERVER_LIMITS.pageRows})`,
);
const DELETE_EMPTY_PAGES = `delete from outbox_pages
  where page_id not in (select page_id from outbox where page_id is not null)`;
const ROWS =
  "select seq, payload, skipped from outbox where source_id = $1 and seq > $2 order by seq limit $3";
/** The rows of a slice by what their payloads say of their days (`outbox-payload.ts`); null where they have duplicates. */
const WAITING_DAYS = `with slice as (
    select seq, skipped, payload, length(payload) as bytes from outbox where source_id = $1 and seq > $2 order by seq limit 10000
  ), sized as (
    select *, substring(payload from bytes - 7 for 3) as size from slice
  ), placed as (
    select *, get_byte(size, 0) + get_byte(size, 1) * 256 + get_byte(size, 2) * 65536 as json_bytes from sized
  )
  select case when skipped = '{}' and json_bytes > 0 then substring(payload from bytes - 7 - json_bytes for json_bytes) end as counts,
    count(*)::int as rows, max(seq) as last, json_agg(seq) filter (where skipped <> '{}' or json_bytes = 0) as unread
  from placed group by counts`;
const RELEASE = `update outbox_pages
  set claimed_until = clock_timestamp() + $2 * interval '1 ms' where page_id = $1 and ${holdsPlace("$3", "for share")}`;

type PostgresGroup = Omit<WaitingGroup, "counts" | "unread"> & {
  counts: Buffer | null;
  unread: number[] | null;
};
type ClaimedPage = Omit<OutboxPage, "parts">;

export const outboxMethods = (
  pool: pg.Pool,
  place: Pick<WarehousePlaceStore, "holder">,
): Omit<OutboxLedger, "eraseOutbox"> => ({
  claimPage: async ({ pageId, maxEvents, leaseMs }): Promise<OutboxPage | null> => {
    const claimed = await pool.query<ClaimedPage>(CLAIM, [leaseMs, place.holder]);
    const seal = (client: pg.PoolClient) =>
      client.query<ClaimedPage>(SEAL, [pageId, leaseMs, maxEvents, place.holder]);
    const page = claimed.rows[0] ?? (await withOutboxLock(pool, seal)).rows[0];
    if (!page) return null;
    const parts = await pool.query<OutboxPart>(PAGE_PARTS, [page.pageId]);
    return { ...page, parts: parts.rows };
  },
  deletePage: ({ pageId, shipped }) =>
    inTransaction(pool, async (client) => {
      const { rowCount } = await client.query(DELETE_PAGE, [pageId, place.holder]);
      // another node has deleted the page and counted its events, or has the warehouse now and ships the page to it
      if (rowCount === 0) return;
      await client.query(DELETE_PAGE_ROWS, [pageId]);
      const column = (name: keyof DayCount) => shipped.map((count) => count[name]);
      await client.query(ADD_SHIPPED, [column("sourceId"), column("day"), column("events")]);
    }),
  releasePage: async ({ pageId, waitMs }) => void (await pool.query(RELEASE, [pageId, waitMs, place.holder])),
  readOutbox: async ({ sourceId, after, limit }) => {
    const { rows } = await pool.query<OutboxPart & { seq: number }>(ROWS, [sourceId, after, limit]);
    return rows.map(({ seq, payload, skipped }) => ({ seq, part: { payload, skipped } }));
  },
  waitingDays: async ({ sourceId, after }) => {
    const { rows } = await pool.query<PostgresGroup>(WAITING_DAYS, [sourceId, after]);
    const groups = rows.map(({ counts, unread, ...group }) => ({
      ...group,
      counts: counts?.toString("utf8") ?? null,
      unread: unread ?? [],
    }));
    return toWaitingSlice(sourceId, groups);
  },
  expireOutbox: ({ before }) =>
    withOutboxLock(pool, async (client) => {
      const { rowCount } = await client.query(EXPIRE, [before]);
      await client.query(DELETE_EMPTY_PAGES);
      return (rowCount ?? 0) > 0;
    }),
});

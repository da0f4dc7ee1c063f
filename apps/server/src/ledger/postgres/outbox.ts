/** The outbox: pages are sealed, claimed by one node at a time, and deleted when they are in the warehouse. */
import { LIMITS } from "@headwater/contract/limits";
import type pg from "pg";
import type { OutboxLedger } from "../ledger.ts";
import type { OutboxPage, OutboxPart } from "../records.ts";

/** Claims pass by the database's clock, which all nodes share. */
const CLAIM = `with free as (
    select page_id from outbox_pages where claimed_until <= clock_timestamp()
    order by created_at limit 1 for update skip locked
  )
  update outbox_pages p set tries = tries + 1, claimed_until = clock_timestamp() + $1 * interval '1 ms'
  from free where p.page_id = free.page_id
  returning p.page_id, events, created_at, tries - 1 as tries`;

/** At least one row, and then as many as fit. */
const SEAL = `with waiting as (
    select source_id, seq, events, created_at, length(payload) as bytes from outbox where page_id is null
    order by created_at limit ${LIMITS.pageRows} for update skip locked
  ), summed as (
    select *, sum(events) over so_far as events_so_far, sum(bytes) over so_far as bytes_so_far,
      row_number() over so_far as place
    from waiting window so_far as (order by created_at, source_id, seq)
  ), chosen as (
    update outbox o set page_id = $1 from summed s
    where o.source_id = s.source_id and o.seq = s.seq
      and (place = 1 or (events_so_far <= $3 and bytes_so_far <= ${LIMITS.pageBytes}))
    returning o.events, o.created_at
  )
  insert into outbox_pages
  select $1, sum(events), min(created_at), 1, clock_timestamp() + $2 * interval '1 ms' from chosen having count(*) > 0
  returning page_id, events, created_at, 0 as tries`;

const PARTS = "select payload, skipped from outbox where page_id = $1 order by source_id, seq";

/** What is deleted of a source is taken from its count; sources in one order, as every other statement has them. */
const forgetting = (condition: string) => `with gone as (
    delete from outbox where ${condition} returning source_id, events, length(payload) as bytes
  ), summed as (
    select source_id, sum(events) as events, sum(bytes) as bytes from gone group by source_id
  ), held as materialized (
    select t.source_id from outbox_totals t join summed using (source_id) order by t.source_id for update of t
  )
  update outbox_totals t set events = t.events - s.events, bytes = t.bytes - s.bytes
  from summed s join held using (source_id) where t.source_id = s.source_id`;
const DELETE = `with page as (delete from outbox_pages where page_id = $1)
  ${forgetting("page_id = $1").replace(/^with /, ", ")}`;
const EXPIRE = forgetting(
  `(source_id, seq) in (select source_id, seq from outbox where created_at < $1 order by created_at limit ${LIMITS.pageRows})`,
);
const ROWS =
  "select seq, payload, skipped from outbox where source_id = $1 and seq > $2 order by seq limit $3";
const RELEASE = `update outbox_pages
  set claimed_until = clock_timestamp() + $2 * interval '1 ms' where page_id = $1`;

interface PageRow {
  page_id: string;
  events: number;
  created_at: number;
  tries: number;
}

export const outboxVerbs = (pool: pg.Pool): OutboxLedger => ({
  takePage: async ({ pageId, maxEvents, leaseMs }): Promise<OutboxPage | null> => {
    const claimed = await pool.query<PageRow>(CLAIM, [leaseMs]);
    const row = claimed.rows[0] ?? (await pool.query<PageRow>(SEAL, [pageId, leaseMs, maxEvents])).rows[0];
    if (!row) return null;
    const parts = await pool.query<{ payload: Buffer; skipped: number[] }>(PARTS, [row.page_id]);
    const { page_id, events, created_at: createdAt, tries } = row;
    return { pageId: page_id, events: Number(events), createdAt, tries, parts: parts.rows };
  },
  deletePage: async ({ pageId }) => void (await pool.query(DELETE, [pageId])),
  releasePage: async ({ pageId, waitMs }) => void (await pool.query(RELEASE, [pageId, waitMs])),
  readOutbox: async ({ sourceId, after, limit }) => {
    const { rows } = await pool.query<OutboxPart & { seq: string }>(ROWS, [sourceId, after, limit]);
    return rows.map(({ seq, payload, skipped }) => ({ seq: Number(seq), part: { payload, skipped } }));
  },
  expireOutbox: async ({ before }) => {
    const { rowCount } = await pool.query(EXPIRE, [before]);
    await pool.query(
      "delete from outbox_pages p where not exists (select from outbox o where o.page_id = p.page_id)",
    );
    return (rowCount ?? 0) > 0;
  },
});

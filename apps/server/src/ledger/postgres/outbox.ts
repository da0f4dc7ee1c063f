/** The outbox: pages are sealed, claimed by one node at a time, and deleted when they are in the warehouse. */

import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OutboxPage, OutboxPart } from "../../core/records.ts";
import type { OutboxLedger } from "../ledger.ts";
import { changingOutbox, inTransaction } from "./transactions.ts";

/** Claims pass by the database's clock, which all nodes share. */
const CLAIM = `with free as (
    select page_id from outbox_pages where claimed_until <= clock_timestamp()
    order by created_at limit 1 for update skip locked
  )
  update outbox_pages p set tries = tries + 1, claimed_until = clock_timestamp() + $1 * interval '1 ms'
  from free where p.page_id = free.page_id
  returning p.page_id, events, created_at, tries - 1 as tries`;

/** At least one row, and then as many as fit. Nobody else seals meanwhile. */
const SEAL = `with waiting as (
    select source_id, seq, events, created_at, length(payload) as bytes from outbox where page_id is null
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
  returning page_id, events, created_at, 0 as tries`;

const PARTS = "select payload, skipped from outbox where page_id = $1 order by source_id, seq";

/**
 * What is deleted of a source is taken from its count; sources in one order, as every other statement has them. Written as
 * an insert because that locks the rows in the order in which they come.
 */
const forgetting = (condition: string) => `with gone as (
    delete from outbox where ${condition} returning source_id, events, length(payload) as bytes
  )
  insert into outbox_totals (source_id, events, bytes)
  select source_id, -sum(events), -sum(bytes) from gone group by source_id order by source_id
  on conflict (source_id) do update
  set events = outbox_totals.events + excluded.events, bytes = outbox_totals.bytes + excluded.bytes`;
const FORGET = forgetting("page_id = $1");
const DELETE = "delete from outbox_pages where page_id = $1";
const EXPIRE = forgetting(
  `(source_id, seq) in (select source_id, seq from outbox where created_at < $1 order by created_at limit ${SERVER_LIMITS.pageRows})`,
);
const FORGET_EMPTY = `delete from outbox_pages
  where page_id not in (select page_id from outbox where page_id is not null)`;
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
  claimPage: async ({ pageId, maxEvents, leaseMs }): Promise<OutboxPage | null> => {
    const claimed = await pool.query<PageRow>(CLAIM, [leaseMs]);
    const seal = (client: pg.PoolClient) => client.query<PageRow>(SEAL, [pageId, leaseMs, maxEvents]);
    const row = claimed.rows[0] ?? (await changingOutbox(pool, seal)).rows[0];
    if (!row) return null;
    const parts = await pool.query<{ payload: Buffer; skipped: number[] }>(PARTS, [row.page_id]);
    const { page_id, events, created_at: createdAt, tries } = row;
    return { pageId: page_id, events: Number(events), createdAt, tries, parts: parts.rows };
  },
  deletePage: ({ pageId }) =>
    inTransaction(pool, async (client) => {
      await client.query(DELETE, [pageId]);
      await client.query(FORGET, [pageId]);
    }),
  releasePage: async ({ pageId, waitMs }) => void (await pool.query(RELEASE, [pageId, waitMs])),
  readOutbox: async ({ sourceId, after, limit }) => {
    const { rows } = await pool.query<OutboxPart & { seq: string }>(ROWS, [sourceId, after, limit]);
    return rows.map(({ seq, payload, skipped }) => ({ seq: Number(seq), part: { payload, skipped } }));
  },
  expireOutbox: ({ before }) =>
    changingOutbox(pool, async (client) => {
      const { rowCount } = await client.query(EXPIRE, [before]);
      await client.query(FORGET_EMPTY);
      return (rowCount ?? 0) > 0;
    }),
});

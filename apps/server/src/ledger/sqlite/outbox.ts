/** The outbox: pages are sealed, claimed, and deleted when they are in the warehouse. */

import type { DatabaseSync } from "node:sqlite";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OutboxPage, OutboxRow } from "../../core/records.ts";
import type { PageClaim } from "../ledger.ts";
import { inTransaction } from "./transaction.ts";

interface PageRow {
  page_id: string;
  first_seq: number;
  last_seq: number;
  events: number;
  created_at: number;
  tries: number;
}
interface WaitingRow {
  seq: number;
  events: number;
  created_at: number;
  bytes: number;
}

export function prepareOutbox(database: DatabaseSync) {
  const nextPage = database.prepare(
    "select * from outbox_pages where claimed_until <= ? order by first_seq limit 1",
  );
  const lastSealed = database.prepare("select coalesce(max(last_seq), 0) as seq from outbox_pages");
  const waiting = database.prepare(
    `select seq, events, created_at, length(payload) as bytes from outbox where seq > ? order by seq limit ${SERVER_LIMITS.pageRows}`,
  );
  const seal = database.prepare("insert into outbox_pages values (?, ?, ?, ?, ?, 0, 0)");
  const claim = database.prepare(
    "update outbox_pages set tries = tries + 1, claimed_until = ? where page_id = ?",
  );
  const release = database.prepare("update outbox_pages set claimed_until = ? where page_id = ?");
  const page = database.prepare("select * from outbox_pages where page_id = ?");
  const payloads = database.prepare("select payload from outbox where seq between ? and ? order by seq");
  const totals = database.prepare(
    "select coalesce(sum(events), 0) as events, coalesce(sum(length(payload)), 0) as bytes from outbox where seq between ? and ?",
  );
  const subtract = database.prepare("update outbox_totals set events = events - ?, bytes = bytes - ?");
  const deleteRows = database.prepare("delete from outbox where seq between ? and ?");
  const deletePage = database.prepare("delete from outbox_pages where page_id = ?");
  const past = database.prepare(
    `select min(seq) as first, max(seq) as last from (select seq from outbox where created_at < ? order by seq limit ${SERVER_LIMITS.pageRows})`,
  );
  const deleteEmptyPages = database.prepare("delete from outbox_pages where last_seq <= ?");
  const rowsAfter = database.prepare("select seq, payload from outbox where seq > ? order by seq limit ?");
  const oldest = database.prepare("select created_at as at from outbox order by seq limit 1");

  const sealNew = (pageId: string, maxEvents: number): PageRow | null => {
    const { seq: after } = lastSealed.get() as { seq: number };
    let [first, last, events, bytes] = [0, 0, 0, 0];
    let createdAt = Number.POSITIVE_INFINITY;
    for (const row of waiting.iterate(after) as Iterable<unknown> as Iterable<WaitingRow>) {
      const isFull = events + row.events > maxEvents || bytes + row.bytes > SERVER_LIMITS.pageBytes;
      if (isFull && events > 0) break;
      first ||= row.seq;
      last = row.seq;
      events += row.events;
      bytes += row.bytes;
      createdAt = Math.min(createdAt, row.created_at);
    }
    if (events === 0) return null;
    seal.run(pageId, first, last, events, createdAt);
    return page.get(pageId) as unknown as PageRow;
  };

  const forget = (first: number, last: number) => {
    const { events, bytes } = totals.get(first, last) as { events: number; bytes: number };
    deleteRows.run(first, last);
    subtract.run(events, bytes);
  };

  // whoever claimed them is gone: a ledger has one process
  database.exec("update outbox_pages set claimed_until = 0 where claimed_until > 0");

  return {
    claimPage: ({ pageId, now, maxEvents, leaseMs }: PageClaim): OutboxPage | null =>
      inTransaction(database, () => {
        const row = (nextPage.get(now) as unknown as PageRow | undefined) ?? sealNew(pageId, maxEvents);
        if (!row) return null;
        claim.run(now + leaseMs, row.page_id);
        const parts = payloads.all(row.first_seq, row.last_seq) as unknown as { payload: Uint8Array }[];
        return {
          pageId: row.page_id,
          events: row.events,
          createdAt: row.created_at,
          tries: row.tries,
          parts: parts.map(({ payload }) => ({ payload, skipped: [] })),
        };
      }),

    deletePage: ({ pageId }: { pageId: string }): void =>
      inTransaction(database, () => {
        const row = page.get(pageId) as unknown as PageRow | undefined;
        if (!row) return;
        forget(row.first_seq, row.last_seq);
        deletePage.run(pageId);
      }),

    releasePage: ({ pageId, now, waitMs }: { pageId: string; now: number; waitMs: number }): void =>
      void release.run(now + waitMs, pageId),

    readOutbox: ({ after, limit }: { after: number; limit: number }): OutboxRow[] => {
      const rows = rowsAfter.all(after, limit) as unknown as { seq: number; payload: Uint8Array }[];
      return rows.map(({ seq, payload }) => ({ seq, part: { payload, skipped: [] } }));
    },

    expireOutbox: ({ before }: { before: number }): boolean =>
      inTransaction(database, () => {
        const { first, last } = past.get(before) as { first: number | null; last: number | null };
        if (first === null || last === null) return false;
        forget(first, last);
        deleteEmptyPages.run(last);
        return true;
      }),

    outboxOldestAt: (): number | null => (oldest.get() as { at: number } | undefined)?.at ?? null,
  };
}

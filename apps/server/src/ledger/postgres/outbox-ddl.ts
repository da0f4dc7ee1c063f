/**
 * The pages of the outbox. Each row stores the id of its page. A range of `seq` cannot define a page, because numbers are not
 * given in the order of commits.
 */
export const OUTBOX_DDL = [
  "alter table outbox add column page_id text",
  "create index outbox_waiting on outbox (created_at) where page_id is null",
  "create index outbox_paged on outbox (page_id) where page_id is not null",
  `create table outbox_pages (page_id text primary key, events bigint not null, created_at bigint not null,
    tries integer not null, claimed_until timestamptz not null)`,
];

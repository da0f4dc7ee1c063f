/** The DDL that several nodes share: one clock, the list of nodes, and the changes that they tell each other. */

/**
 * The clock of all nodes, in milliseconds since the epoch. Everything that is deleted by age is deleted by this clock, so a
 * machine with a wrong clock deletes nothing too early.
 */
const CLOCK = `create function ledger_now() returns bigint language sql as
  $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$`;

/**
 * Unlogged: they cost no WAL, and PostgreSQL empties them after a crash and a failover, whereupon no node trusts its caches
 * (`remote-changes.ts`). `node_id` is null for a change that every node must follow.
 */
const NODES = [
  `create unlogged table nodes (node_id text primary key, seen_at timestamptz not null)`,
  `create unlogged table changes (xid xid8 not null default pg_current_xact_id(),
    made_at timestamptz not null default clock_timestamp(), node_id text, kind text not null, source_id text, session_id text)`,
  `create index changes_xid on changes (xid)`,
  `create index changes_made_at on changes (made_at)`,
];

/** `is_only`: it has one row at most. */
const WAREHOUSE_PLACE = `create table warehouse_place (is_only boolean primary key default true check (is_only),
  place_id text not null, url text not null, node_id text not null)`;

/** Changes name what has changed, so that nodes drop only that. Workspaces and members are not cached. */
const CHANGES = [
  `create function note_tokens() returns trigger language plpgsql as
    $$ begin insert into changes (kind) values ('tokens'); return null; end $$`,
  `create trigger note_tokens after update of revoked_at, expires_at or delete on tokens
    for each statement execute function note_tokens()`,
  `create trigger note_tokens after delete on remembered_sign_ins
    for each statement execute function note_tokens()`,
  `create function note_source() returns trigger language plpgsql as
    $$ begin insert into changes (kind, source_id) values ('source', coalesce(new.source_id, old.source_id)); return null; end $$`,
  ...["sources", "source_keys"].map(
    (table) => `create trigger note_source after insert or update or delete on ${table}
      for each row execute function note_source()`,
  ),
];

export const NODES_DDL = [...NODES, CLOCK, WAREHOUSE_PLACE, ...CHANGES];

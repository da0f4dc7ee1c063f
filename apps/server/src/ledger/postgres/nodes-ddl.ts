/** What several nodes share beside the stored data: one clock, the state of a move, and notifications of changes. */

/** The channel of notifications. Payloads: `tokens`, `source <id>`, and `session <node id> <source id> <session id>`. */
export const CHANGE_CHANNEL = "headwater_changes";

/**
 * The clock of all nodes, in milliseconds since the epoch. Everything that is deleted by age is deleted by this clock, so a
 * machine with a wrong clock deletes nothing too early.
 */
const CLOCK = `create function ledger_now() returns bigint language sql as
  $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$`;

/** Notifications name what has changed, so that nodes drop only that. Workspaces and members are not cached. */
const NOTICES = [
  `create function notice_tokens() returns trigger language plpgsql as
    $$ begin perform pg_notify('${CHANGE_CHANNEL}', 'tokens'); return null; end $$`,
  `create trigger notice_tokens after update of revoked_at, expires_at or delete on tokens
    for each statement execute function notice_tokens()`,
  `create function notice_source() returns trigger language plpgsql as
    $$ begin perform pg_notify('${CHANGE_CHANNEL}', 'source ' || coalesce(new.source_id, old.source_id)); return null; end $$`,
  ...["sources", "source_keys"].map(
    (table) => `create trigger notice_source after insert or update or delete on ${table}
      for each row execute function notice_source()`,
  ),
];

export const NODES_DDL = [
  `create table nodes (node_id text primary key, seen_at timestamptz not null)`,
  CLOCK,
  ...NOTICES,
];

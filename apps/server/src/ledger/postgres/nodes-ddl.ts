/** What nodes need to agree on beside what they store: whose clock counts, what becomes of a move, and what changed. */

/** The channel of notifications: `tokens`, `source …`, or `session …` with the node that tells. */
export const CHANGES = "headwater_changes";

/**
 * The one clock of all nodes, in milliseconds since the epoch: a machine whose own is off by a day turns, empties and
 * deletes nothing early.
 */
const CLOCK = `create function ledger_now() returns bigint language sql as
  $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$`;

/** A move is known by its id, until it is finished nobody serves, and once somebody has served nothing moves there again. */
const MOVES = [
  `alter table moves add column move_id text, add column finished_at bigint, add column served_at bigint`,
  `update moves set finished_at = moved_at, served_at = moved_at`,
];

/** What changed is named, so that nodes forget that and nothing else; of workspaces and members they remember nothing. */
const NOTICES = [
  ...["organizations", "members", "tokens", "sources", "source_keys"].map(
    (table) => `drop trigger notice_change on ${table}`,
  ),
  `drop function notice_change()`,
  `create function notice_tokens() returns trigger language plpgsql as
    $$ begin perform pg_notify('${CHANGES}', 'tokens'); return null; end $$`,
  `create trigger notice_tokens after update of revoked_at, expires_at or delete on tokens
    for each statement execute function notice_tokens()`,
  `create function notice_source() returns trigger language plpgsql as
    $$ begin perform pg_notify('${CHANGES}', 'source ' || coalesce(new.source_id, old.source_id)); return null; end $$`,
  ...["sources", "source_keys"].map(
    (table) => `create trigger notice_source after insert or update or delete on ${table}
      for each row execute function notice_source()`,
  ),
];

export const NODES_DDL = [CLOCK, ...MOVES, ...NOTICES];

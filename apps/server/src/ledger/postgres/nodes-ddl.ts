/** What nodes need to agree on beside what they store: whose clock counts, and what becomes of a move. */

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
  // keys that came with a move are kept as long as any other
  `create or replace function forget_moved_keys(before bigint) returns void language plpgsql as $$
    begin
      if exists (select from moved_keys) and (select max(moved_at) < before from moves) then
        truncate moved_keys;
      end if;
    end $$`,
];

export const NODES_DDL = [CLOCK, ...MOVES];

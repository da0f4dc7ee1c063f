/** What nodes need to agree on beside what they store: whose clock counts. */

/**
 * The one clock of all nodes, in milliseconds since the epoch: a machine whose own is off by a day turns, empties and
 * deletes nothing early.
 */
const CLOCK = `create function ledger_now() returns bigint language sql as
  $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$`;

export const NODES_DDL = [CLOCK];

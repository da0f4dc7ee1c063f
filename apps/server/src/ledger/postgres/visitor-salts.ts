/**
 * The salts of visitors without browser storage, shared by all nodes. The table is unlogged, so the WAL, its archive, standbys and
 * base backups never contain a salt; a crash of the server empties it. The server makes the salts, so no statement contains one.
 */
import type pg from "pg";
import type { SaltLedger } from "../ledger.ts";
import { tryInTransaction } from "./transaction.ts";

export const SALTS_DDL: readonly string[] = [
  `create unlogged table visitor_salts (day bigint primary key, salt bytea not null)`,
];

/** A deleted row stays in the table's file until its place is used again. `truncate` begins a new file. */
export const SALT_FUNCTIONS: readonly string[] = [
  `create or replace function destroy_visitor_salts(oldest bigint) returns void language plpgsql as $$
declare
  days bigint[];
  salts bytea[];
begin
  lock table visitor_salts in access exclusive mode;
  select array_agg(day), array_agg(salt) into days, salts from visitor_salts where day >= oldest;
  truncate visitor_salts;
  insert into visitor_salts select * from unnest(days, salts);
end $$`,
];

const SELECT_SALT = "select salt from visitor_salts where day = $1";
/** The 32 bytes have 244 random bits. */
const MAKE_SALT = `insert into visitor_salts
  values ($1, decode(replace(concat(gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex')) on conflict do nothing`;
const HAS_OLD = "select from visitor_salts where day < $1 limit 1";
/** A dump locks the table for as long as it runs; the next minute tries again. */
const LOCK_TIMEOUT_MS = 1_000;

export const saltMethods = (pool: pg.Pool): SaltLedger => ({
  async visitorSalt({ day }) {
    const read = async () => (await pool.query<{ salt: Buffer }>(SELECT_SALT, [day])).rows[0]?.salt;
    const known = await read();
    if (known) return known;
    await pool.query(MAKE_SALT, [day]);
    const salt = await read();
    if (!salt) throw new Error(`the salt of day ${day} was destroyed at once`);
    return salt;
  },
  async destroyVisitorSalts({ before }) {
    if ((await pool.query(HAS_OLD, [before])).rowCount === 0) return;
    await tryInTransaction(pool, LOCK_TIMEOUT_MS, (client) =>
      client.query("select destroy_visitor_salts($1)", [before]),
    );
  },
});

/** `migrate --distributed`: what it asks of Citus, held against the rules of Citus by functions of the same names. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { distributionStatements } from "../../src/ledger/postgres/distribution.ts";
import { headwater } from "../cli/command-line.ts";
import { query } from "./cluster.ts";
import { createDatabase, type Database } from "./databases.ts";

/** What belongs to no source, or is asked for by something else; all nodes read and write it on the coordinator. */
const ON_THE_COORDINATOR = [
  "attempt_totals",
  "audit",
  "deletion_clock",
  "erasures",
  "event_catalog",
  "source_alerts",
  "headwater_schema",
  "identities",
  "invitations",
  "key_generations",
  "members",
  "move_progress",
  "moves",
  "nodes",
  "organizations",
  "profiles",
  "reports",
  "outbox_pages",
  "saved_items",
  "shipped_days",
  "sign_in_codes",
  "source_keys",
  "sources",
  "tokens",
  "tracking_plans",
  "warehouse_checks",
  "visitor_salts",
];

/**
 * The rules by which Citus takes a table: the column is in every unique key, an identity is bigint, there is no trigger
 * and no foreign key. For a table of partitions each of them is looked at.
 */
const STAND_INS = `
create table citus_tables (table_name regclass, citus_table_type text, distribution_column text, beside text);
create function create_distributed_table(table_name regclass, distribution_column text, distribution_type text default 'hash',
  colocate_with text default 'default', shard_count int default null) returns void language plpgsql as $$
declare
  part regclass;
begin
  for part in select coalesce(relid, table_name) from (select 1) one left join pg_partition_tree(table_name) on true loop
    if exists (select from pg_index i where i.indrelid = part and i.indisunique and not exists (
      select from pg_attribute a where a.attrelid = part and a.attname = distribution_column and a.attnum = any (i.indkey)
    )) then raise exception 'cannot create constraint on "%" that lacks the distribution column', part; end if;
    if exists (select from pg_attribute where attrelid = part and attidentity <> '' and atttypid <> 'bigint'::regtype)
    then raise exception 'the identity column of "%" is no bigint', part; end if;
    if exists (select from pg_trigger where tgrelid = part) or exists (select from pg_constraint
      where contype = 'f' and part in (conrelid, confrelid))
    then raise exception '"%" has a trigger or a foreign key', part; end if;
  end loop;
  if not exists (select from pg_attribute where attrelid = table_name and attname = distribution_column and attnotnull)
  then raise exception '"%" has no such column, or it may be null', table_name; end if;
  insert into citus_tables values (table_name, 'distributed', distribution_column, colocate_with);
end $$;
create function create_reference_table(table_name regclass) returns void language sql as $$
  insert into citus_tables values (table_name, 'reference', null, null) $$`;

const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).sort();

describe("headwater migrate --distributed", () => {
  let database: Database;
  const migrate = (...words: string[]) =>
    headwater({ DATABASE_URL: database.url }, "migrate", "--distributed", ...words);
  const distributed = () =>
    query<{ name: string }>(database.url, "select table_name::text as name from citus_tables");

  before(async () => {
    database = await createDatabase();
  });
  after(() => database.remove());

  it("is refused without Citus, with a message that says what to do", async () => {
    const { code, stderr } = await migrate();
    assert.equal(code, 78);
    assert.match(stderr, /needs Citus.*create extension citus/);
  });

  it("is refused for an embedded ledger", async () => {
    const { code, stderr } = await headwater({}, "migrate", "--distributed");
    assert.deepEqual([code, stderr.includes("Set DATABASE_URL")], [78, true]);
  });

  describe("with Citus", () => {
    before(() => query(database.url, STAND_INS));
    beforeEach(() => query(database.url, "truncate citus_tables"));

    it("distributes every table with a source by a column that each of its unique keys contains", async () => {
      const { code, stderr, json } = await migrate("--json");
      assert.equal(code, 0, stderr);
      assert.deepEqual(
        json().distributed,
        distributionStatements().map(({ table }) => table),
      );
      const found = await query<{ name: string; type: string; beside: string }>(
        database.url,
        "select table_name::text as name, citus_table_type as type, beside from citus_tables",
      );
      assert.deepEqual(
        found.filter(({ type }) => type === "reference").map(({ name }) => name),
        ["moved_keys"],
      );
      const alone = found.filter(({ beside }) => beside === "none").map(({ name }) => name);
      assert.deepEqual(alone, ["sessions", "event_keys"], "the others lie beside the sessions");
    });

    it("assigns every table: distributed, reference or coordinator", async () => {
      await migrate();
      const all = await query<{ name: string }>(
        database.url,
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not relispartition and relname <> 'citus_tables'`,
      );
      const decided = [...(await distributed()), ...ON_THE_COORDINATOR.map((name) => ({ name }))];
      assert.deepEqual(names(all), names(decided));
    });

    it("continues when it is run again, and then changes nothing", async () => {
      await migrate();
      await query(database.url, "delete from citus_tables where table_name = 'outbox'::regclass");
      assert.deepEqual((await migrate("--json")).json().distributed, ["outbox"]);
      assert.match((await migrate()).stdout, /nothing to do\. All tables were distributed already\./);
    });

    it("distributes nothing when Citus refuses one table", async () => {
      await query(database.url, "create unique index wrong on attempts (seq)");
      const { code, stderr } = await migrate();
      assert.equal(code, 1);
      assert.match(stderr, /"attempts" that lacks the distribution column/);
      assert.deepEqual(await distributed(), []);
      await query(database.url, "drop index wrong");
    });
  });
});

/**
 * Distributes the tables that ingest writes over the machines of a Citus cluster, by source. All other tables stay on the
 * coordinator, to which all nodes connect (docs/decisions/0012-distributed.md).
 */
import { type Queryable, UnfitPostgres } from "./connections.ts";

/** The distribution column of each table. One commit writes most of them, so their shards are on the same machine. */
const DISTRIBUTION_COLUMNS = {
  sessions: "source_id",
  usage: "source_id",
  source_activity: "source_id",
  outbox: "source_id",
  outbox_totals: "source_id",
  attempts: "source_id",
  attempt_counts: "source_id",
} as const;
const COLOCATION_TABLE = "sessions";
/** Copied to every machine: its rows have no source, and commits join it with distributed tables. */
const REFERENCE_TABLES = ["moved_keys"] as const;

/** The statements that distribute the ledger, without the tables in `done`. */
export function distributionStatements(
  done: ReadonlySet<string> = new Set(),
): { table: string; sql: string }[] {
  const sources = Object.entries(DISTRIBUTION_COLUMNS).map(([table, column]) => ({
    table,
    sql: `select create_distributed_table('${table}', '${column}', colocate_with => '${table === COLOCATION_TABLE ? "none" : COLOCATION_TABLE}')`,
  }));
  // its column is a bigint, and only columns of the same type can be colocated
  const keys = {
    table: "event_keys",
    sql: "select create_distributed_table('event_keys', 'source', colocate_with => 'none')",
  };
  const copies = REFERENCE_TABLES.map((table) => ({
    table,
    sql: `select create_reference_table('${table}')`,
  }));
  return [...sources, keys, ...copies].filter(({ table }) => !done.has(table));
}

const HAS_CITUS = `select count(distinct proname) = 2 as present from pg_proc
  where proname in ('create_distributed_table', 'create_reference_table') and pg_function_is_visible(oid)`;

/**
 * Distributes the tables that are not distributed yet, with their rows, in one transaction.
 * @returns the tables that were distributed
 * @throws UnfitPostgres when the database has no Citus
 */
export async function distribute(connection: Queryable): Promise<string[]> {
  if (!(await connection.query(HAS_CITUS)).rows[0].present)
    throw new UnfitPostgres(
      "--distributed needs Citus, which the database of DATABASE_URL does not have. Set shared_preload_libraries = 'citus' and " +
        "run `create extension citus` in it, or omit --distributed.",
    );
  const { rows } = await connection.query<{ name: string }>(
    "select table_name::text as name from citus_tables",
  );
  const wanted = distributionStatements(new Set(rows.map(({ name }) => name)));
  await connection.query("begin");
  try {
    for (const { sql } of wanted) await connection.query(sql);
    await connection.query("commit");
  } catch (error) {
    await connection.query("rollback").catch(() => undefined);
    throw error;
  }
  return wanted.map(({ table }) => table);
}

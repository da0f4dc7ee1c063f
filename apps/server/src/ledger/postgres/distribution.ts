/**
 * The hot tables over the machines of a Citus cluster, each row where its source is; what is not named here stays on the
 * coordinator, to which all nodes connect (docs/decisions/0012-distributed.md).
 */
import { type Connection, UnfitPostgres } from "./connections.ts";

/** By table, the column that says which source a row is of. A commit touches most of them, so they lie side by side. */
const BY_SOURCE = {
  sessions: "source_id",
  usage: "source_id",
  source_activity: "source_id",
  outbox: "source_id",
  outbox_totals: "source_id",
  attempts: "source_id",
  attempt_counts: "source_id",
} as const;
const BESIDE = "sessions";
/** What has no source, and is looked at beside rows that have one. */
const EVERYWHERE = ["moved_keys"] as const;

/** The statements that distribute the ledger, but for the tables in `done`. */
export function distribution(done: ReadonlySet<string> = new Set()): { table: string; sql: string }[] {
  const sources = Object.entries(BY_SOURCE).map(([table, column]) => ({
    table,
    sql: `select create_distributed_table('${table}', '${column}', colocate_with => '${table === BESIDE ? "none" : BESIDE}')`,
  }));
  // a number stands for the source here, and rows lie side by side by columns of one type only
  const keys = {
    table: "event_keys",
    sql: "select create_distributed_table('event_keys', 'source', colocate_with => 'none')",
  };
  const copies = EVERYWHERE.map((table) => ({ table, sql: `select create_reference_table('${table}')` }));
  return [...sources, keys, ...copies].filter(({ table }) => !done.has(table));
}

const HAS_CITUS = `select count(distinct proname) = 2 as present from pg_proc
  where proname in ('create_distributed_table', 'create_reference_table') and pg_function_is_visible(oid)`;

/**
 * Distributes what is not distributed yet, rows included; all or nothing.
 * @returns the tables that it distributed
 * @throws UnfitPostgres when the database has no Citus
 */
export async function distribute(connection: Connection): Promise<string[]> {
  if (!(await connection.query(HAS_CITUS)).rows[0].present)
    throw new UnfitPostgres(
      "--distributed needs Citus, which the database of DATABASE_URL does not have: set shared_preload_libraries = 'citus' and " +
        "run `create extension citus` in it, or leave --distributed out.",
    );
  const { rows } = await connection.query("select table_name::text as name from citus_tables");
  const wanted = distribution(new Set(rows.map(({ name }) => name as string)));
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

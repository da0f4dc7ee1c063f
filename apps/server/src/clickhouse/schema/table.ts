/** Writes CREATE TABLE statements, for one server or for a cluster. */
import { type ClusterTarget, onCluster, storedName } from "../cluster.ts";

interface TableDefinition {
  name: string;
  columns: Readonly<Record<string, string>>;
  /** The projection of the stored table. */
  projection?: string;
  /** An engine of the MergeTree family, with its arguments. */
  engine: `${string}MergeTree` | `${string}MergeTree(${string})`;
  /** PARTITION BY and ORDER BY. */
  clauses: string;
  settings?: string;
  /** An unsigned integer as SQL. Rows with the same value are on the same shard. */
  shardBy: string;
}

/** ClickHouse writes parts to the disk before it answers the insert. */
const DURABLE = `fsync_after_insert = 1, fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1`;

/** The replicated form of an engine, with its path in Keeper. The macros are those that every cluster defines. */
function replicated(engine: string, path: string, replica: string): string {
  const start = engine.indexOf("(");
  const name = start === -1 ? engine : engine.slice(0, start);
  const ownArguments = start === -1 ? "" : `, ${engine.slice(start + 1, -1)}`;
  return `Replicated${name}('${path}', '${replica}'${ownArguments})`;
}

type TableParts = Pick<TableDefinition, "name" | "columns" | "projection"> & {
  readonly engine: string;
  /** The clauses after the engine. */
  readonly clauses: string;
};
function createTable(target: ClusterTarget, table: TableParts): string {
  const { name, columns, projection, engine, clauses } = table;
  const lines = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  if (projection !== undefined) lines.push(projection);
  return `CREATE TABLE IF NOT EXISTS ${target.database}.${name}${onCluster(target)} (
  ${lines.join(",\n  ")}
) ENGINE = ${engine}${clauses}`;
}

const storedClauses = ({ clauses, settings }: Pick<TableDefinition, "clauses" | "settings">) =>
  `\n${clauses}\nSETTINGS ${settings === undefined ? "" : `${settings}, `}${DURABLE}`;

/**
 * The statements that create a table. On a cluster they create one table on each node, and one that reads and writes all of
 * them. They may run twice.
 */
export function tableStatements(target: ClusterTarget, table: TableDefinition): string[] {
  const { database, cluster } = target;
  const { name, columns, engine, shardBy } = table;
  const stored = { ...table, clauses: storedClauses(table) };
  if (cluster === null) return [createTable(target, stored)];
  const local = storedName(target, name);
  const path = `/clickhouse/tables/{shard}/${database}/${local}`;
  const all = `Distributed('${cluster}', '${database}', '${local}', ${shardBy})`;
  return [
    createTable(target, { ...stored, name: local, engine: replicated(engine, path, "{replica}") }),
    createTable(target, { name, columns, engine: all, clauses: "" }),
  ];
}

/** A small table. On a cluster every node has all of it. */
export function commonTableStatement(target: ClusterTarget, table: Omit<TableDefinition, "shardBy">): string {
  const { database, cluster } = target;
  const path = `/clickhouse/tables/${database}/${table.name}`;
  const engine = cluster === null ? table.engine : replicated(table.engine, path, "{shard}-{replica}");
  return createTable(target, {
    name: table.name,
    columns: table.columns,
    engine,
    clauses: storedClauses(table),
  });
}

/** A table as one server has it, or each node of a cluster and all of them together: the one place that writes `ENGINE`. */
import { type ClusterTarget, onCluster, storedName } from "../cluster.ts";

export interface Table {
  name: string;
  columns: Readonly<Record<string, string>>;
  /** Of the family of MergeTree; what it takes in brackets stands with it. */
  engine: `${string}MergeTree` | `${string}MergeTree(${string})`;
  /** PARTITION BY and ORDER BY. */
  clauses: string;
  settings?: string;
  /** Rows of which this is the same are on one shard: an unsigned integer. */
  shardBy: string;
}

/** Parts are on the disk before their insert is answered. */
const DURABLE = `fsync_after_insert = 1, fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1`;

const ENGINE = /^(\w+)(?:\((.*)\))?$/s;

/** `Replicated…`, its path in Keeper, and who it is there: by the macros that every cluster has. */
function replicated(engine: string, path: string, replica: string): string {
  const [, name, argument] = ENGINE.exec(engine)!;
  const own = argument === undefined ? "" : `, ${argument}`;
  return `Replicated${name}('${path}', '${replica}'${own})`;
}

const columnsOf = ({ columns }: Table) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(",\n  ");

const create = (target: ClusterTarget, name: string, columns: string, engine: string, rest: string) =>
  `CREATE TABLE IF NOT EXISTS ${target.database}.${name}${onCluster(target)} (
  ${columns}
) ENGINE = ${engine}${rest}`;

const restOf = ({ clauses, settings }: Table) =>
  `\n${clauses}\nSETTINGS ${settings === undefined ? "" : `${settings}, `}${DURABLE}`;

/** Each may run again. */
export function tableStatements(target: ClusterTarget, table: Table): string[] {
  const { database, cluster } = target;
  const { name, engine, shardBy } = table;
  const columns = columnsOf(table);
  if (cluster === null) return [create(target, name, columns, engine, restOf(table))];
  const stored = storedName(target, name);
  const path = `/clickhouse/tables/{shard}/${database}/${stored}`;
  return [
    create(target, stored, columns, replicated(engine, path, "{replica}"), restOf(table)),
    create(target, name, columns, `Distributed('${cluster}', '${database}', '${stored}', ${shardBy})`, ""),
  ];
}

/** A small table that every node of a cluster has whole. */
export function commonTableStatement(target: ClusterTarget, table: Omit<Table, "shardBy">): string {
  const { database, cluster } = target;
  const whole = { ...table, shardBy: "" };
  const path = `/clickhouse/tables/${database}/${table.name}`;
  const engine = cluster === null ? table.engine : replicated(table.engine, path, "{shard}-{replica}");
  return create(target, table.name, columnsOf(whole), engine, restOf(whole));
}

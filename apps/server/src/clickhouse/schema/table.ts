/** A table as one server has it, or each node of a cluster and all of them together: the one place that writes `ENGINE`. */
import { onCluster, type Place, storedName } from "../cluster.ts";

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

/** `Replicated…`, its place in Keeper, and who it is there: by the macros that every cluster has. */
function replicated(engine: string, path: string, replica: string): string {
  const [, name, argument] = ENGINE.exec(engine)!;
  const own = argument === undefined ? "" : `, ${argument}`;
  return `Replicated${name}('${path}', '${replica}'${own})`;
}

const columnsOf = ({ columns }: Table) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(",\n  ");

const create = (place: Place, name: string, columns: string, engine: string, rest: string) =>
  `CREATE TABLE IF NOT EXISTS ${place.database}.${name}${onCluster(place)} (
  ${columns}
) ENGINE = ${engine}${rest}`;

const restOf = ({ clauses, settings }: Table) =>
  `\n${clauses}\nSETTINGS ${settings === undefined ? "" : `${settings}, `}${DURABLE}`;

/** Each may run again. */
export function tableStatements(place: Place, table: Table): string[] {
  const { database, cluster } = place;
  const { name, engine, shardBy } = table;
  const columns = columnsOf(table);
  if (cluster === null) return [create(place, name, columns, engine, restOf(table))];
  const stored = storedName(place, name);
  const path = `/clickhouse/tables/{shard}/${database}/${stored}`;
  return [
    create(place, stored, columns, replicated(engine, path, "{replica}"), restOf(table)),
    create(place, name, columns, `Distributed('${cluster}', '${database}', '${stored}', ${shardBy})`, ""),
  ];
}

/** A small table that every node of a cluster has whole. */
export function commonTableStatement(place: Place, table: Omit<Table, "shardBy">): string {
  const { database, cluster } = place;
  const whole = { ...table, shardBy: "" };
  const path = `/clickhouse/tables/${database}/${table.name}`;
  const engine = cluster === null ? table.engine : replicated(table.engine, path, "{shard}-{replica}");
  return create(place, table.name, columnsOf(whole), engine, restOf(whole));
}

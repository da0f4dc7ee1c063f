/**
 * The additions of a ClickHouse cluster to statements. On a cluster each table has two names: `events` reads and writes all nodes,
 * `events_local` holds the rows of one node.
 */
import type { ClickHouseSettings } from "@clickhouse/client";

/** The database and the cluster that hold the tables. */
export interface ClusterTarget {
  database: string;
  /** The name of a cluster in the server's `remote_servers`; null when the tables are on one server. */
  cluster: string | null;
}

/** How long a DDL statement waits for all nodes. A request may take longer than this. */
const DDL_TIMEOUT_SECONDS = "20";

/** For every request: an answered insert is stored on most replicas of its shard, and reads include every shard. */
export const CLUSTER_SETTINGS: ClickHouseSettings = {
  distributed_foreground_insert: 1,
  insert_quorum: "auto",
  // a subquery in a condition reads all shards
  distributed_product_mode: "global",
  skip_unavailable_shards: 0,
  distributed_ddl_task_timeout: DDL_TIMEOUT_SECONDS,
};

/** The clause that follows a table's name, or the first word of the statement. */
export const onCluster = ({ cluster }: ClusterTarget): string =>
  cluster === null ? "" : ` ON CLUSTER '${cluster}'`;

/** The name of the table that holds the rows of one node. */
export const storedName = ({ cluster }: ClusterTarget, table: string): string =>
  cluster === null ? table : `${table}_local`;

/** A table of the database or of `system`, read on every replica, so that one that lags behind cannot hide rows. */
export const onEveryNode = ({ cluster }: ClusterTarget, table: string): string =>
  cluster === null ? table : `clusterAllReplicas('${cluster}', ${table})`;

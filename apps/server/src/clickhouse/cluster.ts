/**
 * What a cluster of ClickHouse's adds to statements. There a table has two names: `events` is asked and inserted into from
 * any node, `events_local` is what one node stores of it.
 */
import type { ClickHouseSettings } from "@clickhouse/client";

/** Where the tables are. */
export interface Place {
  database: string;
  /** A cluster of the server's `remote_servers`; null: they are on the one server. */
  cluster: string | null;
}

/** So long is waited for all nodes to do what they were told; a request may take longer. */
const NODES_SECONDS = "20";

/** For every request: what is answered is stored, by most replicas of its shard, and what is read is of all shards. */
export const CLUSTER_SETTINGS: ClickHouseSettings = {
  distributed_foreground_insert: 1,
  insert_quorum: "auto",
  // a list that is selected, for a condition, is that of all shards
  distributed_product_mode: "global",
  skip_unavailable_shards: 0,
  distributed_ddl_task_timeout: NODES_SECONDS,
};

/** After the name of a table or the word that a statement begins with. */
export const onCluster = ({ cluster }: Place): string => (cluster === null ? "" : ` ON CLUSTER '${cluster}'`);

/** The table that holds the rows, on each node by itself. */
export const storedName = ({ cluster }: Place, table: string): string =>
  cluster === null ? table : `${table}_local`;

/** A table of the database or of `system` on every node, so that no replica that lags behind is asked alone. */
export const onEveryNode = ({ cluster }: Place, table: string): string =>
  cluster === null ? table : `clusterAllReplicas('${cluster}', ${table})`;

/** The address of ClickHouse, and the credentials for it. */
import type { ClusterTarget } from "./cluster.ts";

/** The address of ClickHouse's HTTP interface, with the credentials to use there. */
export interface WarehouseEndpoint extends ClusterTarget {
  url: string;
  username: string;
  password: string;
}

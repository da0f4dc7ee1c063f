/** The official ClickHouse client, configured for the warehouse. */
import http from "node:http";
import https from "node:https";
import { type ClickHouseClient, createClient, type ResponseHeaders } from "@clickhouse/client";
import { CLUSTER_SETTINGS, type ClusterTarget } from "./cluster.ts";
import type { WarehouseEndpoint } from "./endpoint.ts";

const WAREHOUSE_REQUEST_MS = 30_000;
/** Shared by queries, exports, shipping and pings. */
const WAREHOUSE_CONNECTIONS = 16;

/** The client, and the names of its database and cluster for statements that need them. */
export type WarehouseClient = ClickHouseClient & ClusterTarget;

/** @param requestMs how long the first byte of an answer may take; commands wait longer than the service */
export const connect = (
  { url, username, password, database, cluster }: WarehouseEndpoint,
  requestMs: number = WAREHOUSE_REQUEST_MS,
): WarehouseClient => {
  const { Agent } = url.startsWith("https:") ? https : http;
  const client = createClient({
    url,
    username,
    password,
    database,
    clickhouse_settings: cluster === null ? {} : CLUSTER_SETTINGS,
    application: "headwater",
    request_timeout: requestMs,
    max_open_connections: WAREHOUSE_CONNECTIONS,
    // the agent closes an idle connection one second before ClickHouse does. The client's own timers must stay off: one that an
    // aborted query leaves behind cuts off a later query
    keep_alive: { enabled: true, idle_socket_ttl: 0 },
    http_agent: new Agent({
      keepAlive: true,
      maxSockets: WAREHOUSE_CONNECTIONS,
      timeout: requestMs,
    }),
    log: { LoggerClass: SilentLogger },
  });
  return Object.assign(client, { database, cluster });
};

/** ClickHouse sends this header with every answer to a query (clickhouse.com/docs/interfaces/http). */
const QUERY_ID_HEADER = "x-clickhouse-query-id";
export const NOT_CLICKHOUSE =
  "The server at the warehouse's address is not ClickHouse. Check CLICKHOUSE_URL.";

/**
 * Rejects an answer that does not come from ClickHouse, such as a proxy's page: any server may answer 200.
 * @throws Error with `NOT_CLICKHOUSE`
 */
export function mustBeClickHouse({ response_headers }: { response_headers: ResponseHeaders }): void {
  if (response_headers[QUERY_ID_HEADER] === undefined) throw new Error(NOT_CLICKHOUSE);
}

/** Callers log the errors they get; the client's own log would repeat them. */
class SilentLogger {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

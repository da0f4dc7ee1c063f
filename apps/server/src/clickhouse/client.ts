/** The official client on an endpoint. */

import { type ClickHouseClient, createClient, type ResponseHeaders } from "@clickhouse/client";
import { SERVER_LIMITS } from "../core/limits.ts";
import { CLUSTER_SETTINGS, type Place } from "./cluster.ts";
import type { Endpoint } from "./warehouse.ts";

const IDLE_SOCKET_MS = 2_500;

/** It knows where its tables are, for statements that name more than a table. */
export type WarehouseClient = ClickHouseClient & Place;

/** @param requestMs how long an answer may take to begin; a command waits longer than a service may */
export const connect = (
  { url, username, password, database, cluster }: Endpoint,
  requestMs: number = SERVER_LIMITS.warehouseRequestMs,
): WarehouseClient => {
  const client = createClient({
    url,
    username,
    password,
    database,
    clickhouse_settings: cluster === null ? {} : CLUSTER_SETTINGS,
    application: "headwater",
    request_timeout: requestMs,
    max_open_connections: SERVER_LIMITS.warehouseConnections,
    // a server closes an idle connection after three seconds
    keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS },
    log: { LoggerClass: Silent },
  });
  return Object.assign(client, { database, cluster });
};

/** With every answer to a query (clickhouse.com/docs/interfaces/http); a proxy's page or another service has none. */
const MARK = "x-clickhouse-query-id";
export const NOT_CLICKHOUSE = "What answers at the warehouse's address is not ClickHouse.";

/**
 * A 200 alone is no promise: whatever stands at a wrong address says that too.
 * @throws when the answer is not ClickHouse's
 */
export function mustBeClickHouse({ response_headers }: { response_headers: ResponseHeaders }): void {
  if (response_headers[MARK] === undefined) throw new Error(NOT_CLICKHOUSE);
}

/** What fails is told by whoever asked. */
class Silent {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

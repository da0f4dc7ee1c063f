/** The official client on an endpoint. */
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { LIMITS } from "@headwater/contract/limits";
import type { Endpoint } from "./warehouse.ts";

const IDLE_SOCKET_MS = 2_500;

export const connect = ({ url, username, password, database }: Endpoint): ClickHouseClient =>
  createClient({
    url,
    username,
    password,
    database,
    application: "headwater",
    request_timeout: LIMITS.warehouseRequestMs,
    max_open_connections: LIMITS.warehouseConnections,
    // a server closes an idle connection after three seconds
    keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS },
    log: { LoggerClass: Silent },
  });

/** What fails is told by whoever asked. */
class Silent {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

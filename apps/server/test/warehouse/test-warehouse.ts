/**
 * The warehouse of a test file: embedded in a new folder or, with TEST_WAREHOUSE_URL (and TEST_WAREHOUSE_CLUSTER), a new
 * database on that server.
 */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect } from "../../src/clickhouse/client.ts";
import { onCluster } from "../../src/clickhouse/cluster.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import type { WarehouseProcess } from "../../src/clickhouse/warehouse.ts";
import { clickhouseUrl } from "../../src/config/values.ts";

export const MEMORY_BYTES = 1_073_741_824;

const given = clickhouseUrl(process.env.TEST_WAREHOUSE_URL ?? "");

/** The endpoint of the external database, or null. The same folder has the same database, so that a restart finds its data. */
function externalEndpoint(folder: string): WarehouseEndpoint | null {
  if (given === null) return null;
  const own = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  return {
    ...given,
    database: `${given.database}_${own}`,
    cluster: process.env.TEST_WAREHOUSE_CLUSTER || null,
  };
}

export async function startTestWarehouse(folder: string): Promise<WarehouseProcess> {
  const endpoint = externalEndpoint(folder);
  if (endpoint === null) return startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: 2 });
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  return { endpoint, ended, end: () => resolve("it was ended") };
}

/** Deletes all data of the warehouse. */
export async function clearTestWarehouse(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const endpoint = externalEndpoint(folder);
  if (endpoint === null) return;
  const client = connect({ ...endpoint, database: "default" });
  await client.command({ query: `DROP DATABASE IF EXISTS ${endpoint.database}${onCluster(endpoint)} SYNC` });
  await client.close();
}

/** The endpoint as a URL in the format of CLICKHOUSE_URL. */
export function addressOf({ url, username, password, database }: WarehouseEndpoint): string {
  const address = new URL(`${url}/${database}`);
  Object.assign(address, { username, password });
  return address.href;
}

/** The settings of a service that uses the endpoint. */
export const settingsOf = (endpoint: WarehouseEndpoint): Record<string, string> => ({
  WAREHOUSE: "",
  CLICKHOUSE_URL: addressOf(endpoint),
  CLICKHOUSE_CLUSTER: endpoint.cluster ?? "",
});

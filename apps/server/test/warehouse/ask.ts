/** Queries the embedded warehouse of a data directory. */
import { join } from "node:path";
import { connect, type WarehouseClient } from "../../src/clickhouse/client.ts";
import { findEndpoint } from "../../src/clickhouse/embedded/endpoint-file.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import { until } from "../support/until.ts";
import { MEMORY_BYTES } from "./store.ts";

/** The warehouse of a running service. */
export async function onServedWarehouse<T>(
  dataDir: string,
  work: (client: WarehouseClient) => Promise<T>,
): Promise<T> {
  const endpoint = await findEndpoint(join(dataDir, "warehouse"));
  if (endpoint === null) throw new Error("The warehouse is not running.");
  const client = connect(endpoint);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A warehouse that no service uses. */
export async function onWarehouse<T>(
  dataDir: string,
  work: (client: WarehouseClient) => Promise<T>,
): Promise<T> {
  const options = { folder: join(dataDir, "warehouse"), memoryBytes: MEMORY_BYTES, threads: 1 };
  // the earlier engine releases the folder when its process has ended
  const engine = await until("the folder is free", () => startEmbedded(options).catch(() => null));
  const client = connect(engine.endpoint);
  try {
    return await work(client);
  } finally {
    await client.close();
    engine.end();
    await engine.ended;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
export const askWarehouse = (dataDir: string, query: string): Promise<any[]> =>
  onWarehouse(dataDir, async (client) => (await client.query({ query, format: "JSONEachRow" })).json());

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
export const askServedWarehouse = (dataDir: string, query: string): Promise<any[]> =>
  onServedWarehouse(dataDir, async (client) => (await client.query({ query, format: "JSONEachRow" })).json());

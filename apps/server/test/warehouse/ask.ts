/** Queries the embedded warehouse of a data directory that no service uses. */
import { join } from "node:path";
import { connect, type WarehouseClient } from "../../src/clickhouse/client.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import { until } from "../faults/child.ts";
import { MEMORY_BYTES, PATIENCE_MS } from "./store.ts";

export async function onWarehouse<T>(
  dataDir: string,
  work: (client: WarehouseClient) => Promise<T>,
): Promise<T> {
  const options = { folder: join(dataDir, "warehouse"), memoryBytes: MEMORY_BYTES, threads: 1 };
  // the earlier engine releases the folder when its process has ended
  const engine = await until("the folder is free", PATIENCE_MS, () =>
    startEmbedded(options).catch(() => null),
  );
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

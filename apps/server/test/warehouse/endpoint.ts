/** Starts the embedded engine without a service, for tests that use its endpoint as an external ClickHouse server. */
import { rmSync } from "node:fs";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import { startClusterOfOne } from "./cluster-of-one.ts";
import { newFolder } from "./store.ts";
import { MEMORY_BYTES } from "./test-warehouse.ts";

export { addressOf } from "./test-warehouse.ts";

export interface StartedEndpoint extends AsyncDisposable {
  endpoint: WarehouseEndpoint;
}

/** @param onShard whether the endpoint is a cluster of one shard */
export async function startEndpoint(onShard: boolean): Promise<StartedEndpoint> {
  if (onShard) return startClusterOfOne(1);
  const folder = newFolder();
  const engine = await startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: 2 });
  return {
    endpoint: engine.endpoint,
    [Symbol.asyncDispose]: async () => {
      engine.end();
      await engine.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

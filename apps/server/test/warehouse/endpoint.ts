/** An endpoint of the embedded engine that belongs to no service: whoever has its address asks it as any other. */
import { rmSync } from "node:fs";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import { startClusterOfOne } from "./cluster-of-one.ts";
import { MEMORY_BYTES } from "./life.ts";
import { newFolder } from "./store.ts";

export { addressOf } from "./life.ts";

export interface StartedEndpoint extends AsyncDisposable {
  endpoint: WarehouseEndpoint;
}

/** @param onShard as a cluster of one shard */
export async function startEndpoint(onShard: boolean): Promise<StartedEndpoint> {
  if (onShard) return startClusterOfOne(1);
  const folder = newFolder();
  const life = await startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: 2 });
  return {
    endpoint: life.endpoint,
    [Symbol.asyncDispose]: async () => {
      life.end();
      await life.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The warehouse for one command. The embedded one belongs to one process: no service may run meanwhile. */

import type { WarehouseClient } from "../clickhouse/client.ts";
import type { Endpoint } from "../clickhouse/warehouse.ts";
import type { Config } from "../config/config.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { lockDataDir } from "../ledger/sqlite/lock.ts";
import { chooseWarehouse } from "../open-warehouse.ts";
import { CommandFailed } from "./failure.ts";

/** What the network says of a server that is not there. */
const AWAY = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

/** @param work on a warehouse with the newest schema */
export async function withEndpoint<T>(
  endpoint: Endpoint,
  work: (client: WarehouseClient) => Promise<T>,
): Promise<T> {
  const { connect } = await import("../clickhouse/client.ts");
  const { migrate } = await import("../clickhouse/migrate.ts");
  const client = connect(endpoint, SERVER_LIMITS.warehouseCommandMs);
  try {
    await migrate(endpoint).catch((error: NodeJS.ErrnoException) => {
      if (!AWAY.has(error.code ?? "")) throw error;
      throw new CommandFailed(`The warehouse at ${endpoint.url} cannot be reached (${error.code}).`);
    });
    return await work(client);
  } finally {
    await client.close();
  }
}

/**
 * @param options.isAlone the command holds DATA_DIR already
 * @throws CommandFailed where there is none, DataDirInUse while a service has it
 */
export async function withWarehouse<T>(
  config: Config,
  work: (client: WarehouseClient) => Promise<T>,
  { isAlone = false } = {},
): Promise<T> {
  const start = await chooseWarehouse(config);
  if (!(start instanceof Function)) {
    throw new CommandFailed(
      start ?? "There is no warehouse: set CLICKHOUSE_URL, or WAREHOUSE=embedded without DATABASE_URL.",
    );
  }
  const isShared = config.CLICKHOUSE_URL !== null || isAlone;
  const unlock = isShared ? () => undefined : lockDataDir(config.DATA_DIR);
  try {
    const life = await start();
    try {
      return await withEndpoint(life.endpoint, work);
    } finally {
      life.end();
      if (config.CLICKHOUSE_URL === null) await life.ended;
    }
  } finally {
    unlock();
  }
}

/** Opens the warehouse for one command. Only one process can open the embedded warehouse, so the service must not be running. */
import type { WarehouseClient } from "../clickhouse/client.ts";
import type { WarehouseEndpoint } from "../clickhouse/endpoint.ts";
import type { StartWarehouse } from "../clickhouse/warehouse.ts";
import type { Config } from "../config/settings.ts";
import { systemCode } from "../core/errors.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { lockDataDir } from "../ledger/sqlite/lock.ts";
import { chooseWarehouse, embeddedFolder } from "../open-warehouse.ts";
import { CommandFailed } from "./errors.ts";

const UNREACHABLE: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
]);

export async function withClient<T>(
  endpoint: WarehouseEndpoint,
  run: (client: WarehouseClient) => Promise<T>,
): Promise<T> {
  const { connect } = await import("../clickhouse/client.ts");
  const client = connect(endpoint, SERVER_LIMITS.warehouseCommandMs);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

/** Runs an embedded engine as long as it is used. */
export async function withEngine<T>(
  start: StartWarehouse,
  run: (endpoint: WarehouseEndpoint) => Promise<T>,
): Promise<T> {
  const engine = await start();
  try {
    return await run(engine.endpoint);
  } finally {
    engine.end();
    await engine.ended;
  }
}

/** Brings the schema of the warehouse up to date first. */
export const withEndpoint = <T>(
  endpoint: WarehouseEndpoint,
  run: (client: WarehouseClient) => Promise<T>,
): Promise<T> =>
  withClient(endpoint, async (client) => {
    const { migrate } = await import("../clickhouse/migrate.ts");
    await migrate(endpoint).catch((error: unknown) => {
      const code = systemCode(error);
      if (!UNREACHABLE.has(code)) throw error;
      throw new CommandFailed(`The warehouse at ${endpoint.url} cannot be reached (${code}).`);
    });
    return run(client);
  });

/** Uses the embedded warehouse of a running service, if there is one. @throws what `withWarehouse` throws */
export async function withServedWarehouse<T>(
  config: Config,
  run: (client: WarehouseClient) => Promise<T>,
): Promise<T> {
  const { findEndpoint } = await import("../clickhouse/embedded/endpoint-file.ts");
  const running = config.CLICKHOUSE_URL === null ? await findEndpoint(embeddedFolder(config)) : null;
  return running ? withEndpoint(running, run) : withWarehouse(config, run);
}

/**
 * @param options.isLocked the command holds the lock of DATA_DIR already
 * @throws CommandFailed when no warehouse is configured, DataDirInUse while a service uses the embedded one
 */
export async function withWarehouse<T>(
  config: Config,
  run: (client: WarehouseClient) => Promise<T>,
  { isLocked = false } = {},
): Promise<T> {
  const start = await chooseWarehouse(config);
  if (!(start instanceof Function)) {
    throw new CommandFailed(start ?? "No warehouse is configured. Set CLICKHOUSE_URL or WAREHOUSE=embedded.");
  }
  if (config.CLICKHOUSE_URL !== null) return withEndpoint((await start()).endpoint, run);
  const unlock = isLocked ? () => undefined : lockDataDir(config.DATA_DIR);
  try {
    return await withEngine(start, (endpoint) => withEndpoint(endpoint, run));
  } finally {
    unlock();
  }
}

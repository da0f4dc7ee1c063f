/** Chooses the warehouse by the settings: a ClickHouse server, the embedded engine, or none. No other file knows which. */
import { join } from "node:path";
import type { EmbeddedOptions } from "./clickhouse/embedded/start.ts";
import { noWarehouse, type StartWarehouse, type Warehouse } from "./clickhouse/warehouse.ts";
import { ConfigError } from "./config/config.ts";
import type { Config } from "./config/settings.ts";
import type { WarehouseMonitor } from "./workers/warehouse-monitor.ts";
import type { WorkerLog } from "./workers/worker.ts";

const NOT_INSTALLED =
  "the embedded warehouse (the optional package chdb) is not installed or has no build for this platform: " +
  "accepted events stay in the ledger for RETENTION_DAYS. Install it, set CLICKHOUSE_URL, or set WAREHOUSE=off.";

/** The memory that one query may use. A server of somebody else gets the same limit. */
export const queryMemoryBytes = ({ WAREHOUSE_MEMORY_BYTES }: Config): number =>
  Math.floor(WAREHOUSE_MEMORY_BYTES / 2);

export const embeddedFolder = (config: Config) => join(config.DATA_DIR, "warehouse");

/**
 * @param extraOptions engine options that only a command sets, such as `backups`
 * @returns a function that starts the embedded engine. It throws ConfigError when the engine is not installed
 */
export function startEmbeddedFor(
  config: Config,
  extraOptions: Pick<EmbeddedOptions, "backups"> = {},
): StartWarehouse {
  const options = {
    ...extraOptions,
    folder: embeddedFolder(config),
    memoryBytes: config.WAREHOUSE_MEMORY_BYTES,
    threads: config.WAREHOUSE_THREADS,
  };
  return async (signal) => {
    const { isInstalled, startEmbedded } = await import("./clickhouse/embedded/start.ts");
    if (!isInstalled()) throw new ConfigError(NOT_INSTALLED);
    return startEmbedded(options, signal);
  };
}

/**
 * @returns a function that starts the warehouse that the settings name. If there is none: the reason why it is missing, or
 *   null if the settings turn it off. The embedded engine is imported only when it is used.
 */
export async function chooseWarehouse(config: Config): Promise<StartWarehouse | string | null> {
  if (config.WAREHOUSE === "off") return null;
  if (config.CLICKHOUSE_URL !== null) {
    const endpoint = { ...config.CLICKHOUSE_URL, cluster: config.CLICKHOUSE_CLUSTER };
    return async () => ({ endpoint, ended: new Promise<string>(() => undefined), end: () => undefined });
  }
  // with DATABASE_URL there is no embedded engine: each node's engine would hold only its own part of the events
  if (config.DATABASE_URL !== null) return null;
  const { isInstalled } = await import("./clickhouse/embedded/start.ts");
  return isInstalled() ? startEmbeddedFor(config) : NOT_INSTALLED;
}

/** The warehouse, and its worker when there is one to start. */
export interface OpenedWarehouse {
  warehouse: Warehouse;
  /** Brings the warehouse up and keeps it up. Null when there is none. */
  startMonitor: WarehouseMonitor["start"] | null;
}

/** Starts nothing yet: the warehouse stays in the state `starting` until its monitor has run. */
export async function openWarehouse(
  config: Config,
  log: WorkerLog & { info(message: string): void },
): Promise<OpenedWarehouse> {
  const choice = await chooseWarehouse(config);
  if (choice instanceof Function) {
    const { createWarehouseMonitor } = await import("./workers/warehouse-monitor.ts");
    const monitor = createWarehouseMonitor({ startWarehouse: choice, log });
    return { warehouse: monitor, startMonitor: monitor.start };
  }
  if (choice !== null) log.warn({}, choice);
  return { warehouse: noWarehouse(choice), startMonitor: null };
}

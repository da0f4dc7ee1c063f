/** Chooses the warehouse by the settings: a ClickHouse server, the embedded engine, or none. No other file knows which. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddedOptions } from "./clickhouse/embedded/start.ts";
import { noWarehouse, type StartWarehouse } from "./clickhouse/warehouse.ts";
import { ConfigError } from "./config/config.ts";
import type { Config } from "./config/settings.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { makeFolder, writeWhole } from "./ledger/sqlite/database.ts";
import { refuseMarked } from "./ledger/sqlite/folder-mark.ts";
import { lockDataDir } from "./ledger/sqlite/lock.ts";
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
  // each node's engine would hold only a part of the events, so one node has it, which its settings name
  if (config.DATABASE_URL !== null && config.WAREHOUSE !== "embedded") return null;
  const { isInstalled } = await import("./clickhouse/embedded/start.ts");
  return isInstalled() ? startEmbeddedFor(config) : NOT_INSTALLED;
}

/**
 * The file with the id of an embedded warehouse's folder, which a copy of the folder has too. During a claim, and after an
 * interrupted one, it also has the id that is being claimed.
 */
export const PLACE_ID = "place-id";
const placeIdPath = (config: Config) => join(embeddedFolder(config), PLACE_ID);

function readPlaceIds(config: Config): string[] {
  const path = placeIdPath(config);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
}

const writePlaceIds = (config: Config, ids: readonly string[]) =>
  writeWhole(placeIdPath(config), ids.join("\n"));

const makePlaceId = () => randomBytes(16).toString("hex");

/** The ids are written first, so that an interrupted claim can be repeated. */
async function claimPlace(config: Config, { ledger, url }: WarehouseSurroundings): Promise<void> {
  const [known = makePlaceId(), placeId = makePlaceId()] = readPlaceIds(config);
  const knownIds = [known, placeId];
  makeFolder(embeddedFolder(config));
  writePlaceIds(config, knownIds);
  await ledger.claimWarehouse({ placeId, url: url(), knownIds });
  writePlaceIds(config, [placeId]);
}

const isShared = ({ DATABASE_URL, CLICKHOUSE_URL }: Config) =>
  DATABASE_URL !== null && CLICKHOUSE_URL === null;

/**
 * Makes sure that this process reads and fills the warehouse that has the events of the ledger.
 * @throws WarehouseElsewhere
 */
export async function refuseWarehouseElsewhere(config: Config, ledger: Ledger): Promise<void> {
  const place = isShared(config) ? await ledger.warehousePlace() : null;
  if (place === null || (config.WAREHOUSE === "embedded" && readPlaceIds(config).includes(place.placeId)))
    return;
  const { WarehouseElsewhere } = await import("./ledger/postgres/warehouse-place.ts");
  throw new WarehouseElsewhere(place);
}

/** The engine of this node for the events of all nodes. */
async function startShared(config: Config, surroundings: WarehouseSurroundings): Promise<StartWarehouse> {
  await refuseWarehouseElsewhere(config, surroundings.ledger);
  const start = startEmbeddedFor(config);
  return async (signal) => {
    await claimPlace(config, surroundings);
    return start(signal);
  };
}

interface WarehouseSurroundings {
  ledger: Ledger;
  log: WorkerLog & { info(message: string): void; error(message: string): void };
  /** The address of this node, for the operator. */
  url(): string;
  /** The address of another node that has the warehouse of all nodes. */
  nodeUrl(): string | null;
  /** Whether this node had it before. */
  isLost(): boolean;
}

/**
 * Starts nothing yet: the warehouse stays in the state `starting` until its monitor has run.
 * @returns the warehouse, and what brings it up and keeps it up; null when there is none
 * @throws DataDirInUse when a process uses the embedded warehouse already, WarehouseElsewhere when another node has it
 */
export async function openWarehouse(
  config: Config,
  surroundings: WarehouseSurroundings,
  cleanup: AsyncDisposableStack,
) {
  const { ledger, log, nodeUrl, isLost } = surroundings;
  const choice = await chooseWarehouse(config);
  if (choice instanceof Function) {
    if (isShared(config)) {
      makeFolder(config.DATA_DIR);
      refuseMarked(config.DATA_DIR, ["move"]);
      cleanup.defer(lockDataDir(config.DATA_DIR));
    }
    const { createWarehouseMonitor } = await import("./workers/warehouse-monitor.ts");
    const startWarehouse = isShared(config) ? await startShared(config, surroundings) : choice;
    const monitor = createWarehouseMonitor({ startWarehouse, log, nodeUrl, isLost });
    return { warehouse: monitor, startMonitor: monitor.start };
  }
  if (choice !== null) log.warn({}, choice);
  const place = await ledger.warehousePlace();
  const warehouse = noWarehouse(choice, () => nodeUrl() ?? place?.url ?? null);
  return { warehouse, startMonitor: null };
}

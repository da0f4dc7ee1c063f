/** Which warehouse, and what is shipped to it: the one place that knows that there is more than one kind. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { EmbeddedOptions } from "./clickhouse/embedded/start.ts";
import type { StartLife } from "./clickhouse/keep.ts";
import { noWarehouse, type Warehouse } from "./clickhouse/warehouse.ts";
import { type Config, ConfigError } from "./config/config.ts";
import { DAY_MS } from "./core/time.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { type EraserDeps, startEraser } from "./workers/erasures.ts";
import { createExpiry } from "./workers/retention.ts";
import type { ShipperTotals } from "./workers/shipper.ts";

const NOT_INSTALLED =
  "the embedded warehouse (the optional package chdb) is not installed or has no build for this platform: " +
  "accepted events stay in the ledger for RETENTION_DAYS. Install it, set CLICKHOUSE_URL, or set WAREHOUSE=off.";

export const embeddedFolder = (config: Config) => join(config.DATA_DIR, "warehouse");

/**
 * @param more what a command needs beyond the settings
 * @throws ConfigError where it is not installed
 */
export function startEmbeddedOf(config: Config, more: Pick<EmbeddedOptions, "backups"> = {}): StartLife {
  const options = {
    ...more,
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
 * How the warehouse of the settings is brought up; or else why there is none, null when that is wanted. What it needs
 * is loaded only where there is one.
 */
export async function warehouseStart(config: Config): Promise<StartLife | string | null> {
  if (config.WAREHOUSE === "off") return null;
  if (config.CLICKHOUSE_URL !== null) {
    const endpoint = { ...config.CLICKHOUSE_URL, cluster: config.CLICKHOUSE_CLUSTER };
    return async () => ({ endpoint, ended: new Promise<string>(() => undefined), end: () => undefined });
  }
  // several nodes would each hold a part of the events
  if (config.DATABASE_URL !== null) return null;
  const { isInstalled } = await import("./clickhouse/embedded/start.ts");
  return isInstalled() ? startEmbeddedOf(config) : NOT_INSTALLED;
}

async function openWarehouse(config: Config, log: Logger): Promise<Warehouse> {
  const start = await warehouseStart(config);
  if (start instanceof Function) {
    const { keepWarehouse } = await import("./clickhouse/keep.ts");
    return keepWarehouse({ start, log });
  }
  if (start !== null) log.warn(start);
  return noWarehouse(start);
}

export interface Shipping extends Pick<Warehouse, "state" | "client"> {
  losses(): number;
  totals(): Readonly<ShipperTotals>;
  /** Deletes what is past its source's days, or RETENTION_DAYS where there is no warehouse. */
  expire(at: { now: number }): Promise<void>;
  stop(): Promise<void>;
}

export interface ShippingParts {
  config: Config;
  ledger: Ledger;
  clock(): number;
  newId(prefix: string): string;
  log: Logger;
  /** What the service remembers of visitors, for whoever erases them. */
  memory: Pick<EraserDeps, "flushAttempts" | "asRecorded" | "forgetSession">;
  onCaughtUp(): void;
}

const NOTHING: ShipperTotals = { events: 0, failures: 0, refused: 0 };
/** Of 4,000 rows each: more in a minute than can be accepted in one. */
const SLICES = 1_000;

/** Comes up beside the service, which does not wait for it. */
export async function startShipping(parts: ShippingParts): Promise<Shipping> {
  const { config, ledger, clock, newId, log, memory, onCaughtUp } = parts;
  const warehouse = await openWarehouse(config, log);
  const isOff = warehouse.state() === "off";
  const { startShipper } = await import("./workers/shipper.ts");
  const shipper = isOff ? null : startShipper({ ledger, warehouse, clock, newId, log, onCaughtUp });
  const { startSettler } = await import("./workers/rollups.ts");
  const settler = isOff ? null : startSettler({ warehouse, clock, log });
  const expire = createExpiry({ ledger, warehouse });
  const isWithoutWarehouse = () =>
    isOff && warehouse.problem() === null && !existsSync(embeddedFolder(config));
  const eraser = startEraser({ ledger, warehouse, isWithoutWarehouse, clock, log, ...memory });
  return {
    state: warehouse.state,
    client: warehouse.client,
    losses: warehouse.losses,
    totals: () => shipper?.totals() ?? NOTHING,
    expire: async ({ now }) => {
      if (!isOff) return expire({ now });
      const before = now - config.RETENTION_DAYS * DAY_MS;
      for (let slice = 0; slice < SLICES && (await ledger.expireOutbox({ before })); ) slice++;
    },
    stop: async () => {
      await Promise.all([shipper?.stop(), eraser.stop(), settler?.stop()]);
      await warehouse.close();
    },
  };
}

/** The embedded warehouse, copied and put back by the engine itself (BACKUP, RESTORE) while it is written to: each table as of a moment of its own. */

import { randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type WarehouseClient } from "../../clickhouse/client.ts";
import { DERIVED_TABLES } from "../../clickhouse/schema/rollups.ts";
import type { Endpoint } from "../../clickhouse/warehouse.ts";
import type { Config } from "../../config/config.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { embeddedFolder, startEmbeddedFor } from "../../open-warehouse.ts";
import { CommandFailed } from "../failure.ts";
import { type Copied, flush } from "./ledger-copy.ts";

export const WAREHOUSE = "warehouse";
const POLL_MS = 200;

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

interface Work {
  status: string;
  error: string;
  files: number;
  bytes: number;
}

/** The engine works at it by itself, for as long as it takes. */
async function done(client: WarehouseClient, statement: string, id: string = randomUUID()): Promise<Work> {
  await client.command({ query: `${statement} SETTINGS id = '${id}' ASYNC` });
  const query = `SELECT toString(status) AS status, error, toUInt32(num_files) AS files, toFloat64(total_size) AS bytes
    FROM system.backups WHERE id = '${id}'`;
  for (;;) {
    const [work] = await (await client.query({ query, format: "JSONEachRow" })).json<Work>();
    if (work === undefined)
      throw new CommandFailed("The embedded warehouse was started anew meanwhile; begin again.");
    if (/FAILED|CANCELLED/.test(work.status))
      throw new CommandFailed(`The embedded warehouse says: ${work.error}`);
    if (/^(?:BACKUP_CREATED|RESTORED)$/.test(work.status)) return work;
    await pause(POLL_MS);
  }
}

async function onEndpoint<T>(endpoint: Endpoint, work: (client: WarehouseClient) => Promise<T>): Promise<T> {
  const client = connect(endpoint, SERVER_LIMITS.warehouseCommandMs);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** By an engine of the command's own. */
async function alone<T>(
  config: Config,
  work: (client: WarehouseClient) => Promise<T>,
  more: { backups?: string } = {},
): Promise<T> {
  const life = await startEmbeddedFor(config, more)();
  try {
    return await onEndpoint({ ...life.endpoint, database: "default" }, work);
  } finally {
    life.end();
    await life.ended;
  }
}

/** Is there an embedded warehouse that belongs to the ledger? */
export function hasWarehouse(config: Config): boolean {
  const folder = embeddedFolder(config);
  return config.CLICKHOUSE_URL === null && existsSync(folder) && readdirSync(folder).length > 0;
}

/**
 * The engine writes into its own folder, because that is where a service may write; then it is brought to its place.
 * @param target a folder that holds no warehouse; it is on the disk when it resolves
 */
export async function copyWarehouse(config: Config, target: string): Promise<Copied> {
  const { DATABASE } = await import("../../clickhouse/embedded/start.ts");
  const { findEmbedded } = await import("../../clickhouse/embedded/joining.ts");
  const { backupsIn } = await import("../../clickhouse/embedded/engine.ts");
  const folder = embeddedFolder(config);
  const served = await findEmbedded(folder);
  const [path, id] = [join(target, WAREHOUSE), randomUUID()];
  const [made, draft] = [join(backupsIn(folder), id), `${path}.unfinished`];
  const copy = (client: WarehouseClient) =>
    done(client, `BACKUP DATABASE ${DATABASE} TO File(${quoted(resolve(made))})`, id);
  try {
    const { files, bytes } = await (served === null ? alone(config, copy) : onEndpoint(served, copy));
    rmSync(draft, { recursive: true, force: true });
    cpSync(made, draft, { recursive: true });
    flush(draft);
    renameSync(draft, path);
    return { file: WAREHOUSE, path, bytes, counts: { files } };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new CommandFailed(`The warehouse cannot be copied to ${path}: ${(error as Error).message}`);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** @param source the folder of a backup */
export async function restoreWarehouse(config: Config, source: string): Promise<Copied> {
  const { DATABASE } = await import("../../clickhouse/embedded/start.ts");
  const folder = embeddedFolder(config);
  const statement = `RESTORE DATABASE ${DATABASE} FROM File(${quoted(resolve(source, WAREHOUSE))})`;
  const putBack = async (client: WarehouseClient) => {
    const work = await done(client, statement);
    // a table of another moment than its record would be believed for good; it is all derived anew
    for (const table of DERIVED_TABLES)
      await client.command({ query: `TRUNCATE TABLE IF EXISTS ${DATABASE}.${table}` });
    return work;
  };
  try {
    const { files, bytes } = await alone(config, putBack, { backups: source });
    flush(folder);
    return { file: WAREHOUSE, path: folder, bytes, counts: { files } };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new CommandFailed(
      `The warehouse cannot be restored from ${join(source, WAREHOUSE)}: ${(error as Error).message}`,
    );
  }
}

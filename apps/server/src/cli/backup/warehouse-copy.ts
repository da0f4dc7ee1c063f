/**
 * Copies and restores the embedded warehouse with ClickHouse's own BACKUP and RESTORE, while it is written to. Tables are
 * copied one after the other, so their copies are of different moments.
 */
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { WarehouseClient } from "../../clickhouse/client.ts";
import { ROLLUP_TABLES } from "../../clickhouse/schema/rollups.ts";
import type { Config } from "../../config/settings.ts";
import { messageOf } from "../../core/errors.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { isServed } from "../../ledger/sqlite/lock.ts";
import { embeddedFolder, PLACE_ID, startEmbeddedFor } from "../../open-warehouse.ts";
import { CommandFailed } from "../errors.ts";
import type { ProgressWriter } from "../report.ts";
import { withClient, withEngine } from "../warehouse-access.ts";
import { type CopiedFile, flushToDisk } from "./sqlite-copy.ts";

/** The warehouse's folder in a backup. */
export const WAREHOUSE = "warehouse";
const POLL_MS = 200;
/** A service makes the folder of its warehouse within a second after it listens. */
const NEW_FOLDER_MS = 10_000;

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A row of `system.backups`. */
interface BackupJob {
  status: string;
  error: string;
  files: number;
  bytes: number;
}

/**
 * Runs a BACKUP or RESTORE statement in the background of the engine and waits until it is done, however long it takes.
 * @throws CommandFailed
 */
async function runJob(client: WarehouseClient, statement: string, id: string): Promise<BackupJob> {
  await client.command({ query: `${statement} SETTINGS id = '${id}' ASYNC` });
  const query = `SELECT toString(status) AS status, error, toUInt32(num_files) AS files, toFloat64(total_size) AS bytes
    FROM system.backups WHERE id = '${id}'`;
  for (;;) {
    const [job] = await (await client.query({ query, format: "JSONEachRow" })).json<BackupJob>();
    if (job === undefined)
      throw new CommandFailed(
        "The embedded warehouse was restarted while the command ran. Run the command again.",
      );
    if (/FAILED|CANCELLED/.test(job.status))
      throw new CommandFailed(`The embedded warehouse failed. ${job.error}`);
    if (/^(?:BACKUP_CREATED|RESTORED)$/.test(job.status)) return job;
    await pause(POLL_MS);
  }
}

/** The file that says which of several nodes' folders has the events. An embedded ledger has none. */
function copyPlaceId(from: string, to: string): void {
  const path = join(from, PLACE_ID);
  if (existsSync(path)) cpSync(path, join(to, PLACE_ID));
}

/** Starts an engine for this command. */
const withOwnEngine = <T>(
  config: Config,
  run: (client: WarehouseClient) => Promise<T>,
  options: { backups?: string } = {},
): Promise<T> =>
  withEngine(startEmbeddedFor(config, options), (endpoint) =>
    withClient({ ...endpoint, database: "default" }, run),
  );

/** Uses the engine of the service that serves DATA_DIR, which may be starting, or one of its own. */
async function withAnyEngine<T>(
  config: Config,
  run: (client: WarehouseClient) => Promise<T>,
  progress: ProgressWriter,
): Promise<T> {
  const { findEndpoint } = await import("../../clickhouse/embedded/endpoint-file.ts");
  const folder = embeddedFolder(config);
  const until = performance.now() + SERVER_LIMITS.warehouseStartMs;
  for (;;) {
    const running = await findEndpoint(folder);
    if (running !== null) return withClient(running, run);
    if (!isServed(config.DATA_DIR)) return withOwnEngine(config, run);
    if (performance.now() > until)
      throw new CommandFailed("The service's warehouse does not start. The service's log says why.");
    progress(() => "The service's warehouse is starting. Waiting for it.");
    await pause(POLL_MS);
  }
}

/**
 * Whether DATA_DIR has an embedded warehouse. A service that has just started for the first time is about to make its folder, so
 * the command waits for it.
 */
export async function hasEmbeddedWarehouse(config: Config): Promise<boolean> {
  if (config.CLICKHOUSE_URL !== null) return false;
  const { isInstalled } = await import("../../clickhouse/embedded/start.ts");
  const folder = embeddedFolder(config);
  const isUsed = () => existsSync(folder) && readdirSync(folder).length > 0;
  const isExpected = config.WAREHOUSE !== "off" && isInstalled();
  const until = performance.now() + NEW_FOLDER_MS;
  while (!isUsed() && isExpected && isServed(config.DATA_DIR) && performance.now() < until)
    await pause(POLL_MS);
  return isUsed();
}

/**
 * The engine may write to its own folder only, so the copy is written there and then moved to the target. It is
 * flushed to the disk when the promise resolves.
 */
export async function copyWarehouse(
  config: Config,
  target: string,
  progress: ProgressWriter,
): Promise<CopiedFile> {
  const { DATABASE } = await import("../../clickhouse/embedded/start.ts");
  const { backupsIn } = await import("../../clickhouse/embedded/engine.ts");
  const folder = embeddedFolder(config);
  const path = join(target, WAREHOUSE);
  const unfinished = `${path}.unfinished`;
  const id = randomUUID();
  const written = join(backupsIn(folder), id);
  const copy = (client: WarehouseClient) =>
    runJob(client, `BACKUP DATABASE ${DATABASE} TO File(${quote(resolve(written))})`, id);
  try {
    const { files, bytes } = await withAnyEngine(config, copy, progress);
    rmSync(unfinished, { recursive: true, force: true });
    // copied folders get the default mode, which others could read, and they contain visitors' data
    process.umask(0o077);
    cpSync(written, unfinished, { recursive: true });
    copyPlaceId(folder, unfinished);
    flushToDisk(unfinished);
    renameSync(unfinished, path);
    return { file: WAREHOUSE, path, bytes, counts: { files } };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new CommandFailed(`The warehouse cannot be copied to ${path}: ${messageOf(error)}`);
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

/** @param source the folder of the backup */
export async function restoreWarehouse(config: Config, source: string): Promise<CopiedFile> {
  const { DATABASE } = await import("../../clickhouse/embedded/start.ts");
  const folder = embeddedFolder(config);
  const statement = `RESTORE DATABASE ${DATABASE} FROM File(${quote(resolve(source, WAREHOUSE))})`;
  const restore = async (client: WarehouseClient) => {
    const job = await runJob(client, statement, randomUUID());
    // the copies of rollups and of the table of their builds may not fit together, so all rollups are built again
    for (const table of ROLLUP_TABLES)
      await client.command({ query: `TRUNCATE TABLE IF EXISTS ${DATABASE}.${table}` });
    return job;
  };
  try {
    const { files, bytes } = await withOwnEngine(config, restore, { backups: source });
    copyPlaceId(join(source, WAREHOUSE), folder);
    flushToDisk(folder);
    return { file: WAREHOUSE, path: folder, bytes, counts: { files } };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new CommandFailed(
      `The warehouse cannot be restored from ${join(source, WAREHOUSE)}: ${messageOf(error)}`,
    );
  }
}

/** `headwater move-warehouse`: copies all events of a warehouse into another, for example from the embedded one to a cluster. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, defineCommand, flag, text } from "../../src/cli/command.ts";
import { CommandFailed, UsageError } from "../../src/cli/errors.ts";
import { type CommandReport, table } from "../../src/cli/report.ts";
import { withEndpoint } from "../../src/cli/warehouse-access.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import { ConfigError, processEnvironment, readConfig } from "../../src/config/config.ts";
import type { Config } from "../../src/config/settings.ts";
import { clickhouseUrl, clusterName } from "../../src/config/values.ts";
import { HEADWATER } from "../../src/core/command-name.ts";
import { messageOf } from "../../src/core/errors.ts";
import { refuseMarked, removeMark, writeMark } from "../../src/ledger/sqlite/folder-mark.ts";
import { DataDirInUse, lockDataDir } from "../../src/ledger/sqlite/lock.ts";
import { embeddedFolder, startEmbeddedFor } from "../../src/open-warehouse.ts";
import { type MovedMonth, moveEvents } from "./move-events.ts";

function parseEndpoint(text: string, option: string): WarehouseEndpoint {
  try {
    const address = clickhouseUrl(text);
    if (address !== null) return { ...address, cluster: null };
  } catch {
    // the message of the error may contain the password
  }
  throw new ConfigError(`${option} must be an address such as https://user:password@host:8443/database.`);
}

function parseCluster(name: string): string | null {
  try {
    return clusterName(name);
  } catch (error) {
    throw new UsageError(`--cluster ${messageOf(error)}.`);
  }
}

/** The embedded warehouse of a running service. */
async function runningIn(dataDir: string): Promise<WarehouseEndpoint> {
  const { findEndpoint } = await import("../../src/clickhouse/embedded/endpoint-file.ts");
  const endpoint = await findEndpoint(join(dataDir, "warehouse"));
  if (endpoint) return endpoint;
  throw new CommandFailed(
    `No embedded warehouse answers in --to ${dataDir}. Start the service with that DATA_DIR, wait until its /readyz says that ` +
      "the warehouse is `up`, and run the command again.",
  );
}

/** @param given the value of --to: an address, or the folder of a running service */
async function targetOf(
  config: Config,
  given: string | undefined,
  cluster: string | undefined,
): Promise<WarehouseEndpoint> {
  if (given !== undefined && existsSync(given)) return runningIn(given);
  const inCluster = { cluster: cluster === undefined ? config.CLICKHOUSE_CLUSTER : parseCluster(cluster) };
  if (given !== undefined) return { ...parseEndpoint(given, "--to"), ...inCluster };
  if (config.CLICKHOUSE_URL !== null) return { ...config.CLICKHOUSE_URL, ...inCluster };
  throw new UsageError(
    "Missing option --to <url>: the warehouse to move to. CLICKHOUSE_URL is not set either.",
  );
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** @param next what to do after the move */
function reportMove(months: readonly MovedMonth[], next: string): CommandReport {
  const events = sum(months.map(({ eventsHere }) => eventsHere));
  const there = sum(months.map(({ eventsThere }) => eventsThere));
  const moved = sum(months.map((month) => month.moved));
  const rows = months.map(({ sourceId, month, eventsHere, eventsThere, moved: now }) => [
    sourceId,
    month,
    eventsHere,
    eventsThere,
    now,
  ]);
  const surplus =
    there > events
      ? ` On the days of these events the target has ${there - events} more, which is normal if a service has shipped events there. If you erased a visitor here after an earlier move, erase the visitor there too.`
      : "";
  return {
    json: { events, moved, there, months },
    text: table(
      ["source", "month", "here", "there", "new there"],
      [...rows, ["all", "", events, there, moved]],
    ),
    note: `Every event is in the target, exactly once.${surplus} ${next} The events here stay until you delete them.`,
  };
}

/** @returns null while a service uses the folder. It may serve from the target already */
function lockIfFree(dataDir: string): (() => void) | null {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof DataDirInUse) return null;
    throw error;
  }
}

/** No service starts on the folder until the target has every event. @param dataDir null: the events are in no folder */
async function whileMarked<T>(dataDir: string | null, work: () => Promise<T>): Promise<T> {
  const unlock = dataDir === null ? null : lockIfFree(dataDir);
  if (dataDir === null || unlock === null) return work();
  try {
    writeMark(dataDir, "move-warehouse", {});
    const result = await work();
    removeMark(dataDir, "move-warehouse");
    return result;
  } finally {
    unlock();
  }
}

function giveUp(dataDir: string): CommandReport {
  const text = removeMark(dataDir, "move-warehouse")
    ? "The move is abandoned. A service can use DATA_DIR again. The target keeps the events that were copied."
    : "The warehouse in DATA_DIR is not being moved, so there is nothing to give up.";
  return { json: { ok: true }, text };
}

/** Starts the embedded warehouse of DATA_DIR for this command. */
async function withEmbedded<T>(config: Config, run: (client: WarehouseClient) => Promise<T>): Promise<T> {
  refuseMarked(config.DATA_DIR, ["move", "move-warehouse"]);
  // without this check an empty warehouse would be created and reported as moved
  if (!existsSync(embeddedFolder(config)))
    throw new CommandFailed(
      `There is no warehouse in DATA_DIR ${config.DATA_DIR}. Set DATA_DIR to the folder that has one, or give --from.`,
    );
  const engine = await startEmbeddedFor(config)().catch((error: unknown) => {
    if (!/cannot be opened/.test(messageOf(error))) throw error;
    throw new CommandFailed(
      `${messageOf(error)}. If a service is using it, stop the service, or start it with CLICKHOUSE_URL set to the target.`,
    );
  });
  try {
    return await withEndpoint(engine.endpoint, run);
  } finally {
    engine.end();
    await engine.ended;
  }
}

export const moveWarehouse: Command = defineCommand({
  description: "Copy all events from one warehouse into another",
  details: [
    "Stop the service first if it uses the embedded warehouse. After an interruption, run the command again to resume.",
  ],
  options: {
    to: text(
      "url",
      "http://user:password@host:8123/database, or the DATA_DIR of a running service (default: CLICKHOUSE_URL)",
    ),
    cluster: text(
      "name",
      "Name of the target's ClickHouse cluster, in remote_servers (default: CLICKHOUSE_CLUSTER)",
    ),
    from: text("url", "Server to copy from (default: the embedded warehouse in DATA_DIR)"),
    "give-up": flag("Abandon an interrupted move, so that a service can use DATA_DIR again"),
  },
  run: async ({ from: given, to, cluster, "give-up": isGivenUp }, { progress }) => {
    const config = readConfig(processEnvironment());
    if (isGivenUp) return giveUp(config.DATA_DIR);
    const isRunning = to !== undefined && existsSync(to);
    const target = await targetOf(config, to, cluster);
    const origin = given === undefined ? null : parseEndpoint(given, "--from");
    if (origin?.url === target.url && origin.database === target.database)
      throw new UsageError("--from and --to are the same warehouse.");
    const dataDir = origin === null ? config.DATA_DIR : null;
    const moveFrom = (from: WarehouseClient) =>
      withEndpoint(target, async (to) =>
        reportMove(
          await whileMarked(dataDir, () => moveEvents(from, to, progress)),
          isRunning
            ? `Run \`${HEADWATER} check-warehouse\` with the DATA_DIR of the target.`
            : "Start the service with CLICKHOUSE_URL set to the target.",
        ),
      );
    return origin === null ? withEmbedded(config, moveFrom) : withEndpoint(origin, moveFrom);
  },
});

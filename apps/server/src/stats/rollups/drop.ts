/** Deletes builds of rollups: those that newer ones have replaced, and those whose events have been erased. */
import type { WarehouseClient } from "../../clickhouse/client.ts";
import { onCluster, onEveryNode, storedName } from "../../clickhouse/cluster.ts";
import { literal } from "../../clickhouse/deletion.ts";
import { BUILD_STATES } from "../../clickhouse/schema/rollups.ts";
import { runOn } from "../sql/run-on.ts";
import { statement } from "../sql/statement.ts";
import { currentBuilds, type RollupBuild, readRollupState } from "./state.ts";

/** Keeps a statement below the size that ClickHouse accepts. */
const MAX_BUILDS_PER_STATEMENT = 500;
const NEVER = new AbortController().signal;

/**
 * Deletes the rows of builds; they are gone when it resolves. The record of a build is marked before its first row is deleted,
 * so that a query that reads the rows notices, and it is deleted last, so that an interrupted drop is found again.
 */
export async function dropBuilds(
  client: WarehouseClient,
  sourceId: string,
  builds: readonly Pick<RollupBuild, "day" | "buildNumber">[],
): Promise<void> {
  const tables = [storedName(client, "sessionRollups"), storedName(client, "eventRollups"), "rollupBuilds"];
  for (let first = 0; first < builds.length; first += MAX_BUILDS_PER_STATEMENT) {
    const some = builds.slice(first, first + MAX_BUILDS_PER_STATEMENT);
    const dropping = some.map(
      ({ day, buildNumber }) => `(${literal(sourceId)}, '${day}', ${buildNumber}, ${BUILD_STATES.dropping})`,
    );
    await client.command({
      query: `INSERT INTO rollupBuilds (sourceId, day, build, state) VALUES ${dropping.join(", ")}`,
    });
    const keys = some.map(({ day, buildNumber }) => `('${day}', ${buildNumber})`).join(", ");
    for (const table of tables) {
      await client.command({
        query: `ALTER TABLE ${table}${onCluster(client)} DELETE
          WHERE sourceId = ${literal(sourceId)} AND (day, build) IN (${keys})`,
        clickhouse_settings: { mutations_sync: "2" },
      });
    }
  }
}

/**
 * Drops all builds that are not current. An erasure calls it after the events are deleted.
 * @returns false when a build was under way: it may have read deleted events, so the caller must call again
 */
export async function dropOutdatedRollups(
  client: WarehouseClient,
  sourceIds: readonly string[],
): Promise<boolean> {
  let isComplete = true;
  for (const sourceId of sourceIds) {
    const state = await readRollupState(runOn(client, NEVER), sourceId, null);
    const current = currentBuilds(state);
    const outdated = state.builds.filter((one) => one !== current.get(one.day));
    if (outdated.some((one) => one.state === BUILD_STATES.started)) isComplete = false;
    const droppable = outdated.filter((one) => one.state !== BUILD_STATES.started);
    await dropBuilds(client, sourceId, droppable);
  }
  return isComplete;
}

/** Whether mutations are deleting or rewriting rows of `events`: fingerprints are about to change then. */
export async function hasRunningMutations(client: WarehouseClient, signal = NEVER): Promise<boolean> {
  const run = runOn(client, signal);
  const [row] = await run<[mutations: number]>(
    statement(
      () => `SELECT count() FROM ${onEveryNode(client, "system.mutations")}
        WHERE database = currentDatabase() AND startsWith(table, 'events') AND NOT is_done AND NOT is_killed`,
    ),
  );
  return row !== undefined && row[0] > 0;
}

/** Brings the warehouse to the newest schema. Every statement may run twice, so an interrupted migration starts again. */
import type { ClickHouseClient } from "@clickhouse/client";
import { OperatorError } from "../core/errors.ts";
import { connect, mustBeClickHouse } from "./client.ts";
import { type ClusterTarget, onCluster } from "./cluster.ts";
import type { WarehouseEndpoint } from "./endpoint.ts";
import { eventsStatements, sessionsStatement } from "./schema/events.ts";
import { recreateRollupsStatements } from "./schema/rollups.ts";
import { commonTableStatement } from "./schema/table.ts";

/** The statements that bring the warehouse from one schema to the next. */
type WarehouseMigration = (target: ClusterTarget) => readonly string[];

/** One entry a version. A released entry never changes: a change of the schema is a new entry at the end. */
export const MIGRATIONS: readonly WarehouseMigration[] = [
  (target) => [...eventsStatements(target), sessionsStatement(target), ...recreateRollupsStatements(target)],
];

const migrationsTable = (target: ClusterTarget) =>
  commonTableStatement(target, {
    name: "migrations",
    columns: { number: "UInt32", appliedAt: "DateTime DEFAULT now()" },
    engine: "MergeTree",
    clauses: "ORDER BY number",
  });

/** Makes ClickHouse flush metadata to disk before it confirms a DDL statement. */
const DURABLE = { fsync_metadata: 1 } as const;

async function readVersion(client: ClickHouseClient): Promise<number> {
  const query = "SELECT max(number) AS version FROM migrations";
  const [row] = await (await client.query({ query, format: "JSONEachRow" })).json<{ version: number }>();
  return row?.version ?? 0;
}

/**
 * @param migrations others, for tests
 * @returns the schema's version before and after
 * @throws OperatorError when its schema is newer than this program; Error when ClickHouse cannot be reached
 */
export async function migrate(
  endpoint: WarehouseEndpoint,
  migrations = MIGRATIONS,
): Promise<{ from: number; to: number }> {
  // the target database may not exist yet
  const defaultDatabaseClient = connect({ ...endpoint, database: "default" });
  const client = connect(endpoint);
  try {
    const query = `CREATE DATABASE IF NOT EXISTS ${endpoint.database}${onCluster(endpoint)}`;
    mustBeClickHouse(await defaultDatabaseClient.command({ query }));
    await client.command({ query: migrationsTable(endpoint) });
    const [from, to] = [await readVersion(client), migrations.length];
    if (from > to) {
      throw new OperatorError(
        `The warehouse has schema version ${from}, but this program knows only ${to}. A newer Headwater wrote it, ` +
          "or a checkout from before the first release, which is not read. Start the newer Headwater that wrote it.",
      );
    }
    for (const [index, statements] of migrations.entries()) {
      if (index < from) continue;
      for (const query of statements(endpoint)) await client.command({ query, clickhouse_settings: DURABLE });
      await client.command({ query: `INSERT INTO migrations (number) VALUES (${index + 1})` });
    }
    return { from, to };
  } finally {
    await Promise.all([defaultDatabaseClient.close(), client.close()]);
  }
}

/** Brings the warehouse to the newest schema. Every statement may run again: one that was interrupted is begun anew. */
import type { ClickHouseClient } from "@clickhouse/client";
import { connect, mustBeClickHouse } from "./client.ts";
import { onCluster, type Place } from "./cluster.ts";
import { eventsStatements, sessionsStatement } from "./schema/events.ts";
import { codecStatements, settledStatements } from "./schema/rollups.ts";
import { commonTableStatement } from "./schema/table.ts";
import type { Endpoint } from "./warehouse.ts";

/** Forward only: a number once given is never changed, a new one is appended. */
const MIGRATIONS: readonly ((place: Place) => readonly string[])[] = [
  (place) => [...eventsStatements(place), sessionsStatement(place)],
  settledStatements,
  codecStatements,
];

const recordStatement = (place: Place) =>
  commonTableStatement(place, {
    name: "migrations",
    columns: { number: "UInt32", appliedAt: "DateTime DEFAULT now()" },
    engine: "MergeTree",
    clauses: "ORDER BY number",
  });

/** DDL is on the disk when it is answered. */
const DURABLE = { fsync_metadata: 1 as const };

async function made(client: ClickHouseClient): Promise<number> {
  const query = "SELECT max(number) AS made FROM migrations";
  const rows = await (await client.query({ query, format: "JSONEachRow" })).json<{ made: number }>();
  return rows[0]?.made ?? 0;
}

/** @throws when the warehouse cannot be asked, or was written by a newer program */
export async function migrate(endpoint: Endpoint): Promise<{ from: number; to: number }> {
  const outside = connect({ ...endpoint, database: "default" });
  const client = connect(endpoint);
  try {
    const query = `CREATE DATABASE IF NOT EXISTS ${endpoint.database}${onCluster(endpoint)}`;
    mustBeClickHouse(await outside.command({ query }));
    await client.command({ query: recordStatement(endpoint) });
    const [from, to] = [await made(client), MIGRATIONS.length];
    if (from > to) {
      throw new Error(
        `The warehouse has schema ${from}, this program knows ${to}: it was written by a newer Headwater. Start that version.`,
      );
    }
    for (const [index, statementsOn] of MIGRATIONS.entries()) {
      if (index < from) continue;
      for (const query of statementsOn(endpoint))
        await client.command({ query, clickhouse_settings: DURABLE });
      await client.command({ query: `INSERT INTO migrations (number) VALUES (${index + 1})` });
    }
    return { from, to };
  } finally {
    await Promise.all([outside.close(), client.close()]);
  }
}

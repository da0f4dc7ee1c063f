/** Migrates a database from the command line. */
import { openConnection } from "./connections.ts";
import { distribute } from "./distribution.ts";
import { toStorageError } from "./failure.ts";
import { migrate } from "./migrations.ts";
import { refuseSharedSessions } from "./session-pooling.ts";

export interface MigrationResult {
  from: number;
  to: number;
  /** The tables that were distributed by this call. */
  distributed: string[];
}

/**
 * Run it with a role that may create tables; the service itself then does not need that right.
 * @param distributed also distribute the tables over a Citus cluster
 */
export async function migrateDatabase(url: string, distributed = false): Promise<MigrationResult> {
  try {
    await refuseSharedSessions(url);
    const client = await openConnection(url);
    try {
      const migrated = await migrate(client);
      return { ...migrated, distributed: distributed ? await distribute(client) : [] };
    } finally {
      await client.end();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Migrates a database from the command line. */
import { openConnection } from "./connections.ts";
import { toStorageError } from "./failure.ts";
import { migrate } from "./migrations.ts";

interface MigrationResult {
  from: number;
  to: number;
}

/** Run it with a role that may create tables; the service itself then does not need that right. */
export async function migrateDatabase(url: string): Promise<MigrationResult> {
  try {
    const client = await openConnection(url);
    try {
      return await migrate(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

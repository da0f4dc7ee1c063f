import { connectAlone } from "./connections.ts";
import { distribute } from "./distribution.ts";
import { storageErrorOf } from "./failure.ts";
import { migrate } from "./migrations.ts";

export interface Migrated {
  from: number;
  to: number;
  /** Tables that were distributed now. */
  distributed: string[];
}

/**
 * For the command line: a role that may create tables does it, and the service needs no such right until the next version.
 * @param distributed distributes them over a Citus cluster too
 */
export async function migrateDatabase(url: string, distributed = false): Promise<Migrated> {
  try {
    const client = await connectAlone(url);
    try {
      const migrated = await migrate(client);
      return { ...migrated, distributed: distributed ? await distribute(client) : [] };
    } finally {
      await client.end();
    }
  } catch (error) {
    throw storageErrorOf(error);
  }
}

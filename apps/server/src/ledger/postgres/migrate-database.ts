import { connectAlone } from "./connections.ts";
import { storageErrorOf } from "./failure.ts";
import { migrate } from "./migrations.ts";

/** For the command line: a role that may create tables does it, and the service needs no such right until the next version. */
export async function migrateDatabase(url: string): Promise<{ from: number; to: number }> {
  try {
    const client = await connectAlone(url);
    try {
      return await migrate(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    throw storageErrorOf(error);
  }
}

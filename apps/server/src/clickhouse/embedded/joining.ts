/**
 * How a command comes to the embedded warehouse of a service that runs: its address and its password are in a file of its
 * folder, which is for those alone who may read its data anyhow. A file that a process left behind leads nowhere.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../client.ts";
import type { Endpoint } from "../warehouse.ts";

const pathIn = (folder: string) => join(folder, "endpoint.json");

/** Where it cannot be written, as on a full disk, the warehouse serves all the same, and no command comes to it. */
export function announce(folder: string, endpoint: Endpoint): void {
  const path = pathIn(folder);
  try {
    writeFileSync(`${path}.new`, JSON.stringify(endpoint), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // whoever needs it says that nobody can be asked
  }
}

/** @returns null where nobody has it open, or it is not for this user */
export async function findEmbedded(folder: string): Promise<Endpoint | null> {
  try {
    const endpoint = JSON.parse(readFileSync(pathIn(folder), "utf8")) as Endpoint;
    const client = connect({ ...endpoint, database: "default" });
    try {
      await client.command({ query: "SELECT 1" });
      return endpoint;
    } finally {
      await client.close();
    }
  } catch {
    return null;
  }
}

/**
 * How a command finds the embedded warehouse of a running service: its address and password are in a file of its folder,
 * readable only by those who may read the data itself. A file left by a process that has ended does no harm: nothing answers
 * at its address.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../client.ts";
import type { WarehouseEndpoint } from "../endpoint.ts";

const pathIn = (folder: string) => join(folder, "endpoint.json");

/** If the file cannot be written, as on a full disk, the warehouse works, and only commands cannot find it. */
export function writeEndpoint(folder: string, endpoint: WarehouseEndpoint): void {
  const path = pathIn(folder);
  try {
    writeFileSync(`${path}.new`, JSON.stringify(endpoint), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // a command that needs the endpoint reports that it cannot reach the warehouse
  }
}

/** @returns the running engine's endpoint; null when none runs, or this user may not read the file */
export async function findEndpoint(folder: string): Promise<WarehouseEndpoint | null> {
  try {
    const endpoint: WarehouseEndpoint = JSON.parse(readFileSync(pathIn(folder), "utf8"));
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

/** Data of version 0.1.0 in PostgreSQL. */
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { checkOldData, fixture, openOld, readOldData } from "../upgrade/upgrade.ts";
import { query } from "./cluster.ts";
import { createEmptyDatabase } from "./databases.ts";

test("A database of version 0.1.0 keeps its sources, tokens, sessions, ids, attempts and events.", async () => {
  const database = await createEmptyDatabase();
  const dump = gunzipSync(readFileSync(fixture("postgres.sql.gz"))).toString();
  await query(database.url, dump);
  const old = readOldData("postgres");
  {
    await using world = await openOld(old, { DATABASE_URL: database.url });
    await checkOldData(world, old);
  }
  await database.remove();
});

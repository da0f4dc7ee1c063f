import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { erasureSuite } from "../warehouse/erasure.suite.ts";
import { databaseOf } from "./databases.ts";

// the warehouse behind it is a real one
if (isInstalled())
  erasureSuite("PostgreSQL", async (dataDir) => ({ DATABASE_URL: await databaseOf(dataDir) }));

import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { erasingSuite } from "../warehouse/erasing.ts";
import { databaseOf } from "./databases.ts";

// the warehouse behind it is a real one
if (isInstalled())
  erasingSuite("PostgreSQL", async (dataDir) => ({ DATABASE_URL: await databaseOf(dataDir) }));

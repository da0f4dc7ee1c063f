import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { deliverySuite } from "../warehouse/delivery.suite.ts";
import { databaseOf } from "./databases.ts";

// the suite needs a real warehouse, so without the embedded one this file has no tests
if (isInstalled())
  deliverySuite("PostgreSQL", async (dataDir) => ({ DATABASE_URL: await databaseOf(dataDir) }));

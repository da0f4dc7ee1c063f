/**
 * Starts and stops the service once on a temporary ledger, so that all of its code is in the compile cache. Run by
 * bin/headwater.js in a process of its own, because compiling takes memory that the service should not keep.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config/config.ts";

const dataDir = mkdtempSync(join(tmpdir(), "headwater-compile-"));
const environment = {
  HOST: "127.0.0.1",
  PORT: "0",
  DATA_DIR: dataDir,
  DISK_LOW_WATER_BYTES: "0",
  LOG_LEVEL: "silent",
  WAREHOUSE: "off",
};
try {
  await import("../clickhouse/embedded/start.ts");
  await import("../workers/warehouse-monitor.ts");
  await import("../install-checks/doctor.ts");
  await import("./run.ts");
  await import("./serve/serve.ts");
  const { startServer } = await import("../server.ts");
  const server = await startServer(readConfig(environment), environment);
  await server.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** The statement of delivery on SQLite, whose disk is full for a while. */
import { join } from "node:path";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { type FailingStorage, statementOfDays } from "./statement-day.suite.ts";
import { emptyVolume, fillVolume, openVolume, whyNoVolume } from "./volume.ts";

const SIZE_MB = 64;

async function openDisk(): Promise<FailingStorage> {
  const volume = openVolume("tmpfs", SIZE_MB);
  return {
    dataDir: join(volume.path, "data"),
    settings: {},
    fail: async () => fillVolume(volume),
    mend: async () => emptyVolume(volume),
    // a start ends them
    endClaims: async () => {},
    [Symbol.asyncDispose]: async () => volume[Symbol.dispose](),
  };
}

const missing = isInstalled() ? whyNoVolume("tmpfs") : "there is no embedded warehouse";
statementOfDays("SQLite", openDisk, missing);

/** The statement of delivery on PostgreSQL, which crashes and starts again. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { type FailingStorage, statementOfDays } from "../faults/statement-day.suite.ts";
import { query, startCluster } from "./cluster.ts";

const END_CLAIMS = `update outbox_pages set claimed_until = now(); update erasures set claimed_until = 0`;

async function openCluster(): Promise<FailingStorage> {
  const cluster = await startCluster();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-statement-"));
  let hasCrashed = false;
  return {
    dataDir,
    settings: { DATABASE_URL: cluster.url() },
    async fail() {
      if (!hasCrashed) await cluster.crash();
      hasCrashed = true;
    },
    mend: cluster.start,
    endClaims: () => query(cluster.url(), END_CLAIMS).catch(() => "there are no tables yet"),
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

statementOfDays("PostgreSQL", openCluster, isInstalled() ? null : "there is no embedded warehouse");

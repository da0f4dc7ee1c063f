/**
 * The worker that compares the warehouse with what was shipped to it: at every start, whenever the warehouse is connected
 * again, and hourly. All nodes show the report of the node that compared last.
 */

import type { WarehouseClient } from "../clickhouse/client.ts";
import { isDamage, type WarehouseCompleteness } from "../clickhouse/completeness.ts";
import { listDetached } from "../clickhouse/parts.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { HEADWATER } from "../core/command-name.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { buildReport, COMPLETE, type DayCount, type WarehouseReport } from "../ledger/warehouse-report.ts";
import {
  type ComparedLedger,
  type ComparisonDeps,
  compareWarehouse,
  describeSurplus,
} from "../shipping/compare.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** How often the warehouse is compared with what was shipped to it, and how long another node waits for the report. */
const COMPARISON_MS = 3_600_000;
const COMPARISON_LEASE_MS = 600_000;
/** How often a node reads the report that another node may have made. */
const WAREHOUSE_REPORT_POLL_MS = 10_000;

type ComparisonLog = WorkerLog & {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

interface ComparisonWorkerDeps {
  ledger: ComparedLedger & Pick<Ledger, "warehouseCheck" | "claimWarehouseCheck" | "saveWarehouseReport">;
  warehouse: Pick<Warehouse, "client">;
  completeness: WarehouseCompleteness;
  clock(): number;
  log: ComparisonLog;
}

interface ComparisonWorker extends Worker {
  /** Compares now. */
  compareSoon(): void;
}

const MAX_LOGGED_SOURCES = 10;
const MAX_LOGGED_DAYS = 10;

/** Publishes reports, and logs each that differs from the one before. */
function createPublisher({ completeness, log }: ComparisonWorkerDeps) {
  let logged = JSON.stringify(COMPLETE);
  return (report: WarehouseReport) => {
    completeness.publish(report);
    const text = JSON.stringify(report);
    if (text === logged) return;
    logged = text;
    const { missingEvents, sources, detachedParts } = report;
    if (missingEvents === 0)
      return log.info(
        {},
        "no events are missing any more, because they were brought back or their loss was accepted",
      );
    log.error(
      { missingEvents, sources: sources.slice(0, MAX_LOGGED_SOURCES), detachedParts },
      `the warehouse lacks ${missingEvents} events that were shipped to it. \`${HEADWATER} check-warehouse\` lists them by day; ` +
        "docs/operate/runbook/HeadwaterEventsMissing.md says how to repair it",
    );
  };
}

async function compare(deps: ComparisonDeps): Promise<WarehouseReport> {
  const missing = await compareWarehouse(deps);
  if (missing.length === 0) return COMPLETE;
  return buildReport(missing, await listDetached(deps.client, "events", deps.signal));
}

/** The claim ends with the report; after a failure the former report stays. */
async function compareClaimed(
  { ledger, completeness }: ComparisonWorkerDeps,
  deps: ComparisonDeps,
): Promise<WarehouseReport> {
  const { report: former, comparedAt } = await ledger.warehouseCheck();
  try {
    const report = await compare(deps);
    await ledger.saveWarehouseReport({ report, comparedAt: deps.now });
    return report;
  } catch (error) {
    if (isDamage(error)) completeness.suspectDamage();
    await ledger.saveWarehouseReport({ report: former, comparedAt }).catch(() => undefined);
    throw error;
  }
}

export function startComparisonWorker(deps: ComparisonWorkerDeps): ComparisonWorker {
  const { ledger, warehouse, completeness, clock, log } = deps;
  const publish = createPublisher(deps);
  const startedAt = clock();
  /** The connection that needs no comparison before the next hourly one. */
  let comparedClient: WarehouseClient | null = null;
  let isWanted = false;
  let polledAt = Number.NEGATIVE_INFINITY;

  const round = async (cutOff: AbortSignal): Promise<boolean> => {
    const client = warehouse.client();
    if (client === null) return false;
    const now = clock();
    const isWantedNow = isWanted || client !== comparedClient;
    if (!isWantedNow && Math.abs(now - polledAt) < WAREHOUSE_REPORT_POLL_MS) return false;
    const { report, comparedAt } = await ledger.warehouseCheck();
    polledAt = now;
    publish(report);
    if (!isWantedNow && Math.abs(now - comparedAt) < COMPARISON_MS) return false;
    if (!(await ledger.claimWarehouseCheck({ now, leaseMs: COMPARISON_LEASE_MS }))) return false;
    // a wish that comes during the comparison is kept
    isWanted = false;
    comparedClient = null;
    const onSurplus = (days: readonly DayCount[]) =>
      log.warn({ days: days.slice(0, MAX_LOGGED_DAYS) }, describeSurplus(days));
    publish(await compareClaimed(deps, { ledger, client, now, startedAt, signal: cutOff, onSurplus }));
    comparedClient = client;
    // a worker of its own checks the files of a warehouse that is not a cluster
    if (client.cluster !== null) completeness.clearSuspicion();
    return false;
  };
  const worker = startWorker({
    name: "warehouse comparison",
    round,
    idleMs: SERVER_LIMITS.warehouseCheckIdleMs,
    retryMs: SERVER_LIMITS.warehouseCheckRetryMs,
    consequence: "lost events of the warehouse may go unnoticed",
    log,
  });
  const compareSoon = () => {
    isWanted = true;
    worker.wake();
  };
  return { ...worker, compareSoon };
}

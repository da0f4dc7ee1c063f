/** The list of background workers. To add one, write it in `workers/` and start it here. */
import { existsSync } from "node:fs";
import { createAlerts } from "./alerts/alerts.ts";
import type { ServiceContext } from "./context.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "./core/time.ts";
import { deliveryUrlOf } from "./install/install.ts";
import { embeddedFolder, queryMemoryBytes } from "./open-warehouse.ts";
import { replaySlice } from "./quarantine/replay-slice.ts";
import { startErasureWorker } from "./workers/erasures.ts";
import { measureBusyShare, startMemoryWorker } from "./workers/memory.ts";
import { createKeptExpiry } from "./workers/quarantine.ts";
import { startReplayWorker } from "./workers/replays.ts";
import { createRetention } from "./workers/retention.ts";
import type { ShipperTotals } from "./workers/shipper.ts";
import { startWorker, type Worker } from "./workers/worker.ts";

/** How long an erasure or a replay that is done is shown. */
const RECEIPT_SECONDS = 90 * 86_400;
/** How often what was learned of events is added to the catalogue. */
const CATALOG_FLUSH_MS = 5_000;

const NOTHING_SHIPPED: ShipperTotals = { events: 0, failures: 0, refused: 0 };

/** Runs `round` every minute, the first time a minute after the start, on every node. */
const startEveryMinute = (
  { log }: ServiceContext,
  name: string,
  consequence: string,
  round: (cutOff: AbortSignal) => Promise<unknown>,
): Worker =>
  startWorker({
    name,
    round: async (cutOff) => void (await round(cutOff)),
    initialDelayMs: MINUTE_MS,
    idleMs: MINUTE_MS,
    consequence,
    log,
  });

function startReadinessProbe({ readiness, log }: ServiceContext): Worker {
  return startWorker({
    name: "readiness probe",
    round: async () => void (await readiness.probe()),
    initialDelayMs: SECOND_MS,
    idleMs: SECOND_MS,
    stopMs: 0,
    consequence: "readiness is out of date",
    log,
  });
}

/** Gives space of the ledger that a shipped or deleted backlog has left back to the disk. */
function startSpaceRelease({ ledger, readiness, log }: ServiceContext): Worker {
  return startWorker({
    name: "ledger space",
    round: async () => {
      // a storage that fails needs its next free block for the events
      if (readiness.state().storageFailure === null) await ledger.releaseSpace();
      return false;
    },
    initialDelayMs: SECOND_MS,
    idleMs: SECOND_MS,
    retryMs: MINUTE_MS,
    consequence: "the ledger's file does not shrink",
    log,
  });
}

function startAlerts(context: ServiceContext): Worker {
  const { clock, config, addresses } = context;
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = config;
  const alerts = createAlerts({
    ...context,
    delivery: context.dailyDelivery,
    deliveryUrl: (sourceId) => deliveryUrlOf(addresses().appUrl, sourceId),
    webhook: url === null || secret === null ? null : { url, secret },
    quietHours: config.ALERT_QUIET_HOURS,
    deliveryPercent: config.ALERT_DELIVERY_PERCENT,
    sendsStatements: config.ALERT_STATEMENTS === "on",
  });
  const round = (signal: AbortSignal) => alerts({ now: clock(), signal });
  return startEveryMinute(context, "alerts", "alerts are neither noticed nor sent", round);
}

function startReports({ reports, warehouse, log }: ServiceContext): Worker {
  return startWorker({
    name: "reports",
    // the node that has the warehouse sends them
    round: async (signal) => warehouse.state() !== "elsewhere" && reports.sendDue(signal),
    initialDelayMs: MINUTE_MS,
    idleMs: MINUTE_MS,
    consequence: "reports are not sent",
    log,
  });
}

function startCatalogFlush({ flushCatalog, log }: ServiceContext): Worker {
  return startWorker({
    name: "event catalogue",
    round: async () => void (await flushCatalog()),
    initialDelayMs: CATALOG_FLUSH_MS,
    idleMs: CATALOG_FLUSH_MS,
    maxRetryMs: MINUTE_MS,
    consequence: "new events are not in the event catalogue",
    log,
  });
}

/** Everything that deletes data for its age, and what else tests run with the clock that they drive. */
function startMaintenance(context: ServiceContext): Worker[] {
  const { config, ledger, warehouse, deletionTime, ingest } = context;
  const { read } = deletionTime;
  const retention = createRetention({ ledger, warehouse, outboxDays: config.RETENTION_DAYS });
  const expireKept = createKeptExpiry(ledger);
  const expireRecords = async () => {
    const now = await read();
    await ledger.expireAudit({ before: now - config.AUDIT_RETENTION_DAYS * DAY_MS });
    const before = now - RECEIPT_SECONDS * SECOND_MS;
    await ledger.expireReceipts({ before });
    await ledger.expireReplays({ before });
  };
  return [
    startEveryMinute(context, "ledger maintenance", "expired data stays in the ledger", async () =>
      ledger.maintain({ now: await read() }),
    ),
    startEveryMinute(context, "salt expiry", "old salts of visitors are not destroyed", ingest.expireSalts),
    startEveryMinute(context, "audit expiry", "old audit entries are not deleted", expireRecords),
    startEveryMinute(context, "quarantine", "kept events are not deleted after their time", async () =>
      expireKept({ now: await read() }),
    ),
    startAlerts(context),
    startReports(context),
    startCatalogFlush(context),
    startEveryMinute(context, "retention", "events past their retention are not deleted", async () =>
      retention({ now: await read() }),
    ),
  ];
}

function startReplays(context: ServiceContext) {
  const { replayer } = context.ingest;
  return startReplayWorker({
    ...context,
    replaySlice: (replay) => replaySlice(replay, { ...context, replayer }),
  });
}

/** @param replayedSlice resolves when the kept events that are being replayed are in the outbox */
function startErasures(context: ServiceContext, replayedSlice: () => Promise<void>): Worker {
  const { config, ledger, warehouse, recorder, keeper, ingest } = context;
  return startErasureWorker({
    ...context,
    isWithoutWarehouse: () =>
      warehouse.state() === "off" && warehouse.problem() === null && !existsSync(embeddedFolder(config)),
    replayedSlice,
    flushAttempts: async () => void (await Promise.all([recorder.flush(), keeper.flush()])),
    forgetSession: (session) => {
      ingest.forget({ kind: "session", ...session });
      ledger.notifySessionChanged(session);
    },
  });
}

/** The workers that need a warehouse. Their code is imported only when there is one. */
async function startWarehouseWorkers(context: ServiceContext) {
  const { warehouse, failedRollups: failedDays, warehouseHealth } = context;
  if (warehouse.state() === "off" || warehouse.state() === "elsewhere")
    return { workers: [], shipped: () => NOTHING_SHIPPED };
  const { startShipper } = await import("./workers/shipper.ts");
  const { startRollupWorker } = await import("./workers/rollups.ts");
  const { startComparisonWorker } = await import("./workers/comparison.ts");
  const { startPartCheckWorker } = await import("./workers/part-checks.ts");
  const { startWarehouseHealthWorker } = await import("./workers/warehouse-health.ts");
  const shipper = startShipper(context);
  const memoryBytes = queryMemoryBytes(context.config);
  const rollups = startRollupWorker({ ...context, failedDays, memoryBytes });
  const comparison = startComparisonWorker(context);
  const partChecks = startPartCheckWorker({ ...context, onDetached: comparison.compareSoon });
  const health = startWarehouseHealthWorker({ ...context, health: warehouseHealth });
  return {
    workers: [...shipper.workers, rollups, comparison, partChecks, health],
    shipped: shipper.totals,
  };
}

/** @param releaseMemory returns unused memory of this process to the operating system */
export async function startBackgroundWorkers(context: ServiceContext, releaseMemory: () => Promise<void>) {
  const { workers: warehouseWorkers, shipped } = await startWarehouseWorkers(context);
  // A jump before the first round would otherwise not be noticed on a new ledger. The rounds report a failure.
  await context.deletionTime.read().catch(() => undefined);
  const maintenance = startMaintenance(context);
  const replays = startReplays(context);
  const workers = [
    startReadinessProbe(context),
    startSpaceRelease(context),
    replays,
    startErasures(context, replays.sliceEnd),
    startMemoryWorker({
      residentBytes: process.memoryUsage.rss,
      busyShare: measureBusyShare(),
      releaseMemory,
      log: context.log,
    }),
    ...warehouseWorkers,
    ...maintenance,
  ];
  return {
    statuses: () => workers.map((worker) => worker.status()),
    /** Totals of the shipper since the start. */
    shipped,
    /** Runs one round of each worker that runs every minute. For tests that drive the clock. */
    maintain: async () => {
      const failures: unknown[] = [];
      for (const worker of maintenance)
        await worker.runOnce().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, "Maintenance failed.");
    },
    stop: async () => void (await Promise.all(workers.map((worker) => worker.stop()))),
  };
}

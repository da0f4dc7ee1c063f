/** Metrics for Prometheus. No label names a source, a key or a path of a client, so the number of series is bounded. */
import { Counter, Histogram, Registry } from "@prometheus-io/client";
import type { WarehouseFigures } from "../clickhouse/problems.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import type { BuildInfo } from "../config/build-info.ts";
import { STORAGE_FAILURES } from "../core/errors.ts";
import { SECOND_MS } from "../core/time.ts";
import type { LedgerLoad } from "../ledger/ledger.ts";
import { counterFamily, gaugeFamily, type MetricFamily, registerFamily } from "./metric-family.ts";
import { createProcessMetrics } from "./process-metrics.ts";
import type { ReadinessState } from "./readiness.ts";

/** What the metrics are read from, at the moment of a scrape. */
interface MetricSources {
  now: number;
  readiness: ReadinessState;
  warehouse: Pick<Warehouse, "state" | "disconnects" | "restarts" | "engineBytes">;
  /** Events that were shipped to the warehouse and are no longer there. */
  missingEvents: number;
  /** null without a warehouse, and while it is down. */
  warehouseFigures: WarehouseFigures | null;
  /** Days of sources whose rollup could not be built. */
  failedRollups: number;
  shipped: { readonly events: number; readonly failures: number; readonly refused: number };
  reports: { readonly sent: number; readonly failures: number };
  ledger: LedgerLoad;
  clockJumpMs: number;
  /** When `headwater backup` has last succeeded; 0: never. null on PostgreSQL, which has backups of its own. */
  lastBackupMs: number | null;
  ingestInFlight: number;
  debugDropped: number;
  workers: readonly { name: string; failuresInRow: number }[];
}

/** The age of the oldest accepted event that is not in the warehouse; 0 when there is none. */
export function lagSeconds({ status }: ReadinessState, now: number): number {
  const oldestAt = status?.outboxOldestAt ?? now;
  return Math.max(0, now - oldestAt) / SECOND_MS;
}

type ReadMetric = MetricFamily<MetricSources>["read"];
const gauge = (name: string, help: string, read: ReadMetric) => gaugeFamily(`headwater_${name}`, help, read);
const counter = (name: string, help: string, read: ReadMetric) =>
  counterFamily(`headwater_${name}`, help, read);

/** A gauge of each connection pool of PostgreSQL. None on SQLite. */
const poolGauge = (name: string, help: string, key: "total" | "idle" | "waiting") =>
  gaugeFamily<MetricSources>(
    `headwater_postgres_pool_${name}`,
    help,
    ({ ledger }) => ledger.pools.map((pool) => [{ pool: pool.name }, pool[key]]),
    ["pool"],
  );

/** To add a metric that is read at each scrape, add a row here and its name to docs/operate/monitoring.md. */
const METRICS: readonly MetricFamily<MetricSources>[] = [
  gauge("ready", "1 if the service accepts requests, else 0", ({ readiness }) => (readiness.ready ? 1 : 0)),
  gauge(
    "ingest_in_flight",
    "Ingest requests that have not been answered yet",
    ({ ingestInFlight }) => ingestInFlight,
  ),
  gauge(
    "outbox_events",
    "Accepted events that are not in the warehouse yet",
    ({ readiness }) => readiness.status?.outboxEvents ?? 0,
  ),
  gauge(
    "failed_rollups",
    "Days of sources whose rollup could not be built; they are tried again",
    ({ failedRollups }) => failedRollups,
  ),
  gauge(
    "outbox_bytes",
    "Bytes of the accepted events that are not in the warehouse yet",
    ({ readiness }) => readiness.status?.outboxBytes ?? 0,
  ),
  gauge(
    "outbox_lag_seconds",
    "Age of the oldest accepted event that is not in the warehouse yet",
    ({ readiness, now }) => lagSeconds(readiness, now),
  ),
  gauge(
    "warehouse_up",
    "1 if the warehouse can be queried, else 0; absent without a warehouse",
    ({ warehouse }) =>
      ["off", "elsewhere"].includes(warehouse.state()) ? null : Number(warehouse.state() === "up"),
  ),
  counter("warehouse_losses_total", "Times that the warehouse went from up to down", ({ warehouse }) =>
    warehouse.disconnects(),
  ),
  counter(
    "warehouse_restarts_total",
    "Times that the warehouse came up again after it was down",
    ({ warehouse }) => warehouse.restarts(),
  ),
  gauge(
    "warehouse_engine_memory_bytes",
    "Resident memory of the embedded warehouse's process",
    ({ warehouse }) => warehouse.engineBytes(),
  ),
  gauge(
    "warehouse_missing_events",
    "Events that were shipped to the warehouse and are no longer there",
    ({ missingEvents }) => missingEvents,
  ),
  gauge(
    "warehouse_failing_merges",
    "Partitions of the warehouse whose merges fail",
    ({ warehouseFigures }) => warehouseFigures?.failingMerges ?? null,
  ),
  gauge(
    "warehouse_stuck_mutations",
    "Mutations of the warehouse that fail or make no progress",
    ({ warehouseFigures }) => warehouseFigures?.stuckMutations ?? null,
  ),
  gauge(
    "warehouse_parts_ratio",
    "Parts of the warehouse's fullest partition, as a share of the number from which on inserts are delayed",
    ({ warehouseFigures }) => warehouseFigures?.partsRatio ?? null,
  ),
  gauge(
    "warehouse_detached_parts",
    "Damaged parts of the warehouse that are detached",
    ({ warehouseFigures }) => warehouseFigures?.detachedParts ?? null,
  ),
  counter(
    "shipped_events_total",
    "Events that were shipped to the warehouse",
    ({ shipped }) => shipped.events,
  ),
  counter(
    "ship_failures_total",
    "Failed attempts to ship a page of events",
    ({ shipped }) => shipped.failures,
  ),
  counter(
    "ship_refused_total",
    "Pages of events that the warehouse refused because of their data",
    ({ shipped }) => shipped.refused,
  ),
  counter("reports_sent_total", "Weekly and monthly reports that were sent", ({ reports }) => reports.sent),
  counter(
    "report_failures_total",
    "Failed tries to send a report by e-mail or to a webhook",
    ({ reports }) => reports.failures,
  ),
  gaugeFamily(
    "headwater_storage_failing",
    "1 for the kind of failure that the ledger's storage has now, else 0",
    ({ readiness }) => STORAGE_FAILURES.map((kind) => [{ kind }, readiness.storageFailure === kind ? 1 : 0]),
    ["kind"],
  ),
  gauge("storage_free_bytes", "Free bytes on the ledger's disk", ({ readiness }) =>
    finiteOrNull(readiness.freeBytes),
  ),
  gauge(
    "storage_low_water_bytes",
    "Below this number of free bytes events are refused (DISK_LOW_WATER_BYTES)",
    ({ readiness: { freeBytes, lowWaterBytes } }) =>
      finiteOrNull(freeBytes) === null ? null : lowWaterBytes,
  ),
  gauge(
    "clock_jump_seconds",
    "How far the clock has jumped, while deletions by age wait for it; 0 if they do not",
    ({ clockJumpMs }) => clockJumpMs / SECOND_MS,
  ),
  gauge(
    "last_backup_timestamp_seconds",
    "When `headwater backup` has last succeeded; 0: never",
    ({ lastBackupMs }) => lastBackupMs && lastBackupMs / SECOND_MS,
  ),
  gauge("nodes", "Nodes that serve from the same ledger", ({ readiness }) => readiness.status?.nodes ?? 1),
  gauge(
    "commit_queue_requests",
    "Ingest requests that wait for a commit",
    ({ ledger }) => ledger.queue.requests,
  ),
  gauge(
    "commit_queue_bytes",
    "Bytes of the requests that wait for a commit",
    ({ ledger }) => ledger.queue.bytes,
  ),
  poolGauge("connections", "Connections to PostgreSQL, by pool", "total"),
  poolGauge("idle_connections", "Connections to PostgreSQL that are not in use, by pool", "idle"),
  poolGauge("waiting_requests", "Calls that wait for a connection to PostgreSQL, by pool", "waiting"),
  counter(
    "debug_dropped_total",
    "Attempts that were not kept in the debug history because of its limits",
    ({ debugDropped }) => debugDropped,
  ),
  gaugeFamily(
    "headwater_worker_failures_in_row",
    "Failures of a background worker since its last success, by worker",
    ({ workers }) => workers.map(({ name, failuresInRow }) => [{ worker: name }, failuresInRow]),
    ["worker"],
  ),
];

/** null on PostgreSQL, whose server does not report the space on its disk. */
function finiteOrNull(bytes: number | null): number | null {
  return bytes !== null && Number.isFinite(bytes) ? bytes : null;
}

function createIngestCounters(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: "headwater_ingest_requests_total",
    help: "Ingest requests by kind, status and refusal code",
    labelNames: ["kind", "status", "code"] as const,
    registers,
  });
  const events = new Counter({
    name: "headwater_ingest_events_total",
    help: "Events by outcome and code",
    labelNames: ["outcome", "code"] as const,
    registers,
  });
  const bytes = new Counter({
    name: "headwater_ingest_bytes_total",
    help: "Bytes of the bodies of ingest requests, decompressed",
    registers,
  });
  const seconds = new Histogram({
    name: "headwater_ingest_seconds",
    help: "Time from a request's arrival to its outcome",
    labelNames: ["kind"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  return {
    request: (kind: string, status: number, code: string, durationMs: number) => {
      requests.inc({ kind, status: String(status), code });
      seconds.observe({ kind }, durationMs / SECOND_MS);
    },
    bytes: (count: number) => bytes.inc(count),
    events: (outcome: string, code: string, count: number) => events.inc({ outcome, code }, count),
  };
}

function createHttpCounters(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: "headwater_http_requests_total",
    help: "HTTP requests by operation of the API and status; 499: the client disconnected before the answer",
    labelNames: ["operation", "status"] as const,
    registers,
  });
  const seconds = new Histogram({
    name: "headwater_http_request_seconds",
    help: "Time from a request's arrival until its answer begins, by operation of the API",
    labelNames: ["operation"] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  });
  const failures = new Counter({
    name: "headwater_failed_authentications_total",
    help: "Requests that were answered 401, by code",
    labelNames: ["code"] as const,
    registers,
  });
  return {
    request: (operation: string, status: number, durationMs: number) => {
      requests.inc({ operation, status });
      seconds.observe({ operation }, durationMs / SECOND_MS);
    },
    failedAuthentication: (code: string) => failures.inc({ code }),
  };
}

/** Counts the groups of commits. The ledger opens before everything else, so it gets this function alone. */
function createGroupCounter(registry: Registry) {
  const registers = [registry];
  const requests = new Histogram({
    name: "headwater_commit_group_requests",
    help: "Ingest requests that were committed together",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    registers,
  });
  const seconds = new Histogram({
    name: "headwater_commit_group_seconds",
    help: "Time that the commit of a group took, failed ones included",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  return (count: number, durationMs: number) => {
    requests.observe(count);
    seconds.observe(durationMs / SECOND_MS);
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(build: Promise<BuildInfo>) {
  const registry = new Registry();
  const registered = Promise.withResolvers<void>();
  for (const family of createProcessMetrics(build)) registerFamily(registry, family, () => undefined);
  /** A scrape right after the start waits until everything that it shows is running. */
  const render = async (): Promise<string> => {
    await registered.promise;
    return registry.metrics();
  };
  return {
    contentType: registry.contentType,
    render,
    /** What ingest counts as it happens. */
    ingest: createIngestCounters(registry),
    http: createHttpCounters(registry),
    commitGroup: createGroupCounter(registry),
    /** Adds the metrics that are read at each scrape. Call it once, when everything that they read is running. */
    registerSources(read: () => MetricSources) {
      for (const family of METRICS) registerFamily(registry, family, read);
      registered.resolve();
    },
  };
}

/** Metrics for Prometheus. No label names a source, a key or a path of a client, so the number of series is bounded. */
import { Counter, Histogram, Registry } from "@prometheus-io/client";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import type { WarehouseHealth } from "../clickhouse/problems.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import type { BuildInfo } from "../config/build-info.ts";
import { STORAGE_FAILURES } from "../core/errors.ts";
import { SECOND_MS } from "../core/time.ts";
import type { LedgerLoad } from "../ledger/ledger.ts";
import { createProcessReader, PROCESS_METRICS } from "./process-metrics.ts";
import type { Readiness, ReadinessState } from "./readiness.ts";
import { counter, gauge, type MetricSamples, registerMetrics } from "./scraped-metrics.ts";

/** The sources that the metrics are read from at each scrape. */
interface MetricSources {
  clock(): number;
  readiness: Pick<Readiness, "state">;
  warehouse: Pick<Warehouse, "state" | "problem" | "disconnects" | "restarts" | "engineBytes">;
  completeness: Pick<WarehouseCompleteness, "report">;
  /** Its figures are null without a warehouse, and while it is down. */
  warehouseHealth: Pick<WarehouseHealth, "figures">;
  failedRollups: { count(): number };
  deletionTime: { jumpMs(): number };
  reports: { totals(): { readonly sent: number; readonly failures: number } };
  ingest: { inFlight(): number };
  recorder: { droppedTotal(): number };
  keeper: { skippedTotal(): number };
  ledgerLoad(): LedgerLoad;
  shipped(): { readonly events: number; readonly failures: number; readonly refused: number };
  /** When `headwater backup` last succeeded; 0: never. null on PostgreSQL, which has backups of its own. */
  lastBackupMs(): number | null;
  workers(): readonly { name: string; failuresInRow: number }[];
}

/** The age of the oldest accepted event that is not in the warehouse; 0 when there is none. */
export function lagSeconds({ status }: ReadinessState, now: number): number {
  const oldestAt = status?.outboxOldestAt ?? now;
  return Math.max(0, now - oldestAt) / SECOND_MS;
}

/** To add a metric that is read at each scrape, add it here, its value in `readValues`, and its name to docs/operate/monitoring.md. */
const METRICS = {
  headwater_ready: gauge("1 if the service accepts requests, else 0"),
  headwater_ingest_in_flight: gauge("Ingest requests without a response yet"),
  headwater_outbox_events: gauge("Accepted events that are not in the warehouse yet"),
  headwater_failed_rollups: gauge(
    "Rollups (one per source and day) that could not be built; they are retried",
  ),
  headwater_outbox_bytes: gauge("Bytes of the accepted events that are not in the warehouse yet"),
  headwater_outbox_lag_seconds: gauge("Age of the oldest accepted event that is not in the warehouse yet"),
  headwater_warehouse_up: gauge("1 if the warehouse can be queried, else 0; absent without a warehouse"),
  headwater_warehouse_losses_total: counter("Times that the warehouse went from up to down"),
  headwater_warehouse_restarts_total: counter("Times that the warehouse came up again after it was down"),
  headwater_warehouse_engine_memory_bytes: gauge("Resident memory of the embedded warehouse's process"),
  headwater_warehouse_missing_events: gauge(
    "Events that were shipped to the warehouse and are no longer there",
  ),
  headwater_warehouse_failing_merges: gauge("Warehouse partitions whose merges fail"),
  headwater_warehouse_stuck_mutations: gauge("Warehouse mutations that fail or make no progress"),
  headwater_warehouse_parts_ratio: gauge(
    "Parts of the warehouse's fullest partition, as a share of the number at which ClickHouse delays inserts",
  ),
  headwater_warehouse_detached_parts: gauge("Damaged warehouse parts that are detached"),
  headwater_shipped_events_total: counter("Events that were shipped to the warehouse"),
  headwater_ship_failures_total: counter("Failed attempts to ship a page of events"),
  headwater_ship_refused_total: counter("Pages of events that the warehouse refused because of their data"),
  headwater_reports_sent_total: counter("Weekly and monthly reports that were sent"),
  headwater_report_failures_total: counter("Failed attempts to send a report by email or to a webhook"),
  headwater_storage_failing: gauge(
    "1 for the kind of failure that the ledger's storage has now, else 0",
    "kind",
  ),
  headwater_storage_free_bytes: gauge("Free bytes on the ledger's disk"),
  headwater_storage_low_water_bytes: gauge(
    "Free bytes below which events are refused (DISK_LOW_WATER_BYTES)",
  ),
  headwater_clock_jump_seconds: gauge(
    "How far the clock has jumped if deletions by age are on hold because of it; otherwise 0",
  ),
  headwater_last_backup_timestamp_seconds: gauge("When a backup last succeeded; 0: never"),
  headwater_nodes: gauge("Nodes that serve from the same ledger"),
  headwater_commit_queue_requests: gauge("Ingest requests that wait for a commit"),
  headwater_commit_queue_bytes: gauge("Bytes of the requests that wait for a commit"),
  headwater_postgres_pool_connections: gauge("Connections to PostgreSQL, by pool", "pool"),
  headwater_postgres_pool_idle_connections: gauge(
    "Connections to PostgreSQL that are not in use, by pool",
    "pool",
  ),
  headwater_postgres_pool_waiting_requests: gauge(
    "Calls that wait for a connection to PostgreSQL, by pool",
    "pool",
  ),
  headwater_debug_dropped_total: counter(
    "Attempts that were not kept in the debug history because of its limits",
  ),
  headwater_quarantine_skipped_total: counter(
    "Refused requests whose events were not kept because too many came at once or the storage failed",
  ),
  headwater_worker_failures_in_row: gauge(
    "Failures of a background worker since its last success, by worker",
    "worker",
  ),
};

function readWarehouse({ warehouse, warehouseHealth, completeness }: MetricSources) {
  const state = warehouse.state();
  const figures = warehouseHealth.figures();
  // a node that lost the warehouse to another one has a problem
  const hasWarehouse = state !== "off" && !(state === "elsewhere" && warehouse.problem() === null);
  return {
    headwater_warehouse_up: hasWarehouse ? Number(state === "up") : null,
    headwater_warehouse_losses_total: warehouse.disconnects(),
    headwater_warehouse_restarts_total: warehouse.restarts(),
    headwater_warehouse_engine_memory_bytes: warehouse.engineBytes(),
    headwater_warehouse_missing_events: completeness.report().missingEvents,
    headwater_warehouse_failing_merges: figures?.failingMerges ?? null,
    headwater_warehouse_stuck_mutations: figures?.stuckMutations ?? null,
    headwater_warehouse_parts_ratio: figures?.partsRatio ?? null,
    headwater_warehouse_detached_parts: figures?.detachedParts ?? null,
  };
}

function readValues(sources: MetricSources): Record<keyof typeof METRICS, MetricSamples> {
  const [shipped, reports, ledger] = [sources.shipped(), sources.reports.totals(), sources.ledgerLoad()];
  const readiness = sources.readiness.state();
  const { status, freeBytes, lowWaterBytes, storageFailure } = readiness;
  const lastBackupMs = sources.lastBackupMs();
  // PostgreSQL does not report the space on its disk
  const knownFreeBytes = freeBytes !== null && Number.isFinite(freeBytes) ? freeBytes : null;
  const readPools = (key: "total" | "idle" | "waiting"): MetricSamples =>
    ledger.pools.map((pool) => [{ pool: pool.name }, pool[key]]);
  return {
    ...readWarehouse(sources),
    headwater_ready: readiness.ready ? 1 : 0,
    headwater_ingest_in_flight: sources.ingest.inFlight(),
    headwater_outbox_events: status?.outboxEvents ?? 0,
    headwater_failed_rollups: sources.failedRollups.count(),
    headwater_outbox_bytes: status?.outboxBytes ?? 0,
    headwater_outbox_lag_seconds: lagSeconds(readiness, sources.clock()),
    headwater_shipped_events_total: shipped.events,
    headwater_ship_failures_total: shipped.failures,
    headwater_ship_refused_total: shipped.refused,
    headwater_reports_sent_total: reports.sent,
    headwater_report_failures_total: reports.failures,
    headwater_storage_failing: STORAGE_FAILURES.map((kind) => [{ kind }, Number(storageFailure === kind)]),
    headwater_storage_free_bytes: knownFreeBytes,
    headwater_storage_low_water_bytes: knownFreeBytes === null ? null : lowWaterBytes,
    headwater_clock_jump_seconds: sources.deletionTime.jumpMs() / SECOND_MS,
    headwater_last_backup_timestamp_seconds: lastBackupMs && lastBackupMs / SECOND_MS,
    headwater_nodes: status?.nodes ?? 1,
    headwater_commit_queue_requests: ledger.queue.requests,
    headwater_commit_queue_bytes: ledger.queue.bytes,
    headwater_postgres_pool_connections: readPools("total"),
    headwater_postgres_pool_idle_connections: readPools("idle"),
    headwater_postgres_pool_waiting_requests: readPools("waiting"),
    headwater_debug_dropped_total: sources.recorder.droppedTotal(),
    headwater_quarantine_skipped_total: sources.keeper.skippedTotal(),
    headwater_worker_failures_in_row: sources
      .workers()
      .map((one) => [{ worker: one.name }, one.failuresInRow]),
  };
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
    help: "HTTP requests by API operation and status; 499: the client disconnected before the response",
    labelNames: ["operation", "status"] as const,
    registers,
  });
  const seconds = new Histogram({
    name: "headwater_http_request_seconds",
    help: "Time from a request's arrival until its response begins, by API operation",
    labelNames: ["operation"] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  });
  const failures = new Counter({
    name: "headwater_failed_authentications_total",
    help: "Requests that got a 401 response, by refusal code",
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
  const setProcessValues = registerMetrics(registry, PROCESS_METRICS);
  const setValues = registerMetrics(registry, METRICS);
  const readProcess = createProcessReader(build);
  const registered = Promise.withResolvers<MetricSources>();
  return {
    contentType: registry.contentType,
    /** A scrape right after the start waits until everything that it shows is running. */
    render: async (): Promise<string> => {
      const sources = await registered.promise;
      setProcessValues(await readProcess());
      setValues(readValues(sources));
      return registry.metrics();
    },
    /** The counters that ingest increments. */
    ingest: createIngestCounters(registry),
    http: createHttpCounters(registry),
    commitGroup: createGroupCounter(registry),
    /** Call it once, when everything that the metrics read is running. */
    registerSources: registered.resolve,
  };
}

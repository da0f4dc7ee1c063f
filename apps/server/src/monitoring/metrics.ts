/** Metrics for Prometheus. No label names a source or a key, so the number of series is bounded. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { WarehouseState } from "../clickhouse/warehouse.ts";
import { SECOND_MS } from "../core/time.ts";
import type { ReadinessState } from "./readiness.ts";

/** What the gauges are read from, at the moment of a scrape. */
export interface MetricSources {
  now: number;
  readiness: ReadinessState;
  warehouse: { state: WarehouseState; disconnects: number; missingEvents: number };
  shipped: { readonly events: number; readonly failures: number; readonly refused: number };
  ingestInFlight: number;
  debugDropped: number;
  workers: readonly { name: string; failuresInRow: number }[];
}

/** The age of the oldest accepted event that is not in the warehouse; 0 when there is none. */
export function lagSeconds({ status }: ReadinessState, now: number): number {
  const oldestAt = status?.outboxOldestAt ?? now;
  return Math.max(0, now - oldestAt) / SECOND_MS;
}

interface MetricDefinition {
  kind: "gauge" | "counter";
  /** Without the prefix `headwater_`. */
  name: string;
  help: string;
  read(sources: MetricSources): number;
}

type ReadMetric = MetricDefinition["read"];
const gauge = (name: string, help: string, read: ReadMetric): MetricDefinition => ({
  kind: "gauge",
  name,
  help,
  read,
});
const counter = (name: string, help: string, read: ReadMetric): MetricDefinition => ({
  kind: "counter",
  name,
  help,
  read,
});

/** To add a metric that is read at each scrape, add a row here and its name to docs/operate.md. */
const METRICS: readonly MetricDefinition[] = [
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
    "outbox_bytes",
    "Bytes of the accepted events that are not in the warehouse yet",
    ({ readiness }) => readiness.status?.outboxBytes ?? 0,
  ),
  gauge(
    "outbox_lag_seconds",
    "Age of the oldest accepted event that is not in the warehouse yet",
    ({ readiness, now }) => lagSeconds(readiness, now),
  ),
  gauge("warehouse_up", "1 if the warehouse can be queried, else 0", ({ warehouse }) =>
    warehouse.state === "up" ? 1 : 0,
  ),
  counter(
    "warehouse_losses_total",
    "Times that the warehouse went from up to down",
    ({ warehouse }) => warehouse.disconnects,
  ),
  gauge(
    "warehouse_missing_events",
    "Events that were shipped to the warehouse and are no longer there",
    ({ warehouse }) => warehouse.missingEvents,
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
  gauge(
    "storage_free_bytes",
    "Free bytes on the ledger's disk",
    ({ readiness }) => readiness.status?.freeBytes ?? 0,
  ),
  gauge("nodes", "Nodes that serve from the same ledger", ({ readiness }) => readiness.status?.nodes ?? 1),
  gauge(
    "debug_dropped",
    "Attempts that were not kept in the debug history because of its limits",
    ({ debugDropped }) => debugDropped,
  ),
];

function registerMetric(registry: Registry, definition: MetricDefinition, read: () => MetricSources) {
  const options = { name: `headwater_${definition.name}`, help: definition.help, registers: [registry] };
  if (definition.kind === "gauge") {
    new Gauge({
      ...options,
      collect() {
        this.set(definition.read(read()));
      },
    });
  } else {
    new Counter({
      ...options,
      collect() {
        this.reset();
        this.inc(definition.read(read()));
      },
    });
  }
}

function registerWorkerFailures(registry: Registry, read: () => MetricSources) {
  new Gauge({
    name: "headwater_worker_failures_in_row",
    help: "Failures of a background worker since its last success, by worker",
    labelNames: ["worker"] as const,
    registers: [registry],
    collect() {
      for (const { name, failuresInRow } of read().workers) this.set({ worker: name }, failuresInRow);
    },
  });
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
    events: (outcome: string, code: string, count: number) => events.inc({ outcome, code }, count),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    /** What ingest counts as it happens. */
    counters: createIngestCounters(registry),
    /** Adds the metrics that are read at each scrape. Call it once, when everything that they read is running. */
    registerSources(read: () => MetricSources) {
      for (const definition of METRICS) registerMetric(registry, definition, read);
      registerWorkerFailures(registry, read);
    },
  };
}

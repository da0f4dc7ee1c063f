/** Metrics for Prometheus. No label names a source or a key, so their number is bounded. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { Readiness } from "./readiness.ts";

/** How the outbox gets on. */
export interface ShippingStatus {
  state(): "off" | "starting" | "up" | "down";
  /** How often the warehouse was up and went away. */
  losses(): number;
  totals(): { readonly events: number; readonly failures: number; readonly refused: number };
}

/** Seconds since the oldest event came that is not in the warehouse; 0: all are. */
export function lagSeconds({ status }: Readiness, now: number): number {
  const oldestAt = status?.outboxOldestAt ?? now;
  return Math.max(0, now - oldestAt) / 1_000;
}

export interface Gauges {
  readiness(): Readiness;
  shipping(): ShippingStatus | null;
  clock(): number;
  inFlight(): number;
  debugDropped(): number;
}

export function createMetrics(gauges: Gauges) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `headwater_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `headwater_${name}`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });

  gauge("ready", "1 when the service takes requests", () => (gauges.readiness().ready ? 1 : 0));
  gauge("ingest_in_flight", "Ingest requests at work", gauges.inFlight);
  gauge(
    "outbox_events",
    "Accepted events not yet in the warehouse",
    () => gauges.readiness().status?.outboxEvents ?? 0,
  );
  gauge("outbox_bytes", "Their bytes in the ledger", () => gauges.readiness().status?.outboxBytes ?? 0);
  gauge("outbox_lag_seconds", "Since the oldest of them was accepted", () =>
    lagSeconds(gauges.readiness(), gauges.clock()),
  );
  gauge("warehouse_up", "1 when the warehouse can be asked", () =>
    gauges.shipping()?.state() === "up" ? 1 : 0,
  );
  counter(
    "warehouse_losses_total",
    "Times that the warehouse went away",
    () => gauges.shipping()?.losses() ?? 0,
  );
  counter(
    "shipped_events_total",
    "Events that went to the warehouse",
    () => gauges.shipping()?.totals().events ?? 0,
  );
  counter(
    "ship_failures_total",
    "Tries to ship that failed",
    () => gauges.shipping()?.totals().failures ?? 0,
  );
  counter(
    "ship_refused_total",
    "Tries to ship that the warehouse refused for the data",
    () => gauges.shipping()?.totals().refused ?? 0,
  );
  gauge(
    "storage_free_bytes",
    "Free bytes on the ledger's disk",
    () => gauges.readiness().status?.freeBytes ?? 0,
  );
  gauge("nodes", "Nodes that serve from the same ledger", () => gauges.readiness().status?.nodes ?? 1);
  gauge("debug_dropped", "Attempts that the debug history had no room for", gauges.debugDropped);

  return {
    render: () => registry.metrics(),
    contentType: registry.contentType,
    counters: {
      request: (kind: string, status: number, code: string, durationMs: number) => {
        requests.inc({ kind, status: String(status), code });
        seconds.observe({ kind }, durationMs / 1_000);
      },
      events: (outcome: string, code: string, count: number) => events.inc({ outcome, code }, count),
    },
  };
}

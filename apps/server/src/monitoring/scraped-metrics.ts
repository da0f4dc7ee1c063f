/** Metrics whose values are read at each scrape. */
import { Counter, Gauge, type Registry } from "@prometheus-io/client";

interface ScrapedMetric {
  readonly kind: "gauge" | "counter";
  readonly help: string;
  readonly labelNames: readonly string[];
}

export const gauge = (help: string, ...labelNames: string[]): ScrapedMetric => ({
  kind: "gauge",
  help,
  labelNames,
});
export const counter = (help: string): ScrapedMetric => ({ kind: "counter", help, labelNames: [] });

/** A number: the value of a metric without labels. A list: one sample per series. null: there is no value now. */
export type MetricSamples =
  | number
  | null
  | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** @returns a function that sets the values of all metrics */
export function registerMetrics<Name extends string>(
  registry: Registry,
  table: Readonly<Record<Name, ScrapedMetric>>,
): (values: Readonly<Record<Name, MetricSamples>>) => void {
  const metrics = Object.entries<ScrapedMetric>(table).map(([name, { kind, ...described }]) => {
    const options = { name, ...described, registers: [registry] };
    const metric = kind === "gauge" ? new Gauge<string>(options) : new Counter<string>(options);
    return [name, metric] as const;
  });
  return (values) => {
    const samplesOf = new Map<string, MetricSamples>(Object.entries(values));
    for (const [name, metric] of metrics) {
      const samples = samplesOf.get(name) ?? null;
      metric.reset();
      if (samples === null) metric.remove({});
      else if (typeof samples === "number") metric.inc({}, samples);
      else for (const [labels, value] of samples) metric.inc(labels, value);
    }
  };
}

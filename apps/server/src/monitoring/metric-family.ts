/** Families of metrics that are read at each scrape, and reports of several processes that become one. */
import { Counter, Gauge, Registry } from "@prometheus-io/client";

/** Label values and the value of one series. */
type MetricSample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A number: the value of a family without labels. A list: one sample per series. null: there is no value now. */
export type MetricSamples = number | null | readonly MetricSample[];

/** @param S what the values are read from */
export interface MetricFamily<S> {
  readonly kind: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** How the values of several processes (WORKERS) become one. */
  readonly merge: "sum" | "min" | "max";
  read(sources: S): MetricSamples | Promise<MetricSamples>;
}

type FamilyOptions = Partial<Pick<MetricFamily<unknown>, "labelNames" | "merge">>;

/** A counter. Its values are added up over all processes. */
export const counterFamily = <S>(
  name: string,
  help: string,
  read: MetricFamily<S>["read"],
  options: FamilyOptions = {},
): MetricFamily<S> => ({ kind: "counter", name, help, labelNames: [], merge: "sum", read, ...options });

/** A gauge. By default the largest value of all processes is shown: most gauges describe the ledger that they share. */
export const gaugeFamily = <S>(
  name: string,
  help: string,
  read: MetricFamily<S>["read"],
  options: FamilyOptions = {},
): MetricFamily<S> => ({ kind: "gauge", name, help, labelNames: [], merge: "max", read, ...options });

const toSamples = (samples: MetricSamples): readonly MetricSample[] => {
  if (samples === null) return [];
  return typeof samples === "number" ? [[{}, samples]] : samples;
};

/** @param readSources called at each scrape */
export function registerFamily<S>(registry: Registry, family: MetricFamily<S>, readSources: () => S): void {
  const { kind, name, help, labelNames, merge } = family;
  const options = { name, help, labelNames, aggregator: merge, registers: [registry] };
  const readSamples = async () => toSamples(await family.read(readSources()));
  if (kind === "gauge") {
    new Gauge<string>({
      ...options,
      async collect() {
        const samples = await readSamples();
        this.reset();
        if (samples.length === 0 && labelNames.length === 0) this.remove({});
        for (const [labels, value] of samples) this.set(labels, value);
      },
    });
  } else {
    new Counter<string>({
      ...options,
      async collect() {
        const samples = await readSamples();
        this.reset();
        for (const [labels, value] of samples) this.inc(labels, value);
      },
    });
  }
}

/** The metrics of one process as plain values, which can be sent to another process. */
export type MetricsReport = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

export const renderReports = (reports: MetricsReport[]): Promise<string> =>
  Registry.aggregate(reports).metrics();

/** Adds the counters of a process that has ended to those of earlier ones: the sum over all processes must not decrease. */
export async function addEnded(ended: MetricsReport, report: MetricsReport): Promise<MetricsReport> {
  const counted = report.filter(({ type }) => type === "counter" || type === "histogram");
  return Registry.aggregate([ended, counted]).getMetricsAsJSON();
}

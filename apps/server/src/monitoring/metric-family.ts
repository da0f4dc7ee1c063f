/** Families of metrics that are read at each scrape. */
import { Counter, Gauge, type Registry } from "@prometheus-io/client";

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
  read(sources: S): MetricSamples | Promise<MetricSamples>;
}

const familyOf =
  (kind: MetricFamily<unknown>["kind"]) =>
  <S>(
    name: string,
    help: string,
    read: MetricFamily<S>["read"],
    labelNames: readonly string[] = [],
  ): MetricFamily<S> => ({ kind, name, help, labelNames, read });

export const counterFamily = familyOf("counter");
export const gaugeFamily = familyOf("gauge");

const toSamples = (samples: MetricSamples): readonly MetricSample[] => {
  if (samples === null) return [];
  return typeof samples === "number" ? [[{}, samples]] : samples;
};

/** @param readSources called at each scrape */
export function registerFamily<S>(registry: Registry, family: MetricFamily<S>, readSources: () => S): void {
  const { kind, name, help, labelNames } = family;
  const options = { name, help, labelNames, registers: [registry] };
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

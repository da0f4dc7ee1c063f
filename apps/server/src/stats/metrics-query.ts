/** What the ways to answer a question about metrics have in common. */
import type { StatsGoal, StatsMetric } from "@headwater/contract";
import type { Period } from "./calendar.ts";
import { type Dimension, TEXTS } from "./dimensions.ts";
import { metricOf, type Part } from "./metrics.ts";
import type { Scope } from "./scope.ts";
import type { Bind } from "./sql.ts";

export interface Query {
  readonly scope: Scope;
  readonly metrics: readonly StatsMetric[];
  readonly dimensions: readonly Dimension[];
  readonly goal: StatsGoal | null;
  readonly order: readonly { readonly column: string; readonly isDescending: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** The period that a statement is about: the one asked for, or the one that it is compared with. */
export interface Side {
  readonly period: Period;
  /** First instants of its buckets; empty: there are none. */
  readonly starts: readonly number[];
  /** What each bucket is called: its own first instant, or that of the period that it is compared with. */
  readonly names: readonly number[];
  /** The groups to keep, by their hashes; null: all. */
  readonly groups: readonly string[] | null;
}

export const dimensionColumn = (at: number) => `k${at}`;
export const metricColumn = (at: number) => `m${at}`;

export type Kind = "time" | "event" | "entry" | "exit";
export const kindOf = (dimension: Dimension): Kind => {
  if (dimension.kind === "time") return "time";
  return dimension.kind === "property" ? "event" : TEXTS[dimension.name].of;
};

/** @param atMs an instant, in milliseconds since the epoch */
export function bucket(bind: Bind, atMs: string, { starts, names }: Side): string {
  const start = `roundDown(${atMs}, ${bind("Array(Int64)", starts)})`;
  if (starts === names) return start;
  // beyond the buckets that it is compared with there is nothing to compare
  const known = starts.slice(0, names.length);
  const array = (values: readonly number[]) => bind("Array(Int64)", values);
  return `transform(${start}, ${array(known)}, ${array(names.slice(0, known.length))}, toInt64(-1))`;
}

/** Of the dimensions those of a kind, with their columns. */
export const ofKind = ({ dimensions }: Query, ...kinds: Kind[]) =>
  dimensions
    .map((dimension, at) => ({ dimension, column: dimensionColumn(at) }))
    .filter(({ dimension }) => kinds.includes(kindOf(dimension)));

export const list = (columns: readonly string[]) => columns.join(", ");

/** What the metrics are made of. */
export const neededBy = ({ metrics }: Query): Part[] => [
  ...new Set(metrics.flatMap((metric, at) => metricOf(metric, at).parts)),
];

export const groupBy = (columns: readonly string[]) =>
  columns.length === 0 ? "" : `GROUP BY ${list(columns)}`;

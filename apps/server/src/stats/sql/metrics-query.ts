/** A validated query of metrics by dimensions, and helpers shared by the modules that write it as SQL. */
import type { StatsMetric } from "@headwater/contract";
import type { Period } from "../calendar.ts";
import type { QueryScope } from "../scope.ts";
import type { PartScope } from "./conditions.ts";
import { type Dimension, isEventLevel, type ValueDimension } from "./dimensions.ts";
import type { GoalRule } from "./goals.ts";
import type { Rollups } from "./part.ts";
import type { Bind } from "./statement.ts";

/** The period that a query reads: its range, or the period that it is compared with. */
export interface QueryPeriod {
  readonly period: Period;
  /** The starts of its time buckets; empty without a time dimension. */
  readonly starts: readonly number[];
  /** The name of each bucket: its own start, or the start of the bucket that it is compared with. */
  readonly names: readonly number[];
  /** Hashes of the groups to return; null: all groups. */
  readonly groups: readonly string[] | null;
}

export interface MetricsQuery extends QueryPeriod {
  readonly scope: QueryScope;
  readonly metrics: readonly StatsMetric[];
  readonly dimensions: readonly Dimension[];
  readonly goal: GoalRule | null;
  /** The window of first-touch attribution; null: dimensions are of the event's session. */
  readonly firstTouchWindowMs: number | null;
  /** `field` is a place among the dimensions and, after them, the metrics. */
  readonly order: readonly { readonly field: number; readonly isDescending: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** The input of every function that writes SQL of the statement. */
export interface SqlContext {
  readonly bind: Bind;
  readonly query: MetricsQuery;
  readonly scope: PartScope;
}
export interface RollupContext extends SqlContext {
  readonly rollups: Rollups;
}

export const dimensionColumn = (index: number): string => `k${index}`;
/** The column of a total in the subqueries of a statement. The suffix keeps it apart from the columns of the tables. */
export const totalColumn = (name: string): string => `${name}_`;

export interface ValueColumn {
  readonly dimension: ValueDimension;
  readonly column: string;
}

interface DimensionColumns {
  readonly time: string[];
  readonly event: ValueColumn[];
  readonly session: ValueColumn[];
}

/** The columns of a query's dimensions, grouped by whether the values come from the time, the event or the session. */
export function groupDimensionColumns({ dimensions }: MetricsQuery): DimensionColumns {
  const columns: DimensionColumns = { time: [], event: [], session: [] };
  for (const [index, dimension] of dimensions.entries()) {
    const column = dimensionColumn(index);
    if (dimension.kind === "time") columns.time.push(column);
    else columns[isEventLevel(dimension) ? "event" : "session"].push({ dimension, column });
  }
  return columns;
}

/** The columns of time buckets. @param atMs SQL of a time in milliseconds since the epoch */
export function bucketColumns({ bind, query }: SqlContext, atMs: string): string[] {
  const { starts, names } = query;
  const array = (values: readonly number[]) => bind("Array(Int64)", values);
  return groupDimensionColumns(query).time.map((column) => {
    const start = `roundDown(${atMs}, ${array(starts)})`;
    if (starts === names) return `${start} AS ${column}`;
    // a longer period may have more buckets than the one that it is compared with
    const compared = starts.slice(0, names.length);
    const name = `transform(${start}, ${array(compared)}, ${array(names.slice(0, compared.length))}, toInt64(-1))`;
    return `${name} AS ${column}`;
  });
}

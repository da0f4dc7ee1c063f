/** A validated query of metrics by dimensions, and helpers shared by the modules that write it as SQL. */
import type { StatsMetric } from "@headwater/contract";
import type { ClockChange, Period } from "../calendar.ts";
import type { PartScope, QueryScope } from "./conditions.ts";
import {
  clockSql,
  type Dimension,
  isCurrency,
  isEventLevel,
  isOfTime,
  type TimeDimension,
  type ValueDimension,
} from "./dimensions.ts";
import { isEachGoal, type QueryGoal } from "./goals.ts";
import type { Rollups } from "./part.ts";
import type { Bind } from "./statement.ts";

/** The period that a query reads: its range, or the period that it is compared with. */
export interface QueryPeriod {
  readonly period: Period;
  /** The starts of its time buckets; empty without a time dimension. */
  readonly starts: readonly number[];
  /** The name of each bucket: its own start, or the start of the bucket that is compared with it (`comparison.ts`). */
  readonly names: readonly number[];
  /** The days that each bucket counts, until `ends` and from the `firsts` of a total (`rolling.ts`). null: its own. */
  readonly windows: {
    readonly names: readonly number[];
    readonly firsts: ReadonlyMap<string, readonly number[]>;
    readonly ends: readonly number[];
  } | null;
  /** The zone's distances from UTC in the period, for dimensions of the clock; empty without one. */
  readonly clockChanges: readonly ClockChange[];
  /** Hashes of the groups to return; null: all groups. */
  readonly groups: readonly string[] | null;
  /** Hashes of groups to leave out: all others are read as one group. null: each is a group. */
  readonly except: readonly string[] | null;
}

/** Which session of the visitor, begun within the window before an event, the dimensions of attribution are of. */
export interface Touch {
  readonly model: "firstTouch" | "lastNonDirect";
  readonly windowMs: number;
}

export interface MetricsQuery extends QueryPeriod {
  readonly scope: QueryScope;
  readonly metrics: readonly StatsMetric[];
  readonly dimensions: readonly Dimension[];
  /** All goals of the source in a query by goal. */
  readonly goal: QueryGoal | null;
  /** Metrics of revenue count amounts of this currency only. null: of all currencies. */
  readonly currency: string | null;
  /** The session that gives the dimensions of attribution; null: the event's own. */
  readonly touch: Touch | null;
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

/** Whether a dimension is of the goal that a row reaches. The rows that rates divide by have none. */
export const isOfGoal = ({ goal }: Pick<MetricsQuery, "goal">, dimension: Dimension | undefined): boolean =>
  isEachGoal(goal) && dimension !== undefined && (dimension.kind === "goal" || isCurrency(dimension));

/**
 * A number for a group's dimensions, a sum of hashes. A hash of one column of a rollup is computed for each of its values; a hash of
 * all columns, for each row, takes ten times as long.
 */
const groupNumber = (keys: readonly string[]): string =>
  keys.map((key, index) => `sipHash64(ifNull(concat('${index}=', toString(${key})), ''))`).join(" + ") ||
  "toUInt64(0)";

/** A text for a group's dimensions. By it, further questions select the groups of the main answer. */
export const groupHash = (keys: readonly string[]): string => `toString(${groupNumber(keys)})`;

/** The columns that rows are grouped by. */
export const keyColumns = ({ dimensions, except }: MetricsQuery): string[] =>
  except === null ? dimensions.map((_, index) => dimensionColumn(index)) : [];

/** Selects the rows of groups that a query does not leave out. @param keys SQL of their dimensions */
export const notExcepted = (bind: Bind, { except }: MetricsQuery, keys: readonly string[]): string =>
  except === null
    ? "1"
    : `${groupNumber(keys)} NOT IN CAST(${bind("Array(String)", except)} AS Array(UInt64))`;

export const dimensionColumn = (index: number): string => `k${index}`;
/** The column of a total in the subqueries of a statement. The suffix keeps it apart from the columns of the tables. */
export const totalColumn = (name: string): string => `${name}_`;

export interface ValueColumn {
  readonly dimension: ValueDimension;
  readonly column: string;
}

interface DimensionColumns {
  readonly time: { readonly dimension: TimeDimension; readonly column: string }[];
  readonly event: ValueColumn[];
  readonly session: ValueColumn[];
}

/** The columns of a query's dimensions, grouped by whether the values come from the time, the event or the session. */
export function groupDimensionColumns({ dimensions }: MetricsQuery): DimensionColumns {
  const columns: DimensionColumns = { time: [], event: [], session: [] };
  for (const [index, dimension] of dimensions.entries()) {
    const column = dimensionColumn(index);
    if (isOfTime(dimension)) columns.time.push({ dimension, column });
    else columns[isEventLevel(dimension) ? "event" : "session"].push({ dimension, column });
  }
  return columns;
}

/** The columns of times. @param atMs SQL of a time in milliseconds since the epoch */
export function timeColumns({ bind, query }: SqlContext, atMs: string): string[] {
  const { starts, names, clockChanges } = query;
  const array = (values: readonly number[]) => bind("Array(Int64)", values);
  return groupDimensionColumns(query).time.map(({ dimension, column }) => {
    if (dimension.kind === "clock") return `${clockSql(bind, dimension, atMs, clockChanges)} AS ${column}`;
    const start = `roundDown(${atMs}, ${array(starts)})`;
    if (starts === names) return `${start} AS ${column}`;
    return `transform(${start}, ${array(starts)}, ${array(names)}) AS ${column}`;
  });
}

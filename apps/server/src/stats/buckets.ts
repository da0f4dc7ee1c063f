/** The time buckets of a query, and the clock of its time zone. */
import {
  bucketStarts,
  type ClockChange,
  clockChanges,
  completeBuckets,
  type Grain,
  type Period,
} from "./calendar.ts";
import type { Dimension } from "./sql/dimensions.ts";
import type { MetricsQuery } from "./sql/metrics-query.ts";

/** The minutes of a day, with an hour that the clock shows twice. */
export const MAX_STATS_BUCKETS = 1_500;

export const grainOf = (dimensions: readonly Dimension[]): Grain | null =>
  dimensions.find((one) => one.kind === "time")?.grain ?? null;

/** The starts of the time buckets of a period; empty without a time dimension. */
export function startsOf(zone: string, dimensions: readonly Dimension[], period: Period): number[] {
  const grain = grainOf(dimensions);
  return grain ? bucketStarts(zone, grain, period, MAX_STATS_BUCKETS) : [];
}

/** The zone's distances from UTC in a period; empty without a dimension of the clock. */
export const changesOf = (zone: string, dimensions: readonly Dimension[], period: Period): ClockChange[] =>
  dimensions.some(({ kind }) => kind === "clock") ? clockChanges(zone, period) : [];

/** Whether the bucket of a group lies in the range as a whole and is over; null without a time dimension. */
export function completenessOf(
  query: MetricsQuery,
  now: number,
): (group: { readonly keys: readonly unknown[] }) => boolean | null {
  const grain = grainOf(query.dimensions);
  if (grain === null) return () => null;
  const time = query.dimensions.findIndex(({ kind }) => kind === "time");
  const { zone, range } = query.scope;
  const complete = completeBuckets(zone, grain, { starts: query.starts, end: Math.min(range.to, now) });
  return ({ keys }) => complete.has(Number(keys[time]));
}

/** The number of all stored events, passive ones too, which the metric `events` leaves out. */
import type { StatsRow } from "@headwater/contract";

/** The metrics of which `sumOfEvents` is the sum. */
export const ALL_EVENTS = ["events", "passiveEvents"] as const;

/** @param row of a query for `ALL_EVENTS` */
export const sumOfEvents = (row: Pick<StatsRow, "metrics"> | undefined): number =>
  (row?.metrics ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);

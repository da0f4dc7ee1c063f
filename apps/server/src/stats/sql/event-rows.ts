/**
 * SQL of the columns of `eventRollups` over a row of `events`. Builds add these rows up, and queries read them one by one for the
 * events that no current rollup covers, so both give the same numbers.
 */
import { STATS_EVENT_DIMENSIONS } from "@headwater/contract/stats-words";
import { IS_PAGE_VIEW, OPENS_SESSION } from "../../clickhouse/schema/event-types.ts";
import { columnSql } from "./dimensions.ts";
import { list } from "./statement.ts";

const KEYS: Readonly<Record<string, string>> = {
  quarter: "toStartOfFifteenMinutes(occurredAt)",
  session: "session",
  visitor: "visitor",
  ...Object.fromEntries(
    STATS_EVENT_DIMENSIONS.map((name) => [
      name,
      `CAST(${columnSql(name)} AS LowCardinality(Nullable(String)))`,
    ]),
  ),
};
interface Value {
  readonly ofEvent: string;
  readonly ofEvents: string;
}
const VALUES: Readonly<Record<string, Value>> = {
  pageviews: { ofEvent: `toUInt32(${IS_PAGE_VIEW})`, ofEvents: `countIf(${IS_PAGE_VIEW})` },
  events: { ofEvent: `toUInt32(${OPENS_SESSION})`, ofEvents: `countIf(${OPENS_SESSION})` },
  passiveEvents: { ofEvent: "toUInt32(passive)", ofEvents: "countIf(passive)" },
  engagedSeconds: { ofEvent: "toFloat64(engagedSeconds)", ofEvents: "sum(toFloat64(engagedSeconds))" },
  scrollDepth: { ofEvent: "scrollDepth", ofEvents: "max(scrollDepth)" },
};

/** The columns of a row, in the order of the statements below. */
export const EVENT_ROW_COLUMNS = [...Object.keys(KEYS), ...Object.keys(VALUES)];

/** @returns a SELECT of one row for each event that satisfies the condition */
export const eventRowsSql = (condition: string): string => {
  const values = Object.values(VALUES).map(({ ofEvent }) => ofEvent);
  return `SELECT ${list([...Object.values(KEYS), ...values])} FROM events WHERE ${condition}`;
};

/** @returns a SELECT of the same rows, added up by their times, ids and dimensions */
export const groupedEventRowsSql = (condition: string): string => {
  const keys = list(Object.values(KEYS));
  const values = Object.values(VALUES).map(({ ofEvents }) => ofEvents);
  return `SELECT ${list([keys, ...values])} FROM events WHERE ${condition} GROUP BY ${keys}`;
};

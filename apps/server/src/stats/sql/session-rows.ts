/**
 * SQL that derives rows of `sessionRollups` from events. Builds write these rows, and queries derive them for the sessions
 * that no current rollup covers, so both give the same numbers.
 */
import { STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import {
  IS_ACTION,
  IS_PAGE_VIEW,
  OPENS_SESSION,
  SESSION_END_COLUMNS,
  SESSION_ENDED_AT,
} from "../../clickhouse/schema/event-types.ts";
import {
  type Dimension,
  type FilterDimension,
  isOfOpeningEvent,
  openingValuesSql,
  sessionValueSql,
} from "./dimensions.ts";
import { ENGAGED_SECONDS } from "./metrics.ts";

export type SessionDimension = (typeof STATS_SESSION_DIMENSIONS)[number];
export const isSessionDimension = (name: string): name is SessionDimension =>
  STATS_SESSION_DIMENSIONS.some((one) => one === name);
/** The column of a dimension; empty: `sessionRollups` does not have it. */
export const sessionDimension = (dimension: Dimension | FilterDimension): SessionDimension[] =>
  dimension.kind === "text" && isSessionDimension(dimension.name) ? [dimension.name] : [];

/** The columns of a row besides the dimensions. */
export const SESSION_ROW_COLUMNS = [
  "quarter",
  "session",
  "visitor",
  "user",
  "sessions",
  "bounces",
  "engagedSessions",
  "durationMs",
  "pageviews",
  "events",
  "passiveEvents",
] as const;

/**
 * The key of a session's rows as one number: there is one row for each quarter of an hour, visitor and user. ClickHouse compares and
 * copies numbers faster than tuples.
 */
const ROW_KEY = `bitShiftLeft(toUInt256(toUInt32(toStartOfFifteenMinutes(occurredAt))), 128)
  + bitShiftLeft(toUInt256(visitor), 64) + ifNull(sipHash64(userId), 0)`;

/**
 * @param events a condition on `events` that selects all events of each session, or none
 * @param dimensions the columns of dimensions that are needed
 * @returns a SELECT of the rows, with the time of the session's first event as `firstEventAt`
 */
export function sessionRowsSql(events: string, dimensions: readonly SessionDimension[]): string {
  const opening = dimensions.filter(isOfOpeningEvent);
  const others = dimensions.filter((name) => !isOfOpeningEvent(name));
  const columns = [...opening.map((name, index) => `openingValues[${index + 1}] AS ${name}`), ...others];
  const aggregates = [
    ...(opening.length > 0 ? [`${openingValuesSql(opening)} AS openingValues`] : []),
    ...others.map((name) => `${sessionValueSql(name)} AS ${name}`),
  ];
  return `
  SELECT session, firstEventAt, ${[...columns, ""].join(", ")}
    toDateTime(toUInt32(bitShiftRight(rowKey, 128)), 'UTC') AS quarter,
    toUInt64(bitShiftRight(rowKey, 64)) AS visitor, toUInt64(rowKey) AS user,
    rowKey = openingKey AS sessions,
    sessions AND sessionViews = 1 AND sessionActions = 0 AS bounces,
    sessions AND (sessionViews > 1 OR sessionSeconds >= ${ENGAGED_SECONDS}) AS engagedSessions,
    if(sessions, dateDiff('millisecond', startedAt, ${SESSION_ENDED_AT}), 0) AS durationMs,
    countEqual(viewKeys, rowKey) AS pageviews,
    countEqual(activeKeys, rowKey) AS events,
    countEqual(passiveKeys, rowKey) AS passiveEvents
  FROM (
    SELECT session,
      min(occurredAt) AS firstEventAt, minIf(occurredAt, ${OPENS_SESSION}) AS startedAt,
      ${SESSION_END_COLUMNS.join(",\n      ")},
      countIf(${IS_PAGE_VIEW}) AS sessionViews, countIf(${IS_ACTION}) AS sessionActions,
      sum(toFloat64(engagedSeconds)) AS sessionSeconds,
      groupArrayIf(${ROW_KEY}, ${OPENS_SESSION}) AS activeKeys,
      groupArrayIf(${ROW_KEY}, passive) AS passiveKeys,
      groupArrayIf(${ROW_KEY}, ${IS_PAGE_VIEW}) AS viewKeys,
      minIf(${ROW_KEY}, ${OPENS_SESSION}) AS openingKey,
      arrayDistinct(arrayConcat(activeKeys, passiveKeys)) AS rowKeys
      ${aggregates.map((one) => `, ${one}`).join("\n      ")}
    FROM events WHERE ${events} GROUP BY session
  ) ARRAY JOIN rowKeys AS rowKey`;
}

/**
 * SQL that derives rows of `sessionRollups` from events. Builds write these rows, and queries derive them for the sessions
 * that no current rollup covers, so both give the same numbers.
 */
import { STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import { IS_ACTION, IS_PAGE_VIEW, OPENS_SESSION } from "../../clickhouse/schema/event-types.ts";
import { sessionValueSql } from "../dimensions.ts";
import { ENGAGED_SECONDS } from "../metrics.ts";

export type SessionDimension = (typeof STATS_SESSION_DIMENSIONS)[number];
export const isSessionDimension = (name: string): name is SessionDimension =>
  STATS_SESSION_DIMENSIONS.some((one) => one === name);

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
] as const;

/** The key of a session's rows: there is one row for each quarter of an hour, visitor and user. */
const ROW_KEY = "tuple(toUInt32(toStartOfFifteenMinutes(occurredAt)), visitor, ifNull(sipHash64(userId), 0))";

/**
 * @param events a condition on `events` that selects all events of each session, or none
 * @param dimensions the columns of dimensions that are needed
 * @returns a SELECT of the rows, with the time of the session's first event as `firstEventAt`
 */
export const sessionRowsSql = (events: string, dimensions: readonly SessionDimension[]): string => `
  SELECT session, firstEventAt, ${[...dimensions, ""].join(", ")}
    toDateTime(tupleElement(rowKey, 1), 'UTC') AS quarter,
    tupleElement(rowKey, 2) AS visitor, tupleElement(rowKey, 3) AS user,
    rowKey = openingKey AS sessions,
    sessions AND sessionViews = 1 AND sessionActions = 0 AS bounces,
    sessions AND (sessionViews > 1 OR sessionSeconds >= ${ENGAGED_SECONDS}) AS engagedSessions,
    if(sessions, dateDiff('millisecond', startedAt, endedAt), 0) AS durationMs,
    countEqual(viewKeys, rowKey) AS pageviews,
    countEqual(eventKeys, rowKey) AS events
  FROM (
    SELECT session,
      min(occurredAt) AS firstEventAt, minIf(occurredAt, ${OPENS_SESSION}) AS startedAt, max(occurredAt) AS endedAt,
      countIf(${IS_PAGE_VIEW}) AS sessionViews, countIf(${IS_ACTION}) AS sessionActions,
      sum(toFloat64(engagedSeconds)) AS sessionSeconds,
      groupArray(${ROW_KEY}) AS eventKeys,
      groupArrayIf(${ROW_KEY}, ${IS_PAGE_VIEW}) AS viewKeys,
      minIf(${ROW_KEY}, ${OPENS_SESSION}) AS openingKey,
      arrayDistinct(eventKeys) AS rowKeys
      ${dimensions.map((name) => `, ${sessionValueSql(name)} AS ${name}`).join("\n      ")}
    FROM events WHERE ${events} GROUP BY session
  ) ARRAY JOIN rowKeys AS rowKey`;

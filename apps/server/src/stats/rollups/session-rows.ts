/** Sessions as rows of `visits`, derived of events: for the days that settle, and for the sessions of those that have not. */
import { IS_ACTION, IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { SESSION_TEXTS } from "../../clickhouse/schema/rollups.ts";
import { asText, TEXTS } from "../dimensions.ts";
import { entryOf, exitOf } from "../filter.ts";

export type SessionText = (typeof SESSION_TEXTS)[number];

export const isSessionText = (name: string): name is SessionText =>
  (SESSION_TEXTS as readonly string[]).includes(name);

const textOf = (name: SessionText): string => {
  const { of, sql } = TEXTS[name];
  return `${of === "exit" ? exitOf(asText(sql)) : entryOf(asText(sql))} AS ${name}`;
};

/** Additive columns, under the names of `visits`. */
export const SLICE = [
  "quarter",
  "session",
  "visitor",
  "user",
  "sessions",
  "bounces",
  "durationMs",
  "pageviews",
  "events",
] as const;

const QUARTER = "toStartOfFifteenMinutes(occurredAt)";

/**
 * A row for each quarter of an hour, visitor and user of a session. `startedAt` is the session's.
 * @param where a condition on `events`, under which each session is whole
 * @param texts what is needed of what a session is
 */
export const slicesOf = (where: string, texts: readonly SessionText[]): string => `
  SELECT session, startedAt, ${[...texts, ""].join(", ")}
    toDateTime(tupleElement(slice, 1), 'UTC') AS quarter, tupleElement(slice, 2) AS visitor, tupleElement(slice, 3) AS user,
    place = 1 AS sessions,
    place = 1 AND viewsInAll = 1 AND tracksInAll = 0 AS bounces,
    if(place = 1, dateDiff('millisecond', startedAt, endedAt), 0) AS durationMs,
    countEqual(viewed, slice) AS pageviews,
    countEqual(seen, slice) AS events
  FROM (
    SELECT session,
      min(occurredAt) AS startedAt, max(occurredAt) AS endedAt,
      countIf(${IS_PAGE_VIEW}) AS viewsInAll, countIf(${IS_ACTION}) AS tracksInAll,
      groupArray(tuple(toUInt32(${QUARTER}), visitor, ifNull(sipHash64(userId), 0))) AS seen,
      groupArrayIf(tuple(toUInt32(${QUARTER}), visitor, ifNull(sipHash64(userId), 0)), ${IS_PAGE_VIEW}) AS viewed,
      arraySort(arrayDistinct(seen)) AS slices
      ${["", ...texts.map(textOf)].join(",\n      ")}
    FROM events WHERE ${where} GROUP BY session
  ) ARRAY JOIN slices AS slice, arrayEnumerate(slices) AS place`;

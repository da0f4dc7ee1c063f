/**
 * First-touch attribution: some dimensions of an event are those of the first session of its visitor that began within a window
 * before the event (docs/stats.md). Without such a session they are those of the event's own session.
 */

import {
  type Issue,
  LIMITS,
  STATS_ATTRIBUTION_DIMENSIONS,
  STATS_GOAL_METRICS,
  type StatsQueryBody,
} from "@headwater/contract";
import { OPENS_SESSION } from "../../clickhouse/schema/event-types.ts";
import { issueAt } from "../../core/refusal.ts";
import { DAY_MS } from "../../core/time.ts";
import { sessionEventsSql } from "./conditions.ts";
import { OPENING_ORDER, sessionValueSql, type ValueDimension } from "./dimensions.ts";
import {
  groupDimensionColumns,
  type MetricsQuery,
  type SqlContext,
  type ValueColumn,
} from "./metrics-query.ts";
import { list } from "./statement.ts";

type AttributionBody = Pick<StatsQueryBody, "attribution" | "metrics" | "dimensions">;

const isFirstTouch = ({ attribution }: AttributionBody) => attribution?.model === "firstTouch";
const isAttributed = (name: string) => STATS_ATTRIBUTION_DIMENSIONS.some((one) => one === name);

export function attributionIssues(body: AttributionBody): Issue[] {
  const { attribution, metrics, dimensions = [] } = body;
  if (!isFirstTouch(body))
    return attribution?.windowDays === undefined
      ? []
      : [issueAt(["attribution", "windowDays"], "windowDays works with the model firstTouch only")];
  const needed = STATS_ATTRIBUTION_DIMENSIONS.join(", ");
  const allowed = STATS_GOAL_METRICS.join(", ");
  return [
    ...(dimensions.some(isAttributed)
      ? []
      : [issueAt(["dimensions"], `firstTouch needs one of the dimensions ${needed}`)]),
    ...metrics.flatMap((metric, index) =>
      STATS_GOAL_METRICS.some((one) => one === metric)
        ? []
        : [issueAt(["metrics", index], `the metrics of firstTouch are ${allowed}`)],
    ),
  ];
}

/** The window of first-touch attribution; null: dimensions are of the event's session. */
export const firstTouchWindowOf = (body: AttributionBody): number | null =>
  isFirstTouch(body) ? (body.attribution?.windowDays ?? LIMITS.defaultAttributionWindowDays) * DAY_MS : null;

/** The dimensions of a query that are of the first touch. */
const touchColumns = (query: MetricsQuery): ValueColumn[] =>
  groupDimensionColumns(query).session.filter(({ dimension }) => isAttributed(dimension.name));

const sessionValue = ({ kind, name }: ValueDimension) => (kind === "text" ? sessionValueSql(name) : "NULL");

/**
 * Selects the sessions that can be a first touch: a row for each visitor and time at which one of the visitor's sessions began,
 * with the attributed dimensions as a tuple. Of sessions that began at the same time, the one whose first event has the smaller id
 * counts.
 */
function touchesFrom({ bind, query, scope }: SqlContext, windowMs: number): string {
  const { from, to } = query.period;
  const values = touchColumns(query).map(({ dimension }) => sessionValue(dimension));
  const sessions = `SELECT groupUniqArray(visitor) AS visitors, min(concat(${OPENING_ORDER})) AS opening,
      toUnixTimestamp64Milli(minIf(occurredAt, ${OPENS_SESSION})) AS startedMs, tuple(${list(values)}) AS touch
    FROM events WHERE ${sessionEventsSql(bind, scope, { from: from - windowMs, to })}
    GROUP BY session HAVING countIf(${OPENS_SESSION}) > 0`;
  return `SELECT arrayJoin(visitors) AS visitor, startedMs, argMin(touch, opening) AS touch
    FROM (${sessions}) GROUP BY visitor, startedMs`;
}

/**
 * Replaces the attributed dimensions of events by those of their first touch.
 * @param events SQL of events that are joined with their sessions, with the columns of the dimensions, `visitor` and `eventMs`
 */
export function withFirstTouch(context: SqlContext, events: string, windowMs: number): string {
  const { bind, query } = context;
  const window = bind("Int64", windowMs);
  const isTouched = `t.startedMs >= e.eventMs - ${window} AND t.startedMs <= e.eventMs`;
  const columns = touchColumns(query).map(
    ({ column }, index) => `if(${isTouched}, tupleElement(t.touch, ${index + 1}), e.${column}) AS ${column}`,
  );
  const replaced = touchColumns(query).map(({ column }) => column);
  return `(SELECT e.* EXCEPT (${list(replaced)}), ${list(columns)}
    FROM (SELECT *, eventMs - ${window} AS windowStart FROM ${events}) AS e
    ASOF LEFT JOIN (${touchesFrom(context, windowMs)}) AS t ON e.visitor = t.visitor AND e.windowStart <= t.startedMs)`;
}

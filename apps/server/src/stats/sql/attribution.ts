/**
 * Attribution: some dimensions of an event are those of its touch, a session of its visitor that began within a window before the
 * event: the first one, or the last one that is not direct (docs/stats.md). Without a touch they are those of the event's own session.
 */

import {
  type Channel,
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
  type Touch,
  type ValueColumn,
} from "./metrics-query.ts";
import { allOf, list } from "./statement.ts";

const DIRECT_CHANNEL = "Direct" satisfies Channel;

type AttributionBody = Pick<StatsQueryBody, "attribution" | "metrics" | "dimensions">;

/** null: dimensions are of the event's own session. */
export function touchOf({ attribution }: AttributionBody): Touch | null {
  const { model = "session", windowDays = LIMITS.defaultAttributionWindowDays } = attribution ?? {};
  return model === "session" ? null : { model, windowMs: windowDays * DAY_MS };
}
const isAttributed = (name: string) => STATS_ATTRIBUTION_DIMENSIONS.some((one) => one === name);

export function attributionIssues(body: AttributionBody): Issue[] {
  const { attribution, metrics, dimensions = [] } = body;
  const model = touchOf(body)?.model;
  if (model === undefined)
    return attribution?.windowDays === undefined
      ? []
      : [issueAt(["attribution", "windowDays"], "the model session has no window")];
  const needed = STATS_ATTRIBUTION_DIMENSIONS.join(", ");
  const allowed = STATS_GOAL_METRICS.join(", ");
  return [
    ...(dimensions.some(isAttributed)
      ? []
      : [issueAt(["dimensions"], `${model} needs one of the dimensions ${needed}`)]),
    ...metrics.flatMap((metric, index) =>
      STATS_GOAL_METRICS.some((one) => one === metric)
        ? []
        : [issueAt(["metrics", index], `the metrics of ${model} are ${allowed}`)],
    ),
  ];
}

/** The dimensions of a query that are of the touch. */
const touchColumns = (query: MetricsQuery): ValueColumn[] =>
  groupDimensionColumns(query).session.filter(({ dimension }) => isAttributed(dimension.name));

const sessionValue = ({ kind, name }: ValueDimension) => (kind === "text" ? sessionValueSql(name) : "NULL");

/**
 * Selects the sessions that can be a touch: a row for each visitor and time at which one of the visitor's sessions began, with the
 * attributed dimensions as a tuple. Of sessions that began at the same time, the order is that of the ids of their first events.
 */
function touchesFrom({ bind, query, scope }: SqlContext, { model, windowMs }: Touch): string {
  const { from, to } = query.period;
  const values = touchColumns(query).map(({ dimension }) => sessionValue(dimension));
  const conditions = [
    `countIf(${OPENS_SESSION}) > 0`,
    ...(model === "lastNonDirect"
      ? [`${sessionValueSql("channel")} != ${bind("String", DIRECT_CHANNEL)}`]
      : []),
  ];
  const sessions = `SELECT groupUniqArray(visitor) AS visitors, min(concat(${OPENING_ORDER})) AS opening,
      toUnixTimestamp64Milli(minIf(occurredAt, ${OPENS_SESSION})) AS startedMs, tuple(${list(values)}) AS touch
    FROM events WHERE ${sessionEventsSql(bind, scope, { from: from - windowMs, to })}
    GROUP BY session HAVING ${allOf(conditions)}`;
  return `SELECT arrayJoin(visitors) AS visitor, startedMs, ${model === "firstTouch" ? "argMin" : "argMax"}(touch, opening) AS touch
    FROM (${sessions}) GROUP BY visitor, startedMs`;
}

/**
 * Replaces the attributed dimensions of events by those of their touch.
 * @param events SQL of events that are joined with their sessions, with the columns of the dimensions, `visitor` and `eventMs`
 */
export function withTouch(context: SqlContext, events: string, touch: Touch): string {
  const { bind, query } = context;
  const window = bind("Int64", touch.windowMs);
  // the first one that began since the start of the window, or the last one that began until the event
  const nearest = touch.model === "firstTouch" ? "e.windowStart <= t.startedMs" : "e.eventMs >= t.startedMs";
  const isTouched = `t.startedMs >= e.eventMs - ${window} AND t.startedMs <= e.eventMs`;
  const columns = touchColumns(query).map(
    ({ column }, index) => `if(${isTouched}, tupleElement(t.touch, ${index + 1}), e.${column}) AS ${column}`,
  );
  const replaced = touchColumns(query).map(({ column }) => column);
  return `(SELECT e.* EXCEPT (${list(replaced)}), ${list(columns)}
    FROM (SELECT *, eventMs - ${window} AS windowStart FROM ${events}) AS e
    ASOF LEFT JOIN (${touchesFrom(context, touch)}) AS t ON e.visitor = t.visitor AND ${nearest})`;
}

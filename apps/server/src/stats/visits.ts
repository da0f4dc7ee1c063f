/** POST /api/stats/visits: the latest visits behind a figure, such as those of the visitors who dropped off a funnel. */
import type { StatsVisit, StatsVisitsAnswer, StatsVisitsBody } from "@headwater/contract";
import {
  IS_ACTION,
  IS_PAGE_VIEW,
  OPENS_SESSION,
  SESSION_END_COLUMNS,
  SESSION_ENDED_AT,
} from "../clickhouse/schema/event-types.ts";
import { SECOND_MS, toIsoTime } from "../core/time.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import { funnelWindow } from "./funnel.ts";
import { type Computed, type OfSources, readScope } from "./scope.ts";
import { eventConditions, type PartScope, type QueryScope } from "./sql/conditions.ts";
import { openingValuesSql, sessionValueSql } from "./sql/dimensions.ts";
import { type FunnelRuns, funnelRunsSql } from "./sql/funnel-runs.ts";
import { type GoalRule, goalSql } from "./sql/goals.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { type Bind, statement } from "./sql/statement.ts";

const DEFAULT_VISITS = 25;

/** The values of the event that opens a session, in the order of `OpeningValues`. */
const OPENING_VALUES = [
  "entryPage",
  "source",
  "channel",
  "country",
  "region",
  "city",
  "device",
  "os",
  "browser",
] as const;

interface FunnelStop extends Omit<FunnelRuns, "scope" | "steps"> {
  readonly rules: readonly GoalRule[];
  /** How many steps the visitors took. */
  readonly reached: number;
}

type OpeningValue = string | null;
type OpeningValues = readonly [
  entryPage: OpeningValue,
  source: OpeningValue,
  channel: OpeningValue,
  country: OpeningValue,
  region: OpeningValue,
  city: OpeningValue,
  device: OpeningValue,
  os: OpeningValue,
  browser: OpeningValue,
];

/** The visits that are asked for. */
interface VisitsOptions {
  /** null: all visits. */
  readonly funnel: FunnelStop | null;
  readonly limit: number;
}

type VisitRow = readonly [
  sessionId: string,
  anonymousId: string,
  userId: string | null,
  startedAt: number,
  lastActiveAt: number,
  durationMs: number,
  pageviews: number,
  actions: number,
  lastPage: string | null,
  lastEvent: string,
  opening: OpeningValues,
];

/** The sessions of the visitors who took so many steps and no more: those of their last steps, the latest first. */
function droppedSessionsSql(
  bind: Bind,
  scope: PartScope,
  { rules, reached, ...funnel }: FunnelStop,
  limit: number,
) {
  const { events } = eventConditions(bind, scope, scope.range);
  const runs = { ...funnel, scope, steps: rules.map((rule) => goalSql(bind, rule)) };
  const lastSteps = `SELECT visitor, times[-1] AS at FROM (${funnelRunsSql(bind, runs)})
    WHERE length(times) = ${bind("UInt32", reached)} ORDER BY at DESC, visitor LIMIT ${bind("UInt32", limit)}`;
  return `SELECT session FROM events WHERE ${events}
    AND (visitor, toUInt64(toUnixTimestamp64Milli(occurredAt))) IN (${lastSteps})`;
}

function latestSessionsSql(bind: Bind, scope: PartScope, limit: number): string {
  const { events } = eventConditions(bind, scope, scope.range);
  return `SELECT session FROM events WHERE ${events} AND ${OPENS_SESSION}
    GROUP BY session ORDER BY max(occurredAt) DESC, session LIMIT ${bind("UInt32", limit)}`;
}

const visitsQuestion = (
  scope: QueryScope,
  { funnel, limit }: VisitsOptions,
): Question<VisitRow, readonly VisitRow[]> => ({
  ...ofVisitors(scope),
  statement: (part) =>
    statement((bind) => {
      const ofPart = { ...scope, part };
      const { sessionEvents } = eventConditions(bind, ofPart, scope.range);
      const sessions =
        funnel === null
          ? latestSessionsSql(bind, ofPart, limit)
          : droppedSessionsSql(bind, ofPart, funnel, limit);
      return `SELECT id, visitorId, user, toUnixTimestamp64Milli(startedAt), toUnixTimestamp64Milli(lastActiveAt),
          dateDiff('millisecond', startedAt, ${SESSION_ENDED_AT}), views, actions, lastPage, lastEvent, opening
        FROM (
          SELECT any(sessionId) AS id, any(anonymousId) AS visitorId, max(userId) AS user,
            minIf(occurredAt, ${OPENS_SESSION}) AS startedAt, ${SESSION_END_COLUMNS.join(", ")},
            countIf(${IS_PAGE_VIEW}) AS views, countIf(${IS_ACTION}) AS actions,
            ${sessionValueSql("exitPage")} AS lastPage, argMaxIf(name, occurredAt, ${OPENS_SESSION}) AS lastEvent,
            ${openingValuesSql(OPENING_VALUES)} AS opening
          FROM events WHERE ${sessionEvents} AND session IN (${sessions})
          GROUP BY session HAVING countIf(${OPENS_SESSION}) > 0
        )
        ORDER BY lastActiveAt DESC, id LIMIT ${bind("UInt32", limit)}`;
    }),
  merge: (rows) => rows,
});

function toVisit([
  sessionId,
  anonymousId,
  userId,
  startedAt,
  lastActiveAt,
  durationMs,
  pageviews,
  actions,
  lastPage,
  lastEvent,
  opening,
]: VisitRow): StatsVisit {
  const [entryPage, source, channel, country, region, city, device, os, browser] = opening;
  return {
    sessionId,
    anonymousId,
    userId,
    startedAt: toIsoTime(startedAt),
    lastActiveAt: toIsoTime(lastActiveAt),
    seconds: durationMs / SECOND_MS,
    pageviews,
    actions,
    lastPage,
    lastEvent,
    entryPage,
    source,
    channel,
    country,
    region,
    city,
    device,
    os,
    browser,
  };
}

/** @param steps those of the funnel; empty: the visits of no funnel */
export async function answerVisits(
  run: RunQuery,
  body: OfSources<StatsVisitsBody>,
  steps: readonly GoalRule[],
  now: number,
): Promise<Computed<StatsVisitsAnswer>> {
  const { funnel, limit = DEFAULT_VISITS } = body;
  const scope = readScope(body, now);
  const stop = funnel
    ? { ...funnelWindow(funnel), dimension: null, rules: steps, reached: funnel.reached }
    : null;
  const found = await execute(run, visitsQuestion(scope, { funnel: stop, limit }));
  return { ...answerHead(scope, found), visits: found.value.map(toVisit) };
}

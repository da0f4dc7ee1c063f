/** POST /api/stats/funnel: the visitors who took the given steps in order within a time window, and how long they took. */
import type { StatsFunnelAnswer, StatsFunnelBody, StatsFunnelStep, StatsScalar } from "@headwater/contract";
import { DAY_MS, SECOND_MS } from "../core/time.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import { type Computed, type OfSources, readScope } from "./scope.ts";
import { eventConditions, type QueryScope, readsFirstVisits } from "./sql/conditions.ts";
import { parseValueDimension, type StoredDimension } from "./sql/dimensions.ts";
import {
  ALL_SEGMENTS,
  decodeSegment,
  type FunnelRuns,
  funnelRunsSql,
  isOfSession,
} from "./sql/funnel-runs.ts";
import { type GoalRule, goalSql } from "./sql/goals.ts";
import { parsePropertyKey } from "./sql/properties.ts";
import { canJoinSessionRows } from "./sql/rollup-rows.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { type Bind, statement } from "./sql/statement.ts";

const DEFAULT_WINDOW_SECONDS = DAY_MS / SECOND_MS;
const DEFAULT_SEGMENTS = 5;

/** The time in which a visitor takes the steps. */
export const funnelWindow = ({
  windowSeconds = DEFAULT_WINDOW_SECONDS,
  within,
}: Pick<StatsFunnelBody, "windowSeconds" | "within">): Pick<FunnelRuns, "windowMs" | "isWithinSession"> => ({
  // ClickHouse binds no value here; the schema admits integers only
  windowMs: Math.trunc(windowSeconds) * SECOND_MS,
  isWithinSession: within === "session",
});

/** A funnel whose steps are rules. */
interface Funnel extends Pick<FunnelRuns, "windowMs" | "isWithinSession" | "dimension"> {
  readonly rules: readonly GoalRule[];
  readonly hasTimes: boolean;
  /** The number of segments. */
  readonly limit: number;
}

type StepTimes = readonly [median: number, p90: number];
/** A segment with figures of each step: its visitors, and milliseconds since the step before and since the first one. */
type FunnelRow = readonly [
  segment: string,
  visitors: readonly number[],
  sincePrevious: readonly StepTimes[],
  sinceFirst: readonly StepTimes[],
];

/**
 * Counts visitors by the longest run of steps in order, with the last step within the window after the first. An event
 * that matches two consecutive steps completes both.
 */
function countsSql(bind: Bind, { scope, steps, windowMs }: FunnelRuns): string {
  const { events } = eventConditions(bind, scope, scope.range);
  const counts = steps.map((_, index) => `countIf(reached > ${index})`);
  return `SELECT '${ALL_SEGMENTS}', [${counts}], [], [] FROM (
      SELECT windowFunnel(${windowMs})(toUInt64(toUnixTimestamp64Milli(occurredAt)), ${steps.join(", ")}) AS reached
      FROM events WHERE ${events} GROUP BY visitor
    )`;
}

/** The same from the visitors' runs, which have times and segments. */
function figuresSql(bind: Bind, runs: FunnelRuns, { hasTimes, limit }: Funnel): string {
  const percentiles = (times: string) =>
    hasTimes ? `quantilesExactInclusiveForEach(0.5, 0.9)(${times})` : "[]";
  return `SELECT segment, sumForEach(arrayMap(x -> 1, times)) AS visitors,
      ${percentiles("arrayDifference(times)")}, ${percentiles("arrayMap(x -> x - times[1], times)")}
    FROM (${funnelRunsSql(bind, runs)})
    GROUP BY ${runs.dimension === null ? "segment" : "GROUPING SETS ((), (segment))"}
    ORDER BY segment = '${ALL_SEGMENTS}' DESC, visitors[1] DESC, segment LIMIT ${bind("UInt32", 1 + limit)}`;
}

function funnelQuestion(scope: QueryScope, funnel: Funnel): Question<FunnelRow, readonly FunnelRow[]> {
  const { rules, isWithinSession, hasTimes, dimension } = funnel;
  return {
    ...ofVisitors(scope),
    from: dimension && canJoinSessionRows(scope, [dimension]) ? "eventsAndSessions" : "events",
    readsHistory: readsFirstVisits(scope, dimension ? [dimension] : []),
    eventsKind: dimension && isOfSession(dimension) ? "withSessions" : "ofEvents",
    statement: (part) =>
      statement((bind) => {
        const steps = rules.map((rule) => goalSql(bind, rule));
        const runs = { ...funnel, scope: { ...scope, part }, steps };
        const needsRuns = isWithinSession || hasTimes || dimension !== null;
        return needsRuns ? figuresSql(bind, runs, funnel) : countsSql(bind, runs);
      }),
    merge: (rows, scale) =>
      rows.map(([segment, visitors, ...times]) => [
        segment,
        rules.map((_, index) => (visitors[index] ?? 0) * scale),
        ...times,
      ]),
  };
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const toSeconds = ([median, p90]: StepTimes) => ({ median: median / SECOND_MS, p90: p90 / SECOND_MS });

function toSteps([, counts, sincePrevious, sinceFirst]: FunnelRow): StatsFunnelStep[] {
  const [first = 0] = counts;
  return counts.map((visitors, index) => {
    const [previous, start] = [sincePrevious[index], sinceFirst[index]];
    return {
      visitors,
      shareOfFirst: share(visitors, first),
      shareOfPrevious: share(visitors, counts[index - 1] ?? visitors),
      seconds:
        index > 0 && previous && start
          ? { sincePrevious: toSeconds(previous), sinceFirst: toSeconds(start) }
          : null,
    };
  });
}

function toValue({ kind }: StoredDimension, segment: string): StatsScalar {
  const value = decodeSegment(segment);
  return value !== null && kind === "property" ? parsePropertyKey(value) : value;
}

export async function answerFunnel(
  run: RunQuery,
  body: OfSources<StatsFunnelBody>,
  rules: readonly GoalRule[],
  now: number,
): Promise<Computed<StatsFunnelAnswer>> {
  const { windowSeconds = DEFAULT_WINDOW_SECONDS, include, limit = DEFAULT_SEGMENTS } = body;
  const dimension = body.dimension === undefined ? null : parseValueDimension(body.dimension);
  const scope = readScope(body, now);
  const funnel: Funnel = {
    ...funnelWindow(body),
    rules,
    hasTimes: include?.times === true,
    dimension,
    limit,
  };
  const found = await execute(run, funnelQuestion(scope, funnel));
  const nobody: FunnelRow = [ALL_SEGMENTS, rules.map(() => 0), [], []];
  const [all = nobody, ...segments] = found.value;
  return {
    ...answerHead(scope, found),
    windowSeconds,
    steps: toSteps(all),
    segments:
      dimension && segments.map((row) => ({ value: toValue(dimension, row[0]), steps: toSteps(row) })),
  };
}

/** Which rollups a query may read, and which events it has to read beside them (docs/decisions/0018). */
import { BUILD_STATES } from "../../clickhouse/schema/rollups.ts";
import { DAY_MS, utcDay } from "../../core/time.ts";
import type { Period } from "../calendar.ts";
import { SESSION_MARGIN_MS } from "../sql/conditions.ts";
import { type CoveredDay, type Rollups, type Share, uncoveredCondition, visitorsOf } from "../sql/part.ts";
import type { RunStatement } from "../sql/run-on.ts";
import { allOf, bindTime, statement } from "../sql/statement.ts";
import {
  currentBuilds,
  type EventDay,
  FEW_ROWS,
  newestFinishedBuilds,
  type RollupBuild,
  type RollupState,
  readRollupState,
  withNeighbors,
} from "./state.ts";

/** What the rollups of a source cover of a period. */
export interface FoundCoverage extends Omit<Rollups, "derivedDays"> {
  /** The first day with sessions of the query. */
  readonly firstDay: string;
}

/**
 * The newest days with new events: a query checks whether their older events are unchanged. Further days with new events are
 * computed from events.
 */
const MAX_CHECKED_DAYS = 6;
const NO_EVENTS = "0 0";

/** The days whose events are not those that the build read. */
function changedDays({ day, fingerprints }: RollupBuild, { days }: RollupState): string[] {
  const present = new Map(days.map((one) => [one.day, one.fingerprint]));
  return withNeighbors(day).filter((one, at) => (present.get(one) ?? "") !== fingerprints[at]);
}

/** Keeps the builds whose events are unchanged, apart from events that were received after the build. */
async function withNewEvents(
  run: RunStatement,
  sourceId: string,
  state: RollupState,
  builds: readonly RollupBuild[],
): Promise<RollupBuild[]> {
  if (builds.length === 0) return [];
  const rows = await run<[day: string, fingerprints: string[]]>(
    statement((bind) => {
      const fingerprints = builds.map(({ receivedUntil }) => {
        const isOlder = `receivedAt <= ${bindTime(bind, receivedUntil)}`;
        return `concat(toString(countIf(${isOlder})), ' ', toString(sumIf(cityHash64(analyticsEventId), ${isOlder})))`;
      });
      const days = [...new Set(builds.flatMap((build) => changedDays(build, state)))];
      return `SELECT toString(toDate(occurredAt)) AS day, [${fingerprints.join(", ")}] FROM events
        WHERE sourceId = ${bind("String", sourceId)} AND toDate(occurredAt) IN ${bind("Array(Date)", days)}
        GROUP BY toDate(occurredAt)`;
    }),
  );
  const byDay = new Map(rows);
  return builds.filter((build, index) =>
    changedDays(build, state).every((one) => {
      const recorded = build.fingerprints[withNeighbors(build.day).indexOf(one)];
      return (byDay.get(one)?.[index] ?? NO_EVENTS) === (recorded || NO_EVENTS);
    }),
  );
}

/** How many events a period has: a day that it contains in part counts in proportion. */
function eventsWithin(days: readonly Pick<EventDay, "day" | "events">[], { from, to }: Period): number {
  const shareOf = (day: string) => {
    const start = Date.parse(day);
    return Math.max(0, Math.min(to, start + DAY_MS) - Math.max(from, start)) / DAY_MS;
  };
  return days.reduce((sum, { day, events }) => sum + events * shareOf(day), 0);
}

/** How many events sources have in a period. Of one source it reads the same as `readCoverage`, of several all at once. */
export async function countEvents(
  run: RunStatement,
  sourceIds: readonly string[],
  period: Period,
): Promise<number> {
  const [first, last] = daysAround(period);
  const [sourceId] = sourceIds;
  if (sourceId !== undefined && sourceIds.length === 1)
    return eventsWithin((await readRollupState(run, sourceId, [first, last])).days, period);
  const rows = await run<[day: string, events: number]>(
    statement((bind) => {
      const days = `BETWEEN ${bind("Date", first)} AND ${bind("Date", last)}`;
      // grouped by source and day as a projection is, and then added up: an answer has 10,000 rows at most
      return `SELECT day, sum(events) FROM (
          SELECT toString(toDate(occurredAt)) AS day, count() AS events FROM events
          WHERE sourceId IN ${bind("Array(String)", sourceIds)} AND toDate(occurredAt) ${days}
          GROUP BY sourceId, toDate(occurredAt)
        ) GROUP BY day ${FEW_ROWS}`;
    }),
  );
  return eventsWithin(
    rows.map(([day, events]) => ({ day, events })),
    period,
  );
}

/** The days whose state a query reads: those of its sessions, and one more on both sides. */
function daysAround({ from, to }: Period): [first: string, last: string] {
  const [first, last] = [utcDay(from - SESSION_MARGIN_MS), utcDay(to + SESSION_MARGIN_MS)];
  return [withNeighbors(first)[0] ?? first, withNeighbors(last).at(-1) ?? last];
}

/** Selects the days, of those given, on which sessions with events that no rollup covers have rows. */
const rowDaysStatement = (
  sourceId: string,
  share: Share,
  coverage: FoundCoverage,
  days: readonly CoveredDay[],
) =>
  statement((bind) => {
    const ofVisitors = [`sourceId = ${bind("String", sourceId)}`, ...visitorsOf({ share })];
    const events = allOf([...ofVisitors, uncoveredCondition(bind, coverage, "sessions") ?? "0"]);
    const dayNames = days.map(({ day }) => day);
    const buildNumbers = days.map(({ buildNumber }) => buildNumber);
    return `SELECT DISTINCT toString(day) FROM sessionRollups WHERE ${allOf([
      ...ofVisitors,
      `day IN ${bind("Array(Date)", dayNames)}`,
      `build IN ${bind("Array(UInt64)", buildNumbers)}`,
      `session IN (SELECT session FROM events WHERE ${events})`,
    ])}`;
  });

/**
 * Finds the days of the sessions that have to be derived: those beside their events that no rollup covers, those of their rows on
 * other days, and the first day, whose sessions may have a row on the day before. Long sessions may have events on any day.
 * @param share the visitors that are estimated from, or all
 */
export async function findDerivedDays(
  run: RunStatement,
  sourceId: string,
  share: Share,
  coverage: FoundCoverage,
): Promise<string[]> {
  const { covered, uncovered, firstDay } = coverage;
  const eventDays = [...uncovered, ...covered.flatMap(({ newEventDays }) => newEventDays)];
  if (eventDays.length === 0) return [];
  const near = new Set([firstDay, ...eventDays.flatMap(withNeighbors)]);
  const others = covered.filter(({ day }) => !near.has(day));
  const rows =
    others.length === 0 ? [] : await run<[day: string]>(rowDaysStatement(sourceId, share, coverage, others));
  return [...new Set([...near, ...rows.flatMap(([day]) => withNeighbors(day))])];
}

/** @returns no coverage when rollups cover less than half of the events: computing from all events is less work then */
export async function readCoverage(
  run: RunStatement,
  sourceId: string,
  period: Period,
): Promise<{ coverage: FoundCoverage | null; events: number }> {
  const { from, to } = period;
  const [first, last] = [utcDay(from - SESSION_MARGIN_MS), utcDay(to + SESSION_MARGIN_MS)];
  const state: RollupState = await readRollupState(run, sourceId, daysAround(period));
  const ofPeriod = eventsWithin(state.days, period);
  const days = state.days.filter(({ day }) => day >= first && day <= last);
  const current = currentBuilds(state);
  const outdated = [...newestFinishedBuilds(state)].flatMap(([day, build]) =>
    current.has(day) ? [] : [build],
  );
  const inRange = new Set(days.map(({ day }) => day));
  const checked = outdated
    .filter(({ day }) => inRange.has(day))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
    .slice(-MAX_CHECKED_DAYS);
  const usable = new Map(
    (await withNewEvents(run, sourceId, state, checked)).map((build) => [build.day, build]),
  );

  const covered: CoveredDay[] = [];
  const uncovered: string[] = [];
  let [events, coveredEvents] = [0, 0];
  for (const { day, events: ofDay } of days) {
    const build = current.get(day) ?? usable.get(day);
    events += ofDay;
    if (!build) {
      uncovered.push(day);
      continue;
    }
    coveredEvents += ofDay;
    const { buildNumber, receivedUntil } = build;
    covered.push({ day, buildNumber, receivedUntil, newEventDays: changedDays(build, state) });
  }
  if (covered.length === 0 || 2 * coveredEvents < events) return { coverage: null, events: ofPeriod };
  const { hasLongSessions } = state;
  return { coverage: { covered, uncovered, firstDay: first, hasLongSessions }, events: ofPeriod };
}

/**
 * Whether no erasure has begun to drop these rollups. A query checks this after it has read them: an erasure marks a build
 * before it deletes the first row.
 */
export async function isIntact(
  run: RunStatement,
  sourceId: string,
  { covered }: FoundCoverage,
): Promise<boolean> {
  const buildNumbers = covered.map(({ buildNumber }) => buildNumber);
  const [row] = await run<[intact: number]>(
    statement(
      (bind) => `SELECT uniqExact(day, build) FROM rollupBuilds FINAL
        WHERE sourceId = ${bind("String", sourceId)} AND build IN ${bind("Array(UInt64)", buildNumbers)}
          AND state = ${BUILD_STATES.done} ${FEW_ROWS}`,
    ),
  );
  return row?.[0] === buildNumbers.length;
}

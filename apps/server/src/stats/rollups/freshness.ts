/** Which rollups a query may read, and which events it has to read beside them (docs/decisions/0018). */
import { BUILD_STATES } from "../../clickhouse/schema/rollups.ts";
import { utcDay } from "../../core/time.ts";
import type { Period } from "../calendar.ts";
import type { RunQuery } from "../run-query.ts";
import { SESSION_MARGIN_MS } from "../scope.ts";
import { bindTime, statement } from "../sql.ts";
import {
  currentBuilds,
  newestFinishedBuilds,
  type RollupBuild,
  type RollupState,
  readRollupState,
  withNeighbors,
} from "./state.ts";

/** A day whose rollup a query reads. */
export interface CoveredDay {
  readonly day: string;
  readonly buildNumber: number;
  readonly receivedUntil: number;
  /** Events were received after the build, on this day or beside it. */
  readonly hasNewEvents: boolean;
}

export interface RollupCoverage {
  /** In ascending order; never empty. */
  readonly covered: readonly CoveredDay[];
  /** Days with events and without a rollup that can be read. */
  readonly uncovered: readonly string[];
  /** Some sessions of the source span more than a day, and are always derived from events. */
  readonly hasLongSessions: boolean;
  /** The number of events of all these days, covered or not. */
  readonly events: number;
}

/**
 * The newest days with new events: a query checks whether their older events are unchanged. Further days with new events are
 * computed from events.
 */
const MAX_CHECKED_DAYS = 6;
const NO_EVENTS = "0 0";

/** Keeps the builds whose events are unchanged, apart from events that were received after the build. */
async function withNewEvents(
  run: RunQuery,
  sourceId: string,
  builds: readonly RollupBuild[],
): Promise<RollupBuild[]> {
  if (builds.length === 0) return [];
  const rows = await run<[day: string, fingerprints: string[]]>(
    statement((bind) => {
      const fingerprints = builds.map(({ receivedUntil }) => {
        const isOlder = `receivedAt <= ${bindTime(bind, receivedUntil)}`;
        return `concat(toString(countIf(${isOlder})), ' ', toString(sumIf(cityHash64(analyticsEventId), ${isOlder})))`;
      });
      const days = [...new Set(builds.flatMap(({ day }) => withNeighbors(day)))];
      return `SELECT toString(toDate(occurredAt)) AS day, [${fingerprints.join(", ")}] FROM events
        WHERE sourceId = ${bind("String", sourceId)} AND toDate(occurredAt) IN ${bind("Array(Date)", days)}
        GROUP BY toDate(occurredAt)`;
    }),
  );
  const byDay = new Map(rows);
  return builds.filter(({ day, fingerprints }, index) =>
    withNeighbors(day).every(
      (one, at) => (byDay.get(one)?.[index] ?? NO_EVENTS) === (fingerprints[at] || NO_EVENTS),
    ),
  );
}

/** @returns null when rollups cover less than half of the events: computing from all events is less work then */
export async function readCoverage(
  run: RunQuery,
  sourceId: string,
  { from, to }: Period,
): Promise<RollupCoverage | null> {
  const [first, last] = [utcDay(from - SESSION_MARGIN_MS), utcDay(to + SESSION_MARGIN_MS)];
  const [before = first] = withNeighbors(first);
  const state: RollupState = await readRollupState(run, sourceId, [
    before,
    withNeighbors(last).at(-1) ?? last,
  ]);
  const days = state.days.filter(({ day }) => day >= first && day <= last);
  const current = currentBuilds(state);
  const outdated = [...newestFinishedBuilds(state)].flatMap(([day, build]) =>
    current.has(day) ? [] : [build],
  );
  const inRange = new Set(days.map(({ day }) => day));
  const checked = outdated
    .filter(({ day }) => inRange.has(day))
    .sort((one, other) => (one.day < other.day ? -1 : 1))
    .slice(-MAX_CHECKED_DAYS);
  const usable = new Map((await withNewEvents(run, sourceId, checked)).map((build) => [build.day, build]));

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
    covered.push({ day, buildNumber, receivedUntil, hasNewEvents: !current.has(day) });
  }
  if (covered.length === 0 || 2 * coveredEvents < events) return null;
  return { covered, uncovered, hasLongSessions: state.hasLongSessions, events };
}

/**
 * Whether no erasure has begun to drop these rollups. A query checks this after it has read them: an erasure marks a build
 * before it deletes the first row.
 */
export async function isIntact(
  run: RunQuery,
  sourceId: string,
  { covered }: RollupCoverage,
): Promise<boolean> {
  const buildNumbers = covered.map(({ buildNumber }) => buildNumber);
  const [row] = await run<[intact: number]>(
    statement(
      (bind) => `SELECT uniqExact(day, build) FROM rollupBuilds FINAL
        WHERE sourceId = ${bind("String", sourceId)} AND build IN ${bind("Array(UInt64)", buildNumbers)}
          AND state = ${BUILD_STATES.done}`,
    ),
  );
  return row?.[0] === buildNumbers.length;
}

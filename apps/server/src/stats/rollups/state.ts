/** The rollups that a source has: its days with events, the builds of each day, and whether a build is current. */
import { BUILD_STATES, FINGERPRINT } from "../../clickhouse/schema/rollups.ts";
import { DAY_MS, utcDay } from "../../core/time.ts";
import type { RunStatement } from "../sql/run-on.ts";
import { statement } from "../sql/statement.ts";

/** A day of a source that has events. Days are UTC: `2026-11-21`. */
export interface EventDay {
  readonly day: string;
  readonly events: number;
  /** Changes when an event of the day is added or removed. */
  readonly fingerprint: string;
}

/** One build of a day's rollup. A day that is built again gets a build with a higher number. */
export interface RollupBuild {
  readonly day: string;
  /** The time of the build in milliseconds, times 1,000, plus a random number below 1,000. */
  readonly buildNumber: number;
  /** The build read only events that were received until this time, in milliseconds. */
  readonly receivedUntil: number;
  /** The fingerprints of the day before, the day and the day after, when the build read their events. */
  readonly fingerprints: readonly string[];
  readonly state: number;
}

export interface RollupState {
  /** In ascending order. */
  readonly days: readonly EventDay[];
  readonly builds: readonly RollupBuild[];
  readonly hasLongSessions: boolean;
}

type StateRow =
  | [kind: "day", day: string, events: number, fingerprint: string, 0, 0, [], 0]
  | [
      kind: "build",
      day: string,
      0,
      "",
      build: number,
      receivedUntil: number,
      fingerprints: string[],
      state: number,
    ]
  | [kind: "long", "", sessions: number, "", 0, 0, [], 0];

/** For statements that read few rows: starting more threads takes longer than it saves. */
export const FEW_ROWS = "SETTINGS max_threads = 1";

/** The day before, the day and the day after: the only days with events of the day's sessions, except for long sessions. */
export const withNeighbors = (day: string): string[] =>
  [-1, 0, 1].map((offset) => utcDay(Date.parse(day) + offset * DAY_MS));

/**
 * @param days the first and the last day; null: all days
 * @returns days without events are left out
 */
export async function readRollupState(
  run: RunStatement,
  sourceId: string,
  days: readonly [first: string, last: string] | null,
): Promise<RollupState> {
  // one UNION ALL of three plain SELECTs: ClickHouse takes longer to join them
  const rows = await run<StateRow>(
    statement((bind) => {
      const source = `sourceId = ${bind("String", sourceId)}`;
      const within = (day: string) =>
        days === null ? "" : `AND ${day} BETWEEN ${bind("Date", days[0])} AND ${bind("Date", days[1])}`;
      const eventDay = "toDate(occurredAt)";
      return `SELECT 'day' AS kind, toString(${eventDay}) AS day, count() AS events, ${FINGERPRINT} AS fingerprint,
          0 AS build, 0 AS receivedUntil, [] AS fingerprints, 0 AS state
        FROM events WHERE ${source} ${within(eventDay)} GROUP BY sourceId, ${eventDay}
        UNION ALL SELECT 'build', toString(day), 0, '', build, toUnixTimestamp64Milli(receivedUntil), fingerprints, state
        FROM rollupBuilds FINAL WHERE ${source} ${within("day")}
        UNION ALL SELECT 'long', '', count(), '', 0, 0, [], 0 FROM longSessions WHERE ${source}
        ${FEW_ROWS}`;
    }),
  );
  const [eventDays, builds]: [EventDay[], RollupBuild[]] = [[], []];
  let hasLongSessions = false;
  for (const row of rows) {
    if (row[0] === "day") eventDays.push({ day: row[1], events: row[2], fingerprint: row[3] });
    else if (row[0] === "long") hasLongSessions = row[2] > 0;
    else {
      const [, day, , , buildNumber, receivedUntil, fingerprints, state] = row;
      builds.push({ day, buildNumber, receivedUntil, fingerprints, state });
    }
  }
  eventDays.sort((a, b) => (a.day < b.day ? -1 : 1));
  return { days: eventDays, builds, hasLongSessions };
}

/** The newest finished build of each day. */
export function newestFinishedBuilds({ builds }: RollupState): Map<string, RollupBuild> {
  const newest = new Map<string, RollupBuild>();
  for (const build of builds) {
    const isNewer = build.buildNumber > (newest.get(build.day)?.buildNumber ?? 0);
    if (build.state === BUILD_STATES.done && isNewer) newest.set(build.day, build);
  }
  return newest;
}

/** The newest finished build of each day, without builds whose events have changed since. */
export function currentBuilds(state: RollupState): Map<string, RollupBuild> {
  const fingerprints = new Map(state.days.map(({ day, fingerprint }) => [day, fingerprint]));
  const isCurrent = ({ day, fingerprints: built }: RollupBuild) =>
    withNeighbors(day).every((neighbor, index) => (fingerprints.get(neighbor) ?? "") === built[index]);
  return new Map([...newestFinishedBuilds(state)].filter(([, build]) => isCurrent(build)));
}

/** The worker that builds rollups of large sources, the newest days first, and drops builds that no query reads any more. */
import type { WarehouseClient } from "../clickhouse/client.ts";
import { BUILD_STATES } from "../clickhouse/schema/rollups.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { buildDay } from "../stats/rollups/build.ts";
import { dropBuilds, hasRunningMutations } from "../stats/rollups/drop.ts";
import { FailedDays } from "../stats/rollups/failed-days.ts";
import {
  currentBuilds,
  type EventDay,
  newestFinishedBuilds,
  type RollupBuild,
  type RollupState,
  readRollupState,
} from "../stats/rollups/state.ts";
import { runOn } from "../stats/sql/run-on.ts";
import { statement } from "../stats/sql/statement.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

interface RollupWorkerDeps {
  readonly warehouse: { client(): WarehouseClient | null };
  clock(): number;
  readonly failedDays: FailedDays;
  /** The memory of one statement in the warehouse. */
  readonly memoryBytes: number;
  readonly log: WorkerLog;
}

/** Queries of smaller sources are fast without rollups. */
const MIN_SOURCE_EVENTS = 50_000;
/** Days of one source that a round builds before it turns to the next source. */
const MAX_DAYS_PER_ROUND = 5;
/** A day that changes is built again after this time at the earliest. */
const REBUILD_MS = 15 * MINUTE_MS;
/** Longer than an event usually takes from its acceptance to the warehouse. When one takes longer, its day is built again. */
const ARRIVAL_MS = 5 * MINUTE_MS;
/** A query that has waited for its turn may still read a build that was replaced meanwhile. */
const KEEP_REPLACED_MS = 30 * MINUTE_MS;
/** A build that takes longer was interrupted. */
const MAX_BUILD_MS = HOUR_MS;
const IDLE_MS = MINUTE_MS;

const buildTime = ({ buildNumber }: RollupBuild) => buildNumber / 1_000;

/**
 * Days whose events have changed since their newest finished build, or that have none, if no build was started in the last
 * `REBUILD_MS`; newest first.
 */
function daysToBuild(state: RollupState, now: number): EventDay[] {
  const current = currentBuilds(state);
  const recent = new Set(
    state.builds.filter((one) => buildTime(one) >= now - REBUILD_MS).map(({ day }) => day),
  );
  return state.days.filter(({ day }) => !current.has(day) && !recent.has(day)).toReversed();
}

/** Builds that no query reads any more: interrupted ones, replaced ones, and those of days without events. */
function buildsToDrop(state: RollupState, now: number): RollupBuild[] {
  const finished = newestFinishedBuilds(state);
  const eventDays = new Set(state.days.map(({ day }) => day));
  return state.builds.filter((one) => {
    if (one.state === BUILD_STATES.dropping) return true;
    if (one.state === BUILD_STATES.started) return buildTime(one) < now - MAX_BUILD_MS;
    const newest = finished.get(one.day);
    if (newest === one || newest === undefined) return !eventDays.has(one.day);
    return buildTime(newest) < now - KEEP_REPLACED_MS;
  });
}

/** Selects the sources with enough events for rollups (`isLarge` 1), and those that have rollups already (0). */
const sourcesStatement = (minEvents: number) =>
  statement(
    (bind) => `SELECT sourceId, max(isLarge) FROM (
        SELECT sourceId, 1 AS isLarge FROM events GROUP BY sourceId HAVING count() >= ${bind("UInt32", minEvents)}
        UNION ALL SELECT DISTINCT sourceId, 0 FROM rollupBuilds
      ) GROUP BY sourceId`,
  );

interface RollupRoundOptions {
  /** Sources with fewer events get no rollups. */
  readonly minSourceEvents?: number;
  readonly memoryBytes?: number;
  /** About how many events each statement of a build reads. */
  readonly eventsPerStatement?: number;
  /** Default: a failed day is tried again in the next round. */
  readonly failedDays?: FailedDays;
  /** Called when a day fails for the first time. Default: not reported. */
  readonly onFailure?: (error: Error, day: { sourceId: string; day: string }) => void;
  /** When it is aborted, the round must end now. */
  readonly cutOff?: AbortSignal;
  /** When it is aborted, the round ends after its current step. */
  readonly stopping?: AbortSignal;
}

/** Codes of ClickHouse's errors are numbers: a statement failed, and the warehouse still answers others. */
const isOfStatement = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^\d+$/.test(String(error.code));

/**
 * One round over all sources. A day whose build fails is left out for a while, and the others are still built.
 * @returns how many days were built
 */
export async function runRollupRound(
  client: WarehouseClient,
  now: number,
  options: RollupRoundOptions = {},
): Promise<number> {
  const never = new AbortController().signal;
  const { minSourceEvents = MIN_SOURCE_EVENTS, cutOff = never, stopping = never } = options;
  const { memoryBytes = SERVER_LIMITS.maxStatsMemoryBytes, failedDays = new FailedDays() } = options;
  const { eventsPerStatement } = options;
  const run = runOn(client, cutOff);
  if (await hasRunningMutations(client, cutOff)) return 0;
  let built = 0;
  // no two builds of one node have the same number; the random part keeps those of two nodes apart
  let buildNumber = now * 1_000 + Math.floor(Math.random() * 1_000);
  for (const [sourceId, isLarge] of await run<[string, 0 | 1]>(sourcesStatement(minSourceEvents))) {
    if (stopping.aborted) break;
    const state = await readRollupState(run, sourceId, null);
    await dropBuilds(client, sourceId, buildsToDrop(state, now));
    const days = isLarge ? daysToBuild(state, now) : [];
    const due = days.filter(({ day }) => !failedDays.isWaiting({ sourceId, day }, now));
    for (const { day, events } of due.slice(0, MAX_DAYS_PER_ROUND)) {
      if (stopping.aborted) break;
      buildNumber += 1_000;
      const ofDay = { sourceId, day, events, buildNumber, receivedUntil: now - ARRIVAL_MS };
      const buildOptions = { ...ofDay, memoryBytes, ...(eventsPerStatement && { eventsPerStatement }) };
      try {
        if (await buildDay(client, buildOptions, { cutOff, stopping })) built += 1;
        failedDays.succeeded({ sourceId, day });
      } catch (error) {
        if (!isOfStatement(error) || cutOff.aborted) throw error;
        if (failedDays.failed({ sourceId, day }, now)) options.onFailure?.(error, { sourceId, day });
      }
    }
  }
  return built;
}

export function startRollupWorker(deps: RollupWorkerDeps): Worker {
  const { warehouse, clock, failedDays, memoryBytes, log } = deps;
  const onFailure = (err: Error, day: { sourceId: string; day: string }) =>
    log.warn(
      { err, worker: "rollups", ...day },
      "the rollup of a day cannot be built, so stats queries of that day take longer; retrying",
    );
  const options = { failedDays, memoryBytes, onFailure };
  return startWorker({
    name: "rollups",
    round: async (cutOff, stopping) => {
      const client = warehouse.client();
      if (client === null) return false;
      try {
        return (await runRollupRound(client, clock(), { ...options, cutOff, stopping })) > 0;
      } catch (error) {
        // the warehouse monitor reports that it is down
        if (warehouse.client() === null) return false;
        throw error;
      }
    },
    idleMs: IDLE_MS,
    consequence: "rollups are not built, so stats queries take longer",
    log,
  });
}

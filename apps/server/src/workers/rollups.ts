/** Settles the days of the sources in the background, the newest first, and deletes what no question reads any more. */

import type { WarehouseClient } from "../clickhouse/client.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { settleDay, type Unsettled } from "../stats/rollups/build.ts";
import { areEventsChanging, daysOf, forgetSettled } from "../stats/rollups/drop.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface SettlerDeps {
  warehouse: { client(): WarehouseClient | null };
  clock(): number;
  log: { warn(fields: object, message: string): void };
}

/** Days settle for sources of so many events; of fewer, questions are fast without. */
const SOURCE_EVENTS = 50_000;
/** Days between two looks at which there are. */
const DAYS = 20;
/** A day that has changed again settles again after so long. */
const AGAIN_MS = 900_000;
/** Longer than an event takes from its acceptance to the warehouse; what takes longer lets its day settle anew. */
const LAG_MS = 300_000;
/** What was replaced is read no more after so long: a question knows its versions before it gets its turn. */
const KEPT_MS = 1_800_000;
/** Longer than a day takes to settle: what was begun before was cut off. */
const LONGEST_MS = 3_600_000;
const IDLE_MS = 60_000;

/** Of milliseconds, so that a later one is higher, and of a number that two nodes do not draw at once. */
const versionAt = (now: number) => now * 1_000 + Math.floor(Math.random() * 1_000);

/** Days of large sources that were not settled, or touched by a node that settles, just now. */
async function unsettledDays(
  client: WarehouseClient,
  now: number,
  sourceEvents: number,
): Promise<Unsettled[]> {
  const large =
    "sourceId IN (SELECT sourceId FROM events GROUP BY sourceId HAVING count() >= {sourceEvents:UInt64})";
  const query = `SELECT sourceId, toString(day) AS onDay, events FROM (${daysOf(large)}) AS present
    LEFT JOIN (SELECT sourceId, day, max(version) AS touched FROM settledDays GROUP BY sourceId, day) AS tried USING (sourceId, day)
    WHERE NOT areVisits AND touched < {before:UInt64}
    ORDER BY day DESC, sourceId LIMIT {most:UInt32}`;
  const query_params = {
    sourceEvents,
    before: (now - AGAIN_MS) * 1_000,
    most: DAYS,
  };
  const answer = await client.query({
    query,
    query_params,
    format: "JSONEachRow",
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const rows = await answer.json<{ sourceId: string; onDay: string; events: number }>();
  return rows.map(({ onDay, ...row }) => ({ ...row, day: onDay }));
}

/** A question may still read what was replaced a moment ago, and a node may still be at work. */
function staleBefore(now: number): string {
  const [replaced, abandoned] = [KEPT_MS, LONGEST_MS].map((ms) => (now - ms) * 1_000);
  return `if(isDone, version < current AND current < ${replaced} OR current = 0, version < ${abandoned})`;
}

/**
 * One look at all sources.
 * @param sourceEvents a source of fewer is not worth it
 * @returns how many days have settled
 */
export async function settleRound(
  client: WarehouseClient,
  now: number,
  { sourceEvents = SOURCE_EVENTS, signal = new AbortController().signal } = {},
): Promise<number> {
  if (await areEventsChanging(client)) return 0;
  await forgetSettled(client, {
    sources: "sourceId IN (SELECT sourceId FROM settledDays)",
    condition: staleBefore(now),
  });
  let settled = 0;
  for (const [index, day] of (await unsettledDays(client, now, sourceEvents)).entries()) {
    if (signal.aborted) break;
    if (await settleDay(client, day, versionAt(now) + 1_000 * index, now - LAG_MS, signal)) settled += 1;
  }
  return settled;
}

export function startSettler({ warehouse, clock, log }: SettlerDeps): Worker {
  return startWorker({
    name: "rollups",
    round: async (_cutOff, stopping) => {
      const client = warehouse.client();
      return client !== null && (await settleRound(client, clock(), { signal: stopping })) > 0;
    },
    idleMs: IDLE_MS,
    retryMs: IDLE_MS,
    maxRetryMs: IDLE_MS,
    stopMs: SERVER_LIMITS.shipStopMs,
    consequence: "rollups are not built, so queries about large sources take longer",
    log,
  });
}

/** GET /api/stats/live: visitors of the last five minutes, without bots. */
import type { StatsLiveAnswer } from "@headwater/contract";
import { SECOND_MS, toIsoTime } from "../core/time.ts";
import type { RunQuery } from "./run-query.ts";
import { bindTime, statement } from "./sql.ts";

/** The live view counts the visitors of this many seconds. */
const LIVE_WINDOW_SECONDS = 300;

export async function answerLive(run: RunQuery, sourceId: string, now: number): Promise<StatsLiveAnswer> {
  const [row] = await run<[visitors: number, bots: number]>(
    statement(
      (
        bind,
      ) => `SELECT uniqExactIf(visitor, NOT device.isBot), countIf(device.isBot) FROM events WHERE sourceId = ${bind("String", sourceId)}
        AND occurredAt >= ${bindTime(bind, now - LIVE_WINDOW_SECONDS * SECOND_MS)}`,
    ),
  );
  return {
    sourceId,
    at: toIsoTime(now),
    windowSeconds: LIVE_WINDOW_SECONDS,
    visitors: row?.[0] ?? 0,
    excluded: { bots: row?.[1] ?? 0 },
  };
}

/** GET /api/stats/live: visitors of the last five minutes, without bots. */
import type { StatsLiveAnswer } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { SECOND_MS, toIsoTime } from "../core/time.ts";
import type { RunQuery } from "./run-query.ts";
import { bindTime, statement } from "./sql.ts";

export async function answerLive(run: RunQuery, sourceId: string, now: number): Promise<StatsLiveAnswer> {
  const { liveWindowSeconds: windowSeconds } = SERVER_LIMITS;
  const [row] = await run<[visitors: number, bots: number]>(
    statement(
      (
        bind,
      ) => `SELECT uniqExactIf(visitor, NOT device.isBot), countIf(device.isBot) FROM events WHERE sourceId = ${bind("String", sourceId)}
        AND occurredAt >= ${bindTime(bind, now - windowSeconds * SECOND_MS)}`,
    ),
  );
  return {
    sourceId,
    at: toIsoTime(now),
    windowSeconds,
    visitors: row?.[0] ?? 0,
    excluded: { bots: row?.[1] ?? 0 },
  };
}

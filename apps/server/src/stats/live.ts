/** GET /api/stats/live: visitors of the last five minutes. */
import type { StatsLiveAnswer } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { toIsoTime } from "../core/time.ts";
import type { Ask } from "./run-query.ts";
import { type Statement, statement } from "./sql.ts";

const writeLive = (sourceId: string, since: number): Statement =>
  statement(
    (bind) => `SELECT uniqExact(visitor) FROM events WHERE sourceId = ${bind("String", sourceId)}
      AND occurredAt >= fromUnixTimestamp64Milli(${bind("Int64", since)}, 'UTC') AND NOT device.isBot`,
  );

export async function answerLive(ask: Ask, sourceId: string, now: number): Promise<StatsLiveAnswer> {
  const windowSeconds = SERVER_LIMITS.statsLiveSeconds;
  const [row] = (await ask(writeLive(sourceId, now - windowSeconds * 1_000))) as [number][];
  return { sourceId, at: toIsoTime(now), windowSeconds, visitors: row?.[0] ?? 0 };
}

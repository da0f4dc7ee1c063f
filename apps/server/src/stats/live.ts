/** GET /api/stats/live: visitors of the last five minutes, without bots. */
import type { StatsLiveAnswer } from "@headwater/contract";
import { SECOND_MS, toIsoTime, utcDay } from "../core/time.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { bindTime, statement } from "./sql/statement.ts";

/** The live view counts the visitors of this many seconds. */
const LIVE_WINDOW_SECONDS = 300;

export async function answerLive(run: RunQuery, sourceId: string, now: number): Promise<StatsLiveAnswer> {
  const from = now - LIVE_WINDOW_SECONDS * SECOND_MS;
  const [row] = await run<[visitors: number, bots: number]>(
    statement(
      (
        bind,
      ) => `SELECT uniqExactIf(visitor, NOT device.isBot), countIf(device.isBot) FROM events WHERE sourceId = ${bind("String", sourceId)}
        AND toDate(occurredAt) >= ${bind("Date", utcDay(from))} AND occurredAt >= ${bindTime(bind, from)}`,
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

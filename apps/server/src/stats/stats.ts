/** What can be asked of a source's events (CONTRACT section 9). */
import type { Handlers } from "../call.ts";
import { isoTimeOrNull } from "../instant.ts";
import { type AskedWarehouse, createAsker } from "./ask.ts";
import { answerFunnel } from "./funnel.ts";
import { answerLive } from "./live.ts";
import { answerPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery } from "./query.ts";
import { answerRetention } from "./retention.ts";

export type StatsHandlers = Pick<
  Handlers,
  | "queryStats"
  | "queryFunnel"
  | "queryRetention"
  | "queryPaths"
  | "queryProperties"
  | "getStatsSource"
  | "getLive"
>;

/** @param warehouse null: it has not begun */
export function createStats(warehouse: () => AskedWarehouse | null): StatsHandlers {
  const asker = createAsker(warehouse);
  return {
    queryStats: async ({ body, now, signal }) => ({ body: await answerQuery(asker(signal), body, now) }),
    queryFunnel: async ({ body, now, signal }) => ({ body: await answerFunnel(asker(signal), body, now) }),
    queryRetention: async ({ body, now, signal }) => ({
      body: await answerRetention(asker(signal), body, now),
    }),
    queryPaths: async ({ body, now, signal }) => ({ body: await answerPaths(asker(signal), body, now) }),
    queryProperties: async ({ body, now, signal }) => ({
      body: await answerProperties(asker(signal), body, now),
    }),
    getStatsSource: async ({ source: { sourceId, name, lastEventAt } }) => ({
      body: { sourceId, name, lastEventAt: isoTimeOrNull(lastEventAt) },
    }),
    getLive: async ({ source, now, signal }) => ({
      body: await answerLive(asker(signal), source.sourceId, now),
    }),
  };
}

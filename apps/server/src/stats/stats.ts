/** What can be asked of a source's events (CONTRACT section 9). */
import type { Handlers } from "../core/handler.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import { answerFunnel } from "./funnel.ts";
import { goalsOf } from "./goals.ts";
import { answerLive } from "./live.ts";
import { answerPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery } from "./query.ts";
import { answerRetention } from "./retention.ts";
import { type AskedWarehouse, createAsker } from "./run-query.ts";

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
    queryStats: async (call) => {
      const { source, body, now } = call;
      const [goal] = goalsOf(source.goals, body.goal ? [{ goal: body.goal, path: ["goal"] }] : []);
      return { body: await answerQuery(asker(call), goal ? { ...body, goal } : body, now) };
    },
    queryFunnel: async (call) => {
      const { source, body, now } = call;
      const placed = body.steps.map((goal, at) => ({ goal, path: ["steps", at] }));
      return {
        body: await answerFunnel(asker(call), { ...body, steps: goalsOf(source.goals, placed) }, now),
      };
    },
    queryRetention: async (call) => ({ body: await answerRetention(asker(call), call.body, call.now) }),
    queryPaths: async (call) => ({ body: await answerPaths(asker(call), call.body, call.now) }),
    queryProperties: async (call) => ({ body: await answerProperties(asker(call), call.body, call.now) }),
    getStatsSource: async ({ source: { sourceId, name, lastEventAt } }) => ({
      body: { sourceId, name, lastEventAt: toIsoTimeOrNull(lastEventAt) },
    }),
    getLive: async (call) => ({ body: await answerLive(asker(call), call.source.sourceId, call.now) }),
  };
}

/** The handlers of the stats queries (docs/contract.md section 9). */
import type { Handlers } from "../core/handler.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import { answerFunnel } from "./funnel.ts";
import { resolveGoals } from "./goals.ts";
import { answerLive } from "./live.ts";
import { answerPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery } from "./query.ts";
import { answerRetention } from "./retention.ts";
import { createQueryRunner, type StatsWarehouse } from "./run-query.ts";

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

/** @param offHint the hint of the answers when there is no warehouse */
export function createStats(warehouse: StatsWarehouse, offHint: string): StatsHandlers {
  const runnerOf = createQueryRunner(warehouse, offHint);
  return {
    queryStats: async (call) => {
      const { source, body, now } = call;
      const [goal] = resolveGoals(source.goals, body.goal ? [{ goal: body.goal, path: ["goal"] }] : []);
      return { body: await answerQuery(runnerOf(call), goal ? { ...body, goal } : body, now) };
    },
    queryFunnel: async (call) => {
      const { source, body, now } = call;
      const goals = body.steps.map((goal, index) => ({ goal, path: ["steps", index] }));
      const steps = resolveGoals(source.goals, goals);
      return { body: await answerFunnel(runnerOf(call), { ...body, steps }, now) };
    },
    queryRetention: async (call) => ({ body: await answerRetention(runnerOf(call), call.body, call.now) }),
    queryPaths: async (call) => ({ body: await answerPaths(runnerOf(call), call.body, call.now) }),
    queryProperties: async (call) => ({ body: await answerProperties(runnerOf(call), call.body, call.now) }),
    getStatsSource: async ({ source: { sourceId, name, lastEventAt } }) => ({
      body: { sourceId, name, lastEventAt: toIsoTimeOrNull(lastEventAt) },
    }),
    getLive: async (call) => ({ body: await answerLive(runnerOf(call), call.source.sourceId, call.now) }),
  };
}

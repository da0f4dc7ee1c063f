/** The handlers of the stats queries (docs/contract.md section 9). */
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import type { Handlers } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import { mayMiss, missingOf } from "../core/warehouse-report.ts";
import { readExcluded } from "./excluded.ts";
import { answerFunnel } from "./funnel.ts";
import { resolveGoals } from "./goals.ts";
import { answerLive } from "./live.ts";
import { answerPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery } from "./query.ts";
import { answerRetention } from "./retention.ts";
import { createQueryRunner, type RunQuery, type StatsWarehouse } from "./run-query.ts";
import type { ScopeBody } from "./scope.ts";

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

export interface StatsDeps {
  readonly warehouse: StatsWarehouse;
  readonly completeness: Pick<WarehouseCompleteness, "report" | "isSuspected" | "suspectDamage">;
  /** The hint of the answers when there is no warehouse. */
  readonly offHint: string;
}

interface AnsweredRange {
  readonly sourceId: string;
  readonly from: string;
  readonly to: string;
}

/** Adds to an answer what it leaves out and whether it lacks events, and records a query that failed on damaged data. */
const createAnswering =
  ({ completeness }: StatsDeps) =>
  async <Answer extends AnsweredRange>(
    run: RunQuery,
    { body, now }: { readonly body: ScopeBody; readonly now: number },
    compute: (run: RunQuery) => Promise<Answer>,
  ) => {
    try {
      const answer = await compute(run);
      const excluded = await readExcluded(run, body, now);
      const range = { from: Date.parse(answer.from), to: Date.parse(answer.to) };
      const lacksEvents = mayMiss(completeness.report(), answer.sourceId, range);
      return { body: { ...answer, excluded, incomplete: completeness.isSuspected() || lacksEvents } };
    } catch (error) {
      if (error instanceof Refusal && error.code === "warehouse_damaged") completeness.suspectDamage();
      throw error;
    }
  };

export function createStats(deps: StatsDeps): StatsHandlers {
  const { warehouse, completeness, offHint } = deps;
  const runnerOf = createQueryRunner(warehouse, offHint);
  const answer = createAnswering(deps);
  return {
    queryStats: async (call) => {
      const { source, body, now } = call;
      const [goal] = resolveGoals(source.goals, body.goal ? [{ goal: body.goal, path: ["goal"] }] : []);
      return answer(runnerOf(call), call, (run) => answerQuery(run, goal ? { ...body, goal } : body, now));
    },
    queryFunnel: async (call) => {
      const { source, body, now } = call;
      const goals = body.steps.map((goal, index) => ({ goal, path: ["steps", index] }));
      const steps = resolveGoals(source.goals, goals);
      return answer(runnerOf(call), call, (run) => answerFunnel(run, { ...body, steps }, now));
    },
    queryRetention: async (call) =>
      answer(runnerOf(call), call, (run) => answerRetention(run, call.body, call.now)),
    queryPaths: async (call) => answer(runnerOf(call), call, (run) => answerPaths(run, call.body, call.now)),
    queryProperties: async (call) =>
      answer(runnerOf(call), call, (run) => answerProperties(run, call.body, call.now)),
    getStatsSource: async ({ source: { sourceId, name, lastEventAt } }) => {
      const missing = missingOf(completeness.report(), sourceId);
      const missingEvents = missing && {
        events: missing.events,
        firstDay: missing.firstDay,
        lastDay: missing.lastDay,
      };
      return { body: { sourceId, name, lastEventAt: toIsoTimeOrNull(lastEventAt), missingEvents } };
    },
    getLive: async (call) => ({ body: await answerLive(runnerOf(call), call.source.sourceId, call.now) }),
  };
}

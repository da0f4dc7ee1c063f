/** The handlers of the stats queries (docs/api/stats.md). */
import type { StatsAnswer } from "@headwater/contract";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import type { Call, Handlers } from "../http/handler.ts";
import { mayMiss, missingOf } from "../ledger/warehouse-report.ts";
import { readExcluded } from "./excluded.ts";
import { answerFunnel } from "./funnel.ts";
import { answerGoalReport, isByGoal } from "./goal-report.ts";
import { answerLive } from "./live.ts";
import { answerPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery } from "./query.ts";
import { answerRetention } from "./retention.ts";
import { createQueryRunner, type RunQuery, type StatsWarehouse } from "./run-query.ts";
import type { ScopeBody } from "./scope.ts";
import { type GoalRule, resolveGoals } from "./sql/goals.ts";
import { answerStoredEvents } from "./stored-events.ts";

/** A query of the API, as a report asks it too. */
export type QueryStats = (
  call: Pick<Call<"queryStats">, "source" | "organizationId" | "body" | "now" | "signal">,
) => Promise<{ readonly body: StatsAnswer }>;

export type StatsHandlers = { readonly queryStats: QueryStats } & Pick<
  Handlers,
  | "queryFunnel"
  | "queryRetention"
  | "queryPaths"
  | "queryProperties"
  | "getStatsSource"
  | "getLive"
  | "listEvents"
>;

interface StatsDeps {
  readonly warehouse: StatsWarehouse;
  readonly completeness: Pick<WarehouseCompleteness, "report" | "isSuspected" | "suspectDamage">;
  /** The hint of the answers when there is no warehouse. */
  readonly offHint: string;
  /** The memory of one query in the warehouse. */
  readonly memoryBytes: number;
}

type AnsweredCall = Pick<Call<"queryStats">, "organizationId" | "now" | "signal"> & {
  readonly body: ScopeBody;
};

export function createStats({ warehouse, completeness, offHint, memoryBytes }: StatsDeps): StatsHandlers {
  const runnerOf = createQueryRunner(warehouse, { offHint, memoryBytes });

  /** Adds to an answer what it leaves out and whether it lacks events, and records a query that failed on damaged data. */
  async function answer<Answer extends { sourceId: string; from: string; to: string }>(
    call: AnsweredCall,
    compute: (run: RunQuery) => Promise<Answer>,
    goal: GoalRule | null = null,
  ) {
    const run = runnerOf(call);
    try {
      const computed = await compute(run);
      const excluded = await readExcluded(run, call.body, call.now, goal);
      const range = { from: Date.parse(computed.from), to: Date.parse(computed.to) };
      const lacksEvents = mayMiss(completeness.report(), computed.sourceId, range);
      return { body: { ...computed, excluded, incomplete: completeness.isSuspected() || lacksEvents } };
    } catch (error) {
      if (error instanceof Refusal && error.code === "warehouse_damaged") completeness.suspectDamage();
      throw error;
    }
  }

  return {
    queryStats: async (call) => {
      const { source, body, now } = call;
      if (isByGoal(body)) return answer(call, (run) => answerGoalReport(run, body, source.goals, now));
      const inBody = body.goal ? [{ goal: body.goal, path: ["goal"] }] : [];
      const [goal = null] = resolveGoals(source.goals, inBody);
      return answer(call, (run) => answerQuery(run, body, goal, now), goal);
    },
    queryFunnel: async (call) => {
      const { source, body, now } = call;
      const inBody = body.steps.map((goal, index) => ({ goal, path: ["steps", index] }));
      const steps = resolveGoals(source.goals, inBody);
      return answer(call, (run) => answerFunnel(run, body, steps, now));
    },
    queryRetention: async (call) => answer(call, (run) => answerRetention(run, call.body, call.now)),
    queryPaths: async (call) => answer(call, (run) => answerPaths(run, call.body, call.now)),
    queryProperties: async (call) => answer(call, (run) => answerProperties(run, call.body, call.now)),
    getStatsSource: async ({ source: { sourceId, name, lastEventAt } }) => {
      const missing = missingOf(completeness.report(), sourceId);
      const missingEvents = missing && {
        events: missing.events,
        firstDay: missing.firstDay,
        lastDay: missing.lastDay,
      };
      return { body: { sourceId, name, lastEventAt: toIsoTimeOrNull(lastEventAt), missingEvents } };
    },
    listEvents: async (call) => ({ body: await answerStoredEvents(runnerOf(call), call) }),
    getLive: async (call) => ({ body: await answerLive(runnerOf(call), call.source.sourceId, call.now) }),
  };
}

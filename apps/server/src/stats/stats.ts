/** The handlers of the stats queries (docs/api/stats.md). */
import type { StatsAccuracy, StatsAnswer } from "@headwater/contract";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import type { Call, Handlers } from "../http/handler.ts";
import { mayMiss, missingOf } from "../ledger/warehouse-report.ts";
import { readExcluded } from "./excluded.ts";
import { answerFunnel } from "./funnel.ts";
import { answerGoalReport, isByGoal } from "./goal-report.ts";
import { type GoalRule, resolveGoals } from "./goals.ts";
import { answerLive } from "./live.ts";
import { answerPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery } from "./query.ts";
import { answerRetention } from "./retention.ts";
import { createQueryRunner, type RunQuery, type StatsWarehouse } from "./run-query.ts";
import type { ScopeBody } from "./scope.ts";
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

interface AnsweredCall {
  readonly body: ScopeBody;
  readonly now: number;
  /** The goal of the query. */
  readonly goal?: GoalRule | null;
}
interface AnsweredRange {
  readonly sourceId: string;
  readonly from: string;
  readonly to: string;
  readonly accuracy?: StatsAccuracy;
}

/** Adds to an answer what it leaves out and whether it lacks events, and records a query that failed on damaged data. */
const createAnswering =
  ({ completeness }: StatsDeps) =>
  async <Answer extends AnsweredRange>(
    run: RunQuery,
    { body, now, goal = null }: AnsweredCall,
    compute: (run: RunQuery) => Promise<Answer>,
  ) => {
    try {
      const answer = await compute(run);
      const excluded = await readExcluded(run, body, now, goal);
      const range = { from: Date.parse(answer.from), to: Date.parse(answer.to) };
      const lacksEvents = mayMiss(completeness.report(), answer.sourceId, range);
      const accuracy: StatsAccuracy = answer.accuracy ?? { exact: true };
      return {
        body: { ...answer, accuracy, excluded, incomplete: completeness.isSuspected() || lacksEvents },
      };
    } catch (error) {
      if (error instanceof Refusal && error.code === "warehouse_damaged") completeness.suspectDamage();
      throw error;
    }
  };

export function createStats(deps: StatsDeps): StatsHandlers {
  const { warehouse, completeness, offHint, memoryBytes } = deps;
  const runnerOf = createQueryRunner(warehouse, { offHint, memoryBytes });
  const answer = createAnswering(deps);
  return {
    queryStats: async (call) => {
      const { source, body, now } = call;
      if (isByGoal(body))
        return answer(runnerOf(call), call, (run) => answerGoalReport(run, body, source.goals, now));
      const [goal = null] = resolveGoals(
        source.goals,
        body.goal ? [{ goal: body.goal, path: ["goal"] }] : [],
      );
      return answer(runnerOf(call), { body, now, goal }, (run) => answerQuery(run, body, goal, now));
    },
    queryFunnel: async (call) => {
      const { source, body, now } = call;
      const goals = body.steps.map((goal, index) => ({ goal, path: ["steps", index] }));
      const steps = resolveGoals(source.goals, goals);
      return answer(runnerOf(call), call, (run) => answerFunnel(run, body, steps, now));
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
    listEvents: async (call) => ({ body: await answerStoredEvents(runnerOf(call), call) }),
    getLive: async (call) => ({ body: await answerLive(runnerOf(call), call.source.sourceId, call.now) }),
  };
}

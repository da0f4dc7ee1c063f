/** The handlers of the stats queries (docs/api/stats.md). */
import type { Issue, StatsGoal, StatsQueryBody } from "@headwater/contract";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import type { Call, Handlers } from "../http/handler.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { mayMiss, missingOf } from "../ledger/warehouse-report.ts";
import { readExcluded } from "./excluded.ts";
import { answerFunnel } from "./funnel.ts";
import { answerHostSplit } from "./host-split.ts";
import { answerLive } from "./live.ts";
import { answerPaths, withStoredPaths } from "./paths.ts";
import { answerProperties } from "./properties.ts";
import { answerQuery, type QueryStats } from "./query.ts";
import { answerRetention } from "./retention.ts";
import type { QueryRunner } from "./run-query.ts";
import { OF_ONE_SOURCE, ofSources, type ScopeBody } from "./scope.ts";
import { isByGoal } from "./sql/each-goal.ts";
import { type GoalRule, resolveGoals, storedGoals } from "./sql/goals.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { answerStoredEvents } from "./stored-events.ts";
import { answerVisits } from "./visits.ts";

export type StatsHandlers = { readonly queryStats: QueryStats } & Pick<
  Handlers,
  | "queryFunnel"
  | "queryRetention"
  | "queryPaths"
  | "queryProperties"
  | "queryVisits"
  | "getStatsSource"
  | "getLive"
  | "getHostSplit"
  | "listEvents"
>;

interface StatsDeps {
  readonly runnerOf: QueryRunner;
  readonly completeness: Pick<WarehouseCompleteness, "report" | "isSuspected" | "suspectDamage">;
}

type AnsweredCall = Pick<Call<"queryStats">, "organizationId" | "now" | "signal"> & {
  readonly body: ScopeBody;
};

/** Each source has goals of its own. */
function severalIssues(body: StatsQueryBody): Issue[] {
  const { sourceId, sourceIds = [], goal, dimensions } = body;
  if (sourceId !== undefined && sourceIds.length > 0)
    return [issueAt(["sourceIds"], "give either sourceId or sourceIds")];
  if (sourceIds.length <= 1) return [];
  const message = "goals belong to one source; a query of several names an event or a page";
  if (dimensions?.includes("contentGroup")) return [issueAt(["dimensions"], OF_ONE_SOURCE)];
  if (isByGoal(body)) return [issueAt(["dimensions"], message)];
  return goal?.name === undefined ? [] : [issueAt(["goal", "name"], message)];
}

/** A call about one source, whose body has what the query needs of it. */
const ofSource = <Body, Rest>(call: Rest & { readonly source: SourceRecord; readonly body: Body }) => ({
  ...call,
  body: ofSources(call.body, call.source),
});

const toMissingEvents = (missing: ReturnType<typeof missingOf>) =>
  missing && { events: missing.events, firstDay: missing.firstDay, lastDay: missing.lastDay };

/** @param path of the steps in the body */
const resolveSteps = (source: SourceRecord, steps: readonly StatsGoal[], path: readonly string[]) =>
  resolveGoals(
    [source],
    steps.map((goal, index) => ({ goal, path: [...path, index] })),
  );

function resolveOptional(source: SourceRecord, goal: StatsGoal | null | undefined, member: string) {
  const [rule = null] = resolveGoals([source], goal ? [{ goal, path: [member] }] : []);
  return rule;
}

/** @returns what adds to an answer what it leaves out and whether it lacks events, and records a query that failed on damaged data */
function createAnswer({ runnerOf, completeness }: StatsDeps) {
  return async <Answer extends { sourceId: string; from: string; to: string }>(
    call: AnsweredCall,
    compute: (run: RunQuery) => Promise<Answer>,
    goal: GoalRule | null = null,
  ) => {
    const run = runnerOf(call);
    try {
      const computed = await compute(run);
      const excluded = await readExcluded(run, call.body, call.now, goal);
      const range = { from: Date.parse(computed.from), to: Date.parse(computed.to) };
      const { sourceId, sourceIds = [sourceId] } = call.body;
      const lacksEvents = sourceIds.some((one) => mayMiss(completeness.report(), one, range));
      return { body: { ...computed, excluded, incomplete: completeness.isSuspected() || lacksEvents } };
    } catch (error) {
      if (error instanceof Refusal && error.code === "warehouse_damaged") completeness.suspectDamage();
      throw error;
    }
  };
}

export function createStats(deps: StatsDeps): StatsHandlers {
  const { runnerOf, completeness } = deps;
  const answer = createAnswer(deps);
  return {
    queryStats: async (call) => {
      requireNoIssues(severalIssues(call.body));
      const { source, sources } = call;
      const body = ofSources(call.body, source, sources);
      const inBody = body.goal ? [{ goal: body.goal, path: ["goal"] }] : [];
      const goalSources = sources.length === 1 ? [source] : sources.map((one) => ({ ...one, goals: [] }));
      const [goal = null] = resolveGoals(goalSources, inBody);
      const ofQuery = isByGoal(body) ? { each: storedGoals(goalSources) } : goal;
      return answer({ ...call, body }, (run) => answerQuery(run, body, ofQuery, call.now), goal);
    },
    queryFunnel: async (ofCall) => {
      const call = ofSource(ofCall);
      const steps = resolveSteps(call.source, call.body.steps, ["steps"]);
      return answer(call, (run) => answerFunnel(run, call.body, steps, call.now));
    },
    queryRetention: async (ofCall) => {
      const call = ofSource(ofCall);
      const { cohortGoal, returnGoal } = call.body;
      const goals = {
        cohortGoal: resolveOptional(call.source, cohortGoal, "cohortGoal"),
        returnGoal: resolveOptional(call.source, returnGoal, "returnGoal"),
      };
      return answer(call, (run) => answerRetention(run, call.body, call.now, goals));
    },
    queryPaths: async (ofCall) => {
      const call = ofSource(ofCall);
      const body = withStoredPaths(call.body, call.source.pathRules);
      return answer(call, (run) => answerPaths(run, body, call.now));
    },
    queryProperties: async (ofCall) => {
      const call = ofSource(ofCall);
      return answer(call, (run) => answerProperties(run, call.body, call.now));
    },
    queryVisits: async (ofCall) => {
      const call = ofSource(ofCall);
      const steps = resolveSteps(call.source, call.body.funnel?.steps ?? [], ["funnel", "steps"]);
      return answer(call, (run) => answerVisits(run, call.body, steps, call.now));
    },
    getStatsSource: async ({ source: { sourceId, name, lastEventAt } }) => {
      const missingEvents = toMissingEvents(missingOf(completeness.report(), sourceId));
      return { body: { sourceId, name, lastEventAt: toIsoTimeOrNull(lastEventAt), missingEvents } };
    },
    listEvents: async (call) => ({ body: await answerStoredEvents(runnerOf(call), call) }),
    getLive: async (call) => ({ body: await answerLive(runnerOf(call), call.source.sourceId, call.now) }),
    getHostSplit: async (call) => ({ body: await answerHostSplit(runnerOf(call), call) }),
  };
}

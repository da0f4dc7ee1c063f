/** Goals: those of a query, which may name goals of the source, and their SQL (docs/stats.md). */

import type { Goal, StatsGoal } from "@headwater/contract";
import { storedPattern } from "@headwater/contract/path-pattern";
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { issueAt, requireNoIssues } from "../../core/refusal.ts";
import type { SourceRecord } from "../../ledger/records.ts";
import type { QueryScope } from "./conditions.ts";
import { eventCurrencySql, REACHED_GOAL, type TextSql, textSql } from "./dimensions.ts";
import { writePropertyCondition } from "./filter.ts";
import { allOf, type Bind } from "./statement.ts";

/** A goal of a query, and where it is in the body. */
interface GoalInBody {
  readonly goal: StatsGoal;
  readonly path: readonly (string | number)[];
}

/** A goal is reached by an event of a name or a view of a page (one of them is null), with conditions on the properties. */
export type GoalRule = Omit<Goal, "name">;

/** All goals of a source, in a query by goal. Its rows have `reached`: see `each-goal.ts`. */
export interface EachGoal {
  readonly each: readonly Goal[];
}
export type QueryGoal = GoalRule | EachGoal;
export const isEachGoal = (goal: QueryGoal | null): goal is EachGoal => goal !== null && "each" in goal;
const REACHED_CURRENCY = "tupleElement(reached, 2)";
const REACHED_AMOUNT = "tupleElement(reached, 3)";

type GoalSource = Pick<SourceRecord, "goals" | "pathRules">;

/** The goals of sources, with patterns in the form in which each stores paths. */
export const storedGoals = (sources: readonly GoalSource[]): Goal[] =>
  sources.flatMap(({ goals, pathRules }) =>
    goals.map((goal) => ({ ...goal, path: goal.path && storedPattern(pathRules)(goal.path) })),
  );

/**
 * @param sources what has the goals
 * @throws Refusal `invalid_payload` for a name that no goal of the source has
 */
export function resolveGoals(sources: readonly GoalSource[], goals: readonly GoalInBody[]): GoalRule[] {
  const known = new Map(storedGoals(sources).map((goal) => [goal.name, goal]));
  const toStored = storedPattern({ lowerCase: sources.every(({ pathRules }) => pathRules.lowerCase) });
  const unknown = goals.filter(({ goal: { name } }) => name !== undefined && !known.has(name));
  requireNoIssues(
    unknown.map(({ path }) =>
      issueAt(
        [...path, "name"],
        "the source has no goal of this name; add it to the source, or give an event or a page",
      ),
    ),
  );
  return goals.map(({ goal: { name = "", event = null, page = null } }) => {
    return known.get(name) ?? { event, path: page && toStored(page), conditions: [], value: null };
  });
}

/** A page pattern as a pattern of LIKE: `*` matches any text, all else itself. */
const likePattern = (pattern: string) =>
  pattern.replaceAll("\\", "\\\\").replaceAll("%", "\\%").replaceAll("_", "\\_").replaceAll("*", "%");

function reachedBy(bind: Bind, { event, path }: GoalRule): string {
  if (event !== null) return `name = ${bind("String", event)}`;
  const matches = `${textSql("page")} LIKE ${bind("String", likePattern(path ?? ""))}`;
  return `${IS_PAGE_VIEW} AND ifNull(${matches}, 0)`;
}

/** Whether an event reaches a goal. */
export const goalSql = (bind: Bind, goal: QueryGoal): string =>
  isEachGoal(goal) ? `isNotNull(${REACHED_GOAL})` : ruleSql(bind, goal);

const ruleSql = (bind: Bind, goal: GoalRule): string =>
  allOf([
    reachedBy(bind, goal),
    ...goal.conditions.map(({ property, operator, value }) =>
      writePropertyCondition(bind, {
        kind: "condition",
        dimension: { kind: "property", name: property },
        operator,
        values: [value],
      }),
    ),
  ]);

/** The revenue of an event without one. */
export const NO_AMOUNT = "toDecimal64(0, 4)";

/** The amount of a goal's value. */
export const amountSql = (bind: Bind, { value }: GoalRule): string =>
  // as a text, because a number of ClickHouse may be a little less
  value ? `toDecimal64(${bind("String", value.amount.toFixed(4))}, 4)` : NO_AMOUNT;

/** The revenue of an event that reaches a goal: its own, or else the goal's value. */
export const conversionRevenueSql = (bind: Bind, goal: QueryGoal): string =>
  `ifNull(revenue, ${isEachGoal(goal) ? REACHED_AMOUNT : amountSql(bind, goal)})`;

/** Whether an event has a revenue, or reaches the goal and takes its value. */
export function hasAmountSql(goal: QueryGoal | null): string {
  if (isEachGoal(goal)) return `(isNotNull(revenue) OR isNotNull(${REACHED_CURRENCY}))`;
  return goal?.value ? "1" : "revenue IS NOT NULL";
}

/** The currency of an event's revenue: its own, or else that of the value of the goal that it reaches. */
const conversionCurrencySql =
  (goal: QueryGoal): TextSql =>
  (bind) => {
    const own = eventCurrencySql(bind);
    if (isEachGoal(goal)) return `if(isNull(${REACHED_GOAL}), NULL, ifNull(${own}, ${REACHED_CURRENCY}))`;
    if (goal.value === null) return own;
    return `ifNull(${own}, if(${goalSql(bind, goal)}, ${bind("String", goal.value.currency)}, NULL))`;
  };

/** The scope of a query about a goal. */
export const withGoal = (scope: QueryScope, goal: QueryGoal | null): QueryScope =>
  goal === null ? scope : { ...scope, texts: { ...scope.texts, currency: conversionCurrencySql(goal) } };

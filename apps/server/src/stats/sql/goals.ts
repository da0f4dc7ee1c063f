/** Goals: those of a query, which may name goals of the source, and their SQL (docs/stats.md). */

import type { Goal, StatsGoal } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { issueAt, requireNoIssues } from "../../core/refusal.ts";
import type { QueryScope } from "../scope.ts";
import { type CurrencySql, eventCurrencySql, textSql } from "./dimensions.ts";
import { writePropertyCondition } from "./filter.ts";
import { allOf, type Bind } from "./statement.ts";

/** A goal of a query, and where it is in the body. */
interface GoalInBody {
  readonly goal: StatsGoal;
  readonly path: readonly (string | number)[];
}

/** A goal is reached by an event of a name or a view of a page (one of them is null), with conditions on the properties. */
export type GoalRule = Omit<Goal, "name">;

/**
 * @param sourceGoals the goals that the source has
 * @throws Refusal `invalid_payload` for a name that no goal of the source has
 */
export function resolveGoals(sourceGoals: readonly Goal[], goals: readonly GoalInBody[]): GoalRule[] {
  const known = new Map(sourceGoals.map((goal) => [goal.name, goal]));
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
    return known.get(name) ?? { event, path: page, conditions: [], value: null };
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
export const goalSql = (bind: Bind, goal: GoalRule): string =>
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

/** The revenue of an event that reaches a goal: its own, or else the goal's value. */
export function conversionRevenueSql(bind: Bind, { value }: GoalRule): string {
  // as a text, because a number of ClickHouse may be a little less
  const amount = value && `toDecimal64(${bind("String", value.amount.toFixed(4))}, 4)`;
  return `ifNull(revenue, ${amount ?? NO_AMOUNT})`;
}

/** The currency of an event's revenue: its own, or else that of the value of the goal that it reaches. */
const conversionCurrencySql =
  (goal: GoalRule): CurrencySql =>
  (bind) => {
    const own = eventCurrencySql(bind);
    if (goal.value === null) return own;
    return `ifNull(${own}, if(${goalSql(bind, goal)}, ${bind("String", goal.value.currency)}, NULL))`;
  };

/** The scope of a query about a goal. */
export const withGoal = (scope: QueryScope, goal: GoalRule | null): QueryScope =>
  goal === null ? scope : { ...scope, currency: conversionCurrencySql(goal) };

/** Goals that a query names instead of describing them: the source's own goals (docs/contract.md section 9). */
import type { Goal, StatsGoal } from "@headwater/contract";
import { refuseIssues } from "./scope.ts";

/** A goal of a query, and where it is in the body. */
export interface GoalInBody {
  readonly goal: StatsGoal;
  readonly path: readonly (string | number)[];
}

/**
 * @param sourceGoals the goals that the source has
 * @returns each goal as an event or a page
 * @throws Refusal `invalid_payload` for a name that no goal of the source has
 */
export function resolveGoals(sourceGoals: readonly Goal[], goals: readonly GoalInBody[]): StatsGoal[] {
  const known = new Map(sourceGoals.map((goal) => [goal.name, goal]));
  const unknown = goals.filter(({ goal: { name } }) => name !== undefined && !known.has(name));
  refuseIssues(
    unknown.map(({ path }) => ({
      path: [...path, "name"],
      code: "invalid_value",
      message: "the source has no goal of this name; add it to the source, or give an event or a page",
    })),
  );
  return goals.map(({ goal }) => {
    const named = goal.name === undefined ? undefined : known.get(goal.name);
    if (!named) return goal;
    return named.event === null ? { page: named.path ?? "" } : { event: named.event };
  });
}

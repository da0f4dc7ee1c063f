/** Goals that a question asks for by the name that its source gave them. */
import type { Goal, Issue, StatsGoal } from "@headwater/contract";
import { refuseFor } from "./scope.ts";

/** Goals of a question, each with where it stands there. */
export type Placed = readonly { readonly goal: StatsGoal; readonly path: readonly (string | number)[] }[];

/**
 * @param goals the source's
 * @returns what each of them is: an event, or a page
 * @throws Refusal `invalid_payload` for names that the source has no goal for
 */
export function goalsOf(goals: readonly Goal[], asked: Placed): StatsGoal[] {
  const known = new Map(goals.map((goal) => [goal.name, goal]));
  const isUnknown = ({ goal: { name } }: Placed[number]) => name !== undefined && !known.has(name);
  refuseFor(
    asked.filter(isUnknown).map(
      ({ path }): Issue => ({
        path: [...path, "name"],
        code: "invalid_value",
        message: "names no goal of the source: PATCH the source's goals, or say the event or the page",
      }),
    ),
  );
  return asked.map(({ goal }) => {
    const named = goal.name === undefined ? undefined : known.get(goal.name);
    if (!named) return goal;
    return named.event === null ? { page: named.path ?? "" } : { event: named.event };
  });
}

/** A goal, as a stats query names it. */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed } from "./shapes.ts";

/** A goal: an event with a name, a view of a page whose path matches (`*` is any text), or a goal of the source by its name. */
export const StatsGoal = Closed(
  {
    event: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.maxEventNameLength,
        description: "The name of an event.",
      }),
    ),
    page: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.maxStatsPatternLength,
        description: "A path pattern: a view of a page that matches it.",
      }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.maxNameLength,
        description: "The name of a goal of the source.",
      }),
    ),
  },
  { minProperties: 1, maxProperties: 1, description: "A goal, named in one of three ways." },
);
export type StatsGoal = Static<typeof StatsGoal>;

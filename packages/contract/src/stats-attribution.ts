/** The schema of `attribution` in a stats query (docs/stats.md). */
import Type from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, OneOf } from "./shapes.ts";
import * as words from "./stats-words.ts";

export const Attribution = Closed(
  {
    model: OneOf(words.STATS_ATTRIBUTION_MODELS, {
      description:
        "`session`: the session of the event. `firstTouch`: the first session of the visitor that began within the window before the event. `lastNonDirect`: the last one that is not direct. Default: `session`.",
    }),
    windowDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.maxAttributionWindowDays,
        description: `The window of the other models, in days of 24 hours. Default: ${LIMITS.defaultAttributionWindowDays}.`,
      }),
    ),
  },
  {
    description: `Which session gives the values of the dimensions ${words.STATS_ATTRIBUTION_DIMENSIONS.join(", ")}. \`firstTouch\` and \`lastNonDirect\` need one of them, and work with the metrics ${words.STATS_GOAL_METRICS.join(", ")}.`,
  },
);

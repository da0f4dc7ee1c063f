/** Exact and estimated answers of stats queries. */
import Type from "typebox";
import { Closed, OneOf } from "./shapes.ts";
import * as words from "./stats-words.ts";

export type StatsAccuracyChoice = (typeof words.STATS_ACCURACIES)[number];
export const AccuracyChoice = OneOf(words.STATS_ACCURACIES, {
  description:
    "`exact`: all events are counted. `auto` (default): large ranges are estimated from a sample of the visitors. `fast`: from a smaller sample.",
});

export type StatsAccuracy = { readonly exact: true } | { readonly exact: false; readonly sample: number };
export const Accuracy = Type.Unsafe<StatsAccuracy>(
  Type.Union(
    [
      Closed({ exact: Type.Literal(true, { description: "All events of the range were counted." }) }),
      Closed({
        exact: Type.Literal(false, {
          description: "The figures are estimated from a sample of the visitors.",
        }),
        sample: Type.Number({ exclusiveMinimum: 0, maximum: 1, description: "The share of the visitors." }),
      }),
    ],
    { description: "Whether the figures are exact. Users, revenue and sums of properties always are." },
  ),
);

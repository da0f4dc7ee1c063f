/** The time that a stats query is about, and the period that it is compared with. */
import Type from "typebox";
import { LIMITS } from "./limits.ts";
import { OneOf } from "./shapes.ts";
import * as words from "./stats-words.ts";

/** A named range of days, or two days or times. */
export type StatsDateRange = (typeof words.STATS_RANGES)[number] | [from: string, to: string];
export const DateRange = Type.Unsafe<StatsDateRange>({
  type: ["string", "array"],
  maxLength: LIMITS.maxStatsTimeLength,
  items: { type: "string", maxLength: LIMITS.maxStatsTimeLength },
  minItems: 2,
  maxItems: 2,
  description: `One of ${words.STATS_RANGES.join(", ")} (days that end with today), or [from, to): each a day YYYY-MM-DD in the time zone, or an ISO 8601 time with a UTC offset.`,
  examples: ["30d", ["2026-11-01", "2026-12-01"]],
});

/** `true` is the mode `previous`. Only the mode `custom` has a `dateRange`. */
export type StatsComparison =
  | boolean
  | { mode: (typeof words.STATS_COMPARISONS)[number]; dateRange?: [from: string, to: string] };
export const StatsComparison = Type.Unsafe<StatsComparison>({
  type: ["boolean", "object"],
  properties: {
    mode: OneOf(words.STATS_COMPARISONS, {
      description:
        "previous: as many days before. year: a year before; whole weeks are compared with whole weeks, 52 weeks before. custom: `dateRange`.",
    }),
    dateRange: {
      type: "array",
      items: { type: "string", maxLength: LIMITS.maxStatsTimeLength },
      minItems: 2,
      maxItems: 2,
      description: "The period to compare with, [from, to), for the mode custom.",
    },
  },
  required: ["mode"],
  additionalProperties: false,
  description:
    "Also return the metrics of another period. true: the mode previous. Of a range that is not over, only the part until now is compared.",
});

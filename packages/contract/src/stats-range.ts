/** The date range of a stats query, and the period that it is compared with. */
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

/** `true` is the mode `previous`. Only the mode `custom` has a `dateRange`, and the others can have `sameWeekdays`. */
export type StatsComparison =
  | boolean
  | {
      mode: (typeof words.STATS_COMPARISONS)[number];
      dateRange?: [from: string, to: string];
      sameWeekdays?: boolean;
    };
export const StatsComparison = Type.Unsafe<StatsComparison>({
  type: ["boolean", "object"],
  properties: {
    mode: OneOf(words.STATS_COMPARISONS, {
      description:
        "previous: the same number of days just before. year: the same dates a year earlier. custom: `dateRange`.",
    }),
    dateRange: {
      type: "array",
      items: { type: "string", maxLength: LIMITS.maxStatsTimeLength },
      minItems: 2,
      maxItems: 2,
      description: "The period to compare with, [from, to), for the mode custom.",
    },
    sameWeekdays: {
      type: "boolean",
      default: false,
      description:
        "Compare each day with the same weekday. previous: earlier by the length of the range, rounded up to whole weeks. year: 52 weeks earlier.",
    },
  },
  required: ["mode"],
  additionalProperties: false,
  description:
    "Also return the metrics of another period. true: the mode previous. If the range is not over, only its part until now is compared.",
});

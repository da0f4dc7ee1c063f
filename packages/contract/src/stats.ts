/** The bodies and answers of stats queries (docs/contract.md section 9; docs/stats.md has an example of each). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Count, Id, Nullable, OneOf, Time } from "./shapes.ts";
import * as words from "./stats-words.ts";

export type StatsMetric = (typeof words.STATS_METRICS)[number] | `sum:${string}`;
export type StatsDimension =
  | (typeof words.STATS_TEXT_DIMENSIONS)[number]
  | `time:${(typeof words.STATS_GRAINS)[number]}`
  | `property:${string}`;
export type StatsScalar = string | number | boolean | null;

const anyOf = (names: readonly string[]) => names.join("|");
const PROPERTY = `[^\\u0000]{1,${LIMITS.maxStatsPropertyLength}}`;

export const StatsMetric = Type.Unsafe<StatsMetric>({
  type: "string",
  pattern: `^(?:${anyOf(words.STATS_METRICS)}|sum:${PROPERTY})$`,
  description: `one of ${words.STATS_METRICS.join(", ")}, or sum:<property>`,
});
export const StatsDimension = Type.Unsafe<StatsDimension>({
  type: "string",
  pattern: `^(?:${anyOf(words.STATS_TEXT_DIMENSIONS)}|time:(?:${anyOf(words.STATS_GRAINS)})|property:${PROPERTY})$`,
  description: `one of ${words.STATS_TEXT_DIMENSIONS.join(", ")}, time:<${words.STATS_GRAINS.join(", ")}>, or property:<name>`,
});

/** A condition, or a combination of filters. `sessionHas`: an event of the same session satisfies the filter. */
export type StatsFilter =
  | {
      dimension: StatsDimension;
      operator: (typeof words.STATS_OPERATORS)[number];
      value: StatsScalar | StatsScalar[];
    }
  | { and: StatsFilter[] }
  | { or: StatsFilter[] }
  | { not: StatsFilter }
  | { sessionHas: StatsFilter };

const SCALARS = ["string", "number", "boolean", "null"];
const nested = { type: "array", items: { $ref: "#" }, minItems: 1, maxItems: LIMITS.maxStatsFilters };
/** One schema for all forms, so that an error is reported once. The server checks that a filter has one form. */
export const StatsFilter = Type.Unsafe<StatsFilter>({
  $id: "StatsFilter",
  type: "object",
  properties: {
    dimension: StatsDimension,
    operator: OneOf(words.STATS_OPERATORS),
    value: {
      type: [...SCALARS, "array"],
      maxLength: LIMITS.maxStatsValueLength,
      items: { type: SCALARS, maxLength: LIMITS.maxStatsValueLength },
      minItems: 1,
      maxItems: LIMITS.maxStatsValues,
      description: "a list for in, one value for every other operator; null matches a missing value",
    },
    and: nested,
    or: nested,
    not: { $ref: "#" },
    sessionHas: { $ref: "#" },
  },
  additionalProperties: false,
  description:
    "{dimension, operator, value}, or one of {and: […]}, {or: […]}, {not: …}, {sessionHas: …}; sessionHas: an event of the same session satisfies the filter",
});

/** A goal: an event with a name, a view of a page whose path matches (`*` is any text), or a goal of the source by its name. */
export const StatsGoal = Closed(
  {
    event: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.maxEventNameLength })),
    page: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.maxStatsPatternLength })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength })),
  },
  { minProperties: 1, maxProperties: 1 },
);
export type StatsGoal = Static<typeof StatsGoal>;

/** A named range of days, or two days or times. */
export type StatsDateRange = (typeof words.STATS_RANGES)[number] | [from: string, to: string];
const DateRange = Type.Unsafe<StatsDateRange>({
  type: ["string", "array"],
  maxLength: LIMITS.maxStatsTimeLength,
  items: { type: "string", maxLength: LIMITS.maxStatsTimeLength },
  minItems: 2,
  maxItems: 2,
  description: `one of ${words.STATS_RANGES.join(", ")} (days that end with today), or [from, to): each a day YYYY-MM-DD in the time zone, or an ISO 8601 time with a UTC offset`,
  examples: ["30d", ["2026-11-01", "2026-12-01"]],
});

/** The members of every query. */
const queryMembers = {
  organizationId: Type.Optional(Id),
  sourceId: Id,
  dateRange: DateRange,
  timezone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "a name of the IANA database; default UTC" }),
  ),
  filters: Type.Optional(
    Type.Array(StatsFilter, {
      maxItems: LIMITS.maxStatsFilters,
      description: "an event must satisfy all of them",
    }),
  ),
};
const bots = Type.Optional(Type.Boolean({ description: "true: also count events of bots; default false" }));
const Include = Type.Optional(Closed({ bots }));

/** The members of every answer. */
const answerMembers = {
  sourceId: Type.String(),
  timezone: Type.String(),
  from: Time,
  to: Time,
  incomplete: Type.Boolean({
    description: "true: the warehouse has lost events of the range, so the figures are too low",
  }),
};

export const StatsQueryBody = Closed({
  ...queryMembers,
  metrics: Type.Array(StatsMetric, {
    minItems: 1,
    maxItems: LIMITS.maxStatsMetrics,
    uniqueItems: true,
    description: words.describeStatsWords(words.STATS_METRIC_DESCRIPTIONS),
  }),
  dimensions: Type.Optional(
    Type.Array(StatsDimension, {
      maxItems: LIMITS.maxStatsDimensions,
      uniqueItems: true,
      description: words.describeStatsWords(words.STATS_DIMENSION_DESCRIPTIONS),
    }),
  ),
  goal: Type.Optional(StatsGoal),
  orderBy: Type.Optional(
    Type.Array(
      Closed({
        field: Type.String({ minLength: 1, maxLength: LIMITS.maxStatsPropertyLength + 10 }),
        direction: OneOf(["asc", "desc"]),
      }),
      {
        maxItems: LIMITS.maxStatsMetrics,
        description: "each field is a metric or a dimension of the query",
      },
    ),
  ),
  include: Type.Optional(
    Closed({
      bots,
      comparison: Type.Optional(
        Type.Boolean({
          description: "true: also return the metrics of the previous period of the same length",
        }),
      ),
    }),
  ),
  pagination: Type.Optional(
    Closed({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsRows })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.maxStatsOffset })),
    }),
  ),
});
export type StatsQueryBody = Static<typeof StatsQueryBody>;

const Scalar = Type.Unsafe<StatsScalar>({ type: SCALARS });
const Figures = Type.Array(Nullable(Type.Number()), {
  description:
    "in the order of the query; rates are from 0 to 1, sessionDuration is in seconds; null: undefined, because the divisor is 0",
});
export const StatsRow = Closed({
  dimensions: Type.Array(Scalar, {
    description: "in the order of the query; null: the value is missing; a time is the start of its bucket",
  }),
  metrics: Figures,
  comparison: Nullable(Figures),
});
export type StatsRow = Static<typeof StatsRow>;
export const StatsAnswer = Closed({
  ...answerMembers,
  metrics: Type.Array(Type.String()),
  dimensions: Type.Array(Type.String()),
  comparison: Nullable(Closed({ from: Time, to: Time })),
  results: Type.Array(StatsRow),
  nextOffset: Nullable(Count),
});
export type StatsAnswer = Static<typeof StatsAnswer>;

export const StatsFunnelBody = Closed({
  ...queryMembers,
  include: Include,
  steps: Type.Array(StatsGoal, { minItems: 2, maxItems: LIMITS.maxStatsSteps }),
  windowSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxStatsWindowSeconds,
      description: "maximum time from the first step to the last; default one day",
    }),
  ),
});
export type StatsFunnelBody = Static<typeof StatsFunnelBody>;
export const StatsFunnelAnswer = Closed({
  ...answerMembers,
  windowSeconds: Count,
  steps: Type.Array(
    Closed({
      visitors: Count,
      shareOfFirst: Nullable(Type.Number()),
      shareOfPrevious: Nullable(Type.Number()),
    }),
  ),
});
export type StatsFunnelAnswer = Static<typeof StatsFunnelAnswer>;

export const StatsRetentionBody = Closed({
  ...queryMembers,
  include: Include,
  period: OneOf(["day", "week", "month"]),
});
export type StatsRetentionBody = Static<typeof StatsRetentionBody>;
export const StatsRetentionAnswer = Closed({
  ...answerMembers,
  cohorts: Type.Array(
    Closed({
      start: Time,
      visitors: Count,
      returned: Type.Array(Count, {
        description:
          "visitors of this cohort in each period, from the cohort's own period to the last of the range",
      }),
    }),
  ),
});
export type StatsRetentionAnswer = Static<typeof StatsRetentionAnswer>;

export const StatsPathsBody = Closed({
  ...queryMembers,
  include: Include,
  startPage: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.maxUrlLength,
      description: "a path; default: the entry page",
    }),
  ),
  steps: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsSteps, description: "default 3" })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsPaths, description: "for each step; default 20" }),
  ),
});
export type StatsPathsBody = Static<typeof StatsPathsBody>;
export const StatsPathsAnswer = Closed({
  ...answerMembers,
  paths: Type.Array(
    Closed({
      step: Type.Integer({ minimum: 1 }),
      from: Type.String(),
      to: Nullable(Type.String({ description: "null: the session ended" })),
      sessions: Count,
    }),
  ),
});
export type StatsPathsAnswer = Static<typeof StatsPathsAnswer>;

export const StatsPropertiesBody = Closed({
  ...queryMembers,
  include: Include,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsRows, description: "default 100" }),
  ),
});
export type StatsPropertiesBody = Static<typeof StatsPropertiesBody>;
export const StatsPropertiesAnswer = Closed({
  ...answerMembers,
  properties: Type.Array(
    Closed({
      name: Type.String({
        description: "as in property:<name>; nested properties are joined by dots",
      }),
      events: Count,
    }),
    { description: "most frequent first" },
  ),
});
export type StatsPropertiesAnswer = Static<typeof StatsPropertiesAnswer>;

export const StatsSourceQuery = Closed({ organizationId: Type.Optional(Id), sourceId: Id });
export const StatsSourceAnswer = Closed({
  sourceId: Type.String(),
  name: Type.String(),
  lastEventAt: Nullable(Time),
  /** Events that were accepted and that the warehouse has lost; null: none, as far as is known. */
  missingEvents: Nullable(
    Closed({
      events: Count,
      firstDay: Type.String({ description: "a UTC day, such as 2026-11-21" }),
      lastDay: Type.String(),
    }),
  ),
});
export type StatsSourceAnswer = Static<typeof StatsSourceAnswer>;
export const StatsLiveAnswer = Closed({
  sourceId: Type.String(),
  at: Time,
  windowSeconds: Count,
  visitors: Count,
});
export type StatsLiveAnswer = Static<typeof StatsLiveAnswer>;

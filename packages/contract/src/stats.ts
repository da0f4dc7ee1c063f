/** Questions about a source's events and their answers (CONTRACT section 9; docs/stats.md explains each with an example). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Count, Id, Nullable, OneOf, Time } from "./shapes.ts";
import {
  STATS_GRAINS,
  STATS_METRICS,
  STATS_OPERATORS,
  STATS_RANGES,
  STATS_TEXT_DIMENSIONS,
} from "./stats-words.ts";

export type StatsMetric = (typeof STATS_METRICS)[number] | `sum:${string}`;
export type StatsDimension =
  | (typeof STATS_TEXT_DIMENSIONS)[number]
  | `time:${(typeof STATS_GRAINS)[number]}`
  | `property:${string}`;
export type StatsScalar = string | number | boolean | null;

const anyOf = (words: readonly string[]) => words.join("|");
const PROPERTY = `[^\\u0000]{1,${LIMITS.maxStatsPropertyLength}}`;

export const StatsMetric = Type.Unsafe<StatsMetric>({
  type: "string",
  pattern: `^(?:${anyOf(STATS_METRICS)}|sum:${PROPERTY})$`,
  description: `one of ${STATS_METRICS.join(", ")}, or sum:<property>`,
});
export const StatsDimension = Type.Unsafe<StatsDimension>({
  type: "string",
  pattern: `^(?:${anyOf(STATS_TEXT_DIMENSIONS)}|time:(?:${anyOf(STATS_GRAINS)})|property:${PROPERTY})$`,
  description: `one of ${STATS_TEXT_DIMENSIONS.join(", ")}, time:<${STATS_GRAINS.join(", ")}>, or property:<name>`,
});

/** A leaf, or what joins leaves. `sessionHas`: some event of the same session fits what is within. */
export type StatsFilter =
  | {
      dimension: StatsDimension;
      operator: (typeof STATS_OPERATORS)[number];
      value: StatsScalar | StatsScalar[];
    }
  | { and: StatsFilter[] }
  | { or: StatsFilter[] }
  | { not: StatsFilter }
  | { sessionHas: StatsFilter };

const SCALARS = ["string", "number", "boolean", "null"];
const nested = { type: "array", items: { $ref: "#" }, minItems: 1, maxItems: LIMITS.maxStatsFilters };
/** One schema for all of its forms, so that what is wrong is said once; that it is one of them is checked beside it. */
export const StatsFilter = Type.Unsafe<StatsFilter>({
  $id: "StatsFilter",
  type: "object",
  properties: {
    dimension: StatsDimension,
    operator: OneOf(STATS_OPERATORS),
    value: {
      type: [...SCALARS, "array"],
      maxLength: LIMITS.maxStatsValueLength,
      items: { type: SCALARS, maxLength: LIMITS.maxStatsValueLength },
      minItems: 1,
      maxItems: LIMITS.maxStatsValues,
      description: "in takes a list, every other operator one value; null: it is missing",
    },
    and: nested,
    or: nested,
    not: { $ref: "#" },
    sessionHas: { $ref: "#" },
  },
  additionalProperties: false,
  description:
    "{dimension, operator, value}, or one of {and: […]}, {or: […]}, {not: …}, {sessionHas: …}: some event of the same session fits",
});

/** What visitors are to do: an event of that name, a view of a page whose path fits (`*`: anything), or the source's goal of that name. */
export const StatsGoal = Closed(
  {
    event: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.maxEventNameLength })),
    page: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.maxStatsPatternLength })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength })),
  },
  { minProperties: 1, maxProperties: 1 },
);
export type StatsGoal = Static<typeof StatsGoal>;

/** A day of the calendar in the asked time zone, or an instant. */
export type StatsDateRange = (typeof STATS_RANGES)[number] | [from: string, to: string];
const DateRange = Type.Unsafe<StatsDateRange>({
  type: ["string", "array"],
  maxLength: LIMITS.maxStatsTimeLength,
  items: { type: "string", maxLength: LIMITS.maxStatsTimeLength },
  minItems: 2,
  maxItems: 2,
  description: `one of ${STATS_RANGES.join(", ")} (days that end with today), or [from, to): each a day YYYY-MM-DD of the time zone or an ISO 8601 instant with its zone`,
  examples: ["30d", ["2026-11-01", "2026-12-01"]],
});

/** What every question has. */
const asked = {
  organizationId: Type.Optional(Id),
  sourceId: Id,
  dateRange: DateRange,
  timezone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "of the IANA database; default UTC" }),
  ),
  filters: Type.Optional(
    Type.Array(StatsFilter, { maxItems: LIMITS.maxStatsFilters, description: "all of them hold" }),
  ),
};
const bots = Type.Optional(Type.Boolean({ description: "count bots too; default false" }));
const Include = Type.Optional(Closed({ bots }));

/** What every answer has: what was asked, settled. */
const answered = {
  sourceId: Type.String(),
  timezone: Type.String(),
  from: Time,
  to: Time,
};

export const StatsQueryBody = Closed({
  ...asked,
  metrics: Type.Array(StatsMetric, { minItems: 1, maxItems: LIMITS.maxStatsMetrics, uniqueItems: true }),
  dimensions: Type.Optional(
    Type.Array(StatsDimension, { maxItems: LIMITS.maxStatsDimensions, uniqueItems: true }),
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
        description: "fields are metrics and dimensions that are asked for",
      },
    ),
  ),
  include: Type.Optional(
    Closed({
      bots,
      comparison: Type.Optional(
        Type.Boolean({ description: "the same of the period of the same length before" }),
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
    "in the order of metrics; ratios are 0 to 1, sessionDuration is in seconds; null: a ratio over nothing",
});
export const StatsRow = Closed({
  dimensions: Type.Array(Scalar, {
    description: "in the order of dimensions; null: it is missing; a time is its bucket's first instant",
  }),
  metrics: Figures,
  comparison: Nullable(Figures),
});
export type StatsRow = Static<typeof StatsRow>;
export const StatsAnswer = Closed({
  ...answered,
  metrics: Type.Array(Type.String()),
  dimensions: Type.Array(Type.String()),
  comparison: Nullable(Closed({ from: Time, to: Time })),
  results: Type.Array(StatsRow),
  nextOffset: Nullable(Count),
});
export type StatsAnswer = Static<typeof StatsAnswer>;

export const StatsFunnelBody = Closed({
  ...asked,
  include: Include,
  steps: Type.Array(StatsGoal, { minItems: 2, maxItems: LIMITS.maxStatsSteps }),
  windowSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxStatsWindowSeconds,
      description: "from the first step to the last; default a day",
    }),
  ),
});
export type StatsFunnelBody = Static<typeof StatsFunnelBody>;
export const StatsFunnelAnswer = Closed({
  ...answered,
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
  ...asked,
  include: Include,
  period: OneOf(["day", "week", "month"]),
});
export type StatsRetentionBody = Static<typeof StatsRetentionBody>;
export const StatsRetentionAnswer = Closed({
  ...answered,
  cohorts: Type.Array(
    Closed({
      start: Time,
      visitors: Count,
      returned: Type.Array(Count, {
        description: "how many were there again in each period from this one to the last of the range",
      }),
    }),
  ),
});
export type StatsRetentionAnswer = Static<typeof StatsRetentionAnswer>;

export const StatsPathsBody = Closed({
  ...asked,
  include: Include,
  startPage: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.maxUrlLength,
      description: "a path; default the entry page",
    }),
  ),
  steps: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsSteps, description: "default 3" })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsPaths, description: "of each step; default 20" }),
  ),
});
export type StatsPathsBody = Static<typeof StatsPathsBody>;
export const StatsPathsAnswer = Closed({
  ...answered,
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
  ...asked,
  include: Include,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsRows, description: "default 100" }),
  ),
});
export type StatsPropertiesBody = Static<typeof StatsPropertiesBody>;
export const StatsPropertiesAnswer = Closed({
  ...answered,
  properties: Type.Array(
    Closed({
      name: Type.String({
        description: "as in property:<name>; of what lies within another, joined by dots",
      }),
      events: Count,
    }),
    { description: "the most frequent first" },
  ),
});
export type StatsPropertiesAnswer = Static<typeof StatsPropertiesAnswer>;

export const StatsSourceQuery = Closed({ organizationId: Type.Optional(Id), sourceId: Id });
export const StatsSourceAnswer = Closed({
  sourceId: Type.String(),
  name: Type.String(),
  lastEventAt: Nullable(Time),
});
export type StatsSourceAnswer = Static<typeof StatsSourceAnswer>;
export const StatsLiveAnswer = Closed({
  sourceId: Type.String(),
  at: Time,
  windowSeconds: Count,
  visitors: Count,
});
export type StatsLiveAnswer = Static<typeof StatsLiveAnswer>;

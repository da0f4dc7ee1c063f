/** The bodies and answers of stats queries (docs/api/stats.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  Count,
  count,
  Nullable,
  OneOf,
  SameOrganizationId,
  SourceId,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./shapes.ts";
import { Accuracy, AccuracyChoice } from "./stats-accuracy.ts";
import { Attribution } from "./stats-attribution.ts";
import { StatsGoal } from "./stats-goal.ts";
import { DateRange, StatsComparison } from "./stats-range.ts";
import * as words from "./stats-words.ts";

export type StatsMetric =
  | (typeof words.STATS_METRICS)[number]
  | `${(typeof words.STATS_PROPERTY_METRICS)[number]}:${string}`;
export type StatsDimension =
  | (typeof words.STATS_TEXT_DIMENSIONS)[number]
  | (typeof words.STATS_CLOCK_DIMENSIONS)[number]
  | typeof words.STATS_GOAL_DIMENSION
  | `time:${(typeof words.STATS_GRAINS)[number]}`
  | `property:${string}`;
export type StatsScalar = string | number | boolean | null;

const anyOf = (names: readonly string[]) => names.join("|");
const PROPERTY = `[^\\u0000]{1,${LIMITS.maxStatsPropertyLength}}`;

export const StatsMetric = Type.Unsafe<StatsMetric>({
  type: "string",
  pattern: `^(?:${anyOf(words.STATS_METRICS)}|(?:${anyOf(words.STATS_PROPERTY_METRICS)}):${PROPERTY})$`,
  description: `one of ${words.STATS_METRICS.join(", ")}, or <${words.STATS_PROPERTY_METRICS.join(", ")}>:<property>`,
});
export const StatsDimension = Type.Unsafe<StatsDimension>({
  type: "string",
  pattern: `^(?:${anyOf([...words.STATS_TEXT_DIMENSIONS, ...words.STATS_CLOCK_DIMENSIONS])}|${words.STATS_GOAL_DIMENSION}|time:(?:${anyOf(words.STATS_GRAINS)})|property:${PROPERTY})$`,
  description: `one of ${[...words.STATS_TEXT_DIMENSIONS, ...words.STATS_CLOCK_DIMENSIONS].join(", ")}, ${words.STATS_GOAL_DIMENSION}, time:<${words.STATS_GRAINS.join(", ")}>, or property:<name>`,
});
/** A dimension with a value in each event or session. */
export type StatsValueDimension =
  | (typeof words.STATS_TEXT_DIMENSIONS)[number]
  | Extract<StatsDimension, `property:${string}`>;
const StatsValueDimension = Type.Unsafe<StatsValueDimension>({
  type: "string",
  pattern: `^(?:${anyOf(words.STATS_TEXT_DIMENSIONS)}|property:${PROPERTY})$`,
  description: `the dimension of the segments: one of ${words.STATS_TEXT_DIMENSIONS.join(", ")}, or property:<name>`,
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
const nested = (description: string) => ({
  type: "array",
  items: { $ref: "#" },
  minItems: 1,
  maxItems: LIMITS.maxStatsFilters,
  description,
});
/** One schema for all forms, so that an error is reported once. The server checks that a filter has one form. */
export const StatsFilter = Type.Unsafe<StatsFilter>({
  $id: "StatsFilter",
  type: "object",
  properties: {
    dimension: StatsDimension,
    operator: OneOf(words.STATS_OPERATORS, { description: "How the dimension is compared with the value." }),
    value: {
      type: [...SCALARS, "array"],
      maxLength: LIMITS.maxStatsValueLength,
      items: { type: SCALARS, maxLength: LIMITS.maxStatsValueLength },
      minItems: 1,
      maxItems: LIMITS.maxStatsValues,
      description: "A list for `in`, one value for every other operator. null matches a missing value.",
    },
    and: nested("All of these filters."),
    or: nested("One of these filters."),
    not: { $ref: "#", description: "Not this filter." },
    sessionHas: { $ref: "#", description: "An event of the same session satisfies this filter." },
  },
  additionalProperties: false,
  description:
    "A condition, `{dimension, operator, value}`, or one of `{and: […]}`, `{or: […]}`, `{not: …}` and `{sessionHas: …}`.",
});

/** The members of every query. */
export const queryMembers = {
  organizationId: SameOrganizationId,
  sourceId: SourceId,
  dateRange: DateRange,
  accuracy: Type.Optional(AccuracyChoice),
  timezone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`.",
    }),
  ),
  filters: Type.Optional(
    Type.Array(StatsFilter, {
      maxItems: LIMITS.maxStatsFilters,
      description: "An event must satisfy all of them.",
    }),
  ),
};
const bots = Type.Optional(Type.Boolean({ description: "true: events of bots count too." }));
const asksExcluded = Type.Optional(
  Type.Boolean({ description: "false: `excluded` is null, which is faster. Default: true." }),
);
export const Include = Type.Optional(
  Closed({ bots, excluded: asksExcluded }, { description: "What else to count." }),
);

const excludedBots = count("Events of bots. 0 when they are included.");
const Excluded = Closed({ bots: excludedBots }, { description: "What the figures leave out." });

/** The members of every answer. */
export const answerMembers = {
  sourceId: text("The id of the source."),
  timezone: text("The time zone of the days."),
  from: time("The start of the range."),
  to: time("The end of the range, exclusive."),
  incomplete: Type.Boolean({
    description: "true: the warehouse has lost events in the range, so the figures are too low.",
  }),
  excluded: Nullable(Excluded),
  accuracy: Accuracy,
};

export const StatsQueryBody = Closed({
  ...queryMembers,
  sourceId: Type.Optional(SourceId),
  sourceIds: Type.Optional(
    Type.Array(SourceId, {
      minItems: 1,
      maxItems: LIMITS.maxStatsSources,
      uniqueItems: true,
      description: "Several sources of one workspace, instead of `sourceId`.",
    }),
  ),
  metrics: Type.Array(StatsMetric, {
    minItems: 1,
    maxItems: LIMITS.maxStatsMetrics,
    uniqueItems: true,
    description: `${words.describeStatsWords(words.STATS_METRIC_DESCRIPTIONS)} Of a property: ${words.describeStatsWords(words.STATS_PROPERTY_METRIC_DESCRIPTIONS)}`,
  }),
  dimensions: Type.Optional(
    Type.Array(StatsDimension, {
      maxItems: LIMITS.maxStatsDimensions,
      uniqueItems: true,
      description: `${words.describeStatsWords({ ...words.STATS_DIMENSION_DESCRIPTIONS, ...words.STATS_CLOCK_DIMENSION_DESCRIPTIONS })} \`goal\`: each goal of the source that an event reaches, with the metrics ${words.STATS_BY_GOAL_METRICS.join(", ")}.`,
    }),
  ),
  goal: Type.Optional(StatsGoal),
  currency: Type.Optional(
    Type.String({
      pattern: "^[A-Z]{3}$",
      description: "Revenue metrics count only amounts in this currency (ISO 4217).",
    }),
  ),
  attribution: Type.Optional(Attribution),
  orderBy: Type.Optional(
    Type.Array(
      Closed({
        field: Type.String({
          minLength: 1,
          maxLength: LIMITS.maxStatsPropertyLength + 10,
          description: "A metric or a dimension of the query.",
        }),
        direction: OneOf(["asc", "desc"], { description: "The order." }),
      }),
      {
        maxItems: LIMITS.maxStatsMetrics,
        description: "How rows are sorted. Default: by time, or else by the first metric, the largest first.",
      },
    ),
  ),
  include: Type.Optional(
    Closed(
      {
        bots,
        excluded: asksExcluded,
        comparison: Type.Optional(StatsComparison),
        total: Type.Optional(
          Type.Boolean({
            description:
              "true: the response has `total`, `other` and each row's share of the total. Not by goal.",
          }),
        ),
      },
      { description: "What else to count and return." },
    ),
  ),
  pagination: Type.Optional(
    Closed(
      {
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: LIMITS.maxStatsRows,
            description: `The maximum number of rows. Default: ${LIMITS.maxStatsRows}.`,
          }),
        ),
        offset: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: LIMITS.maxStatsOffset,
            description: "Rows to skip. Default: 0.",
          }),
        ),
      },
      { description: "Which rows to return." },
    ),
  ),
});
export type StatsQueryBody = Static<typeof StatsQueryBody>;

const Scalar = Type.Unsafe<StatsScalar>({ type: SCALARS });
const Figures = Type.Array(Nullable(Type.Number()), {
  description:
    "The figures, in the order of the query. Rates are from 0 to 1; `sessionDuration` is in seconds. null: undefined, because the divisor is 0 or because the metric cannot be combined over several rows.",
});
const comparedFigures = Nullable(Figures, {
  description: "Those of the compared period; null: not requested.",
});
export const StatsTotal = Closed({ metrics: Figures, comparison: comparedFigures });
export type StatsTotal = Static<typeof StatsTotal>;
export const StatsRow = Closed({
  dimensions: Type.Array(Scalar, {
    description:
      "The values, in the order of the query. null: the value is missing. A time is the start of its bucket.",
  }),
  metrics: Figures,
  comparison: Nullable(Figures, {
    description:
      "The figures of the compared period; null: not requested, or the time bucket has no counterpart.",
  }),
  complete: Nullable(Type.Boolean(), {
    description:
      "false: the time bucket is not over, or lies in the range in part only. null: no time dimension.",
  }),
  share: Nullable(Figures, {
    description:
      "Each figure's share of the total; null for rates, means, percentiles, and rolling metrics by time. null: not requested.",
  }),
});
export type StatsRow = Static<typeof StatsRow>;
export const StatsAnswer = Closed({
  ...answerMembers,
  metrics: Type.Array(Type.String(), { description: "The metrics of the query." }),
  dimensions: Type.Array(Type.String(), { description: "The dimensions of the query." }),
  comparison: Nullable(
    Closed({ from: time("The start of the period."), to: time("The end of the period, exclusive.") }),
    { description: "The compared period; null: not requested." },
  ),
  results: Type.Array(StatsRow, { description: "The rows." }),
  sources: Nullable(
    Closed({
      sourceIds: Type.Array(Type.String(), { description: "Their ids." }),
      visitors: OneOf(["joined"], {
        description: "`joined`: a visitor or user with the same id in several sources counts once.",
      }),
    }),
    { description: "The sources of a query over several; null: it covers one." },
  ),
  total: Nullable(StatsTotal, {
    description: "The figures of all rows of all pages together; null: not requested.",
  }),
  other: Nullable(StatsTotal, {
    description:
      "The figures of all rows that are not on this page together; null: the page has all of them, or not requested.",
  }),
  nextOffset: Nullable(Count, { description: "The `offset` of the next rows; null: these are the last." }),
});
export type StatsAnswer = Static<typeof StatsAnswer>;

/** What makes a funnel. */
export const funnelMembers = {
  steps: Type.Array(StatsGoal, {
    minItems: 2,
    maxItems: LIMITS.maxStatsSteps,
    description: "The steps that a visitor takes, in order.",
  }),
  windowSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxStatsWindowSeconds,
      description: "The maximum time from the first step to the last. Default: one day.",
    }),
  ),
  within: Type.Optional(
    OneOf(words.STATS_FUNNEL_SCOPES, {
      description: "`session`: all steps are in one session. Default: `visitor`.",
    }),
  ),
};
export const StatsFunnelBody = Closed({
  ...queryMembers,
  include: Type.Optional(
    Closed(
      {
        bots,
        excluded: asksExcluded,
        times: Type.Optional(
          Type.Boolean({ description: "true: steps have `seconds`. Default: false, which is faster." }),
        ),
      },
      { description: "What else to count and return." },
    ),
  ),
  ...funnelMembers,
  dimension: Type.Optional(StatsValueDimension),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxStatsSegments,
      description: "The maximum number of segments. Default: 5.",
    }),
  ),
});
export type StatsFunnelBody = Static<typeof StatsFunnelBody>;

const StepSeconds = (description: string) =>
  Closed(
    {
      median: Type.Number({ description: "The median." }),
      p90: Type.Number({ description: "The 90th percentile." }),
    },
    { description },
  );
const StatsFunnelStep = Closed({
  visitors: count("Visitors who took this step and all before it."),
  shareOfFirst: Nullable(Type.Number(), {
    description: "The share of the visitors of the first step, from 0 to 1.",
  }),
  shareOfPrevious: Nullable(Type.Number(), {
    description: "The share of the visitors of the step before, from 0 to 1.",
  }),
  seconds: Nullable(
    Closed({
      sincePrevious: StepSeconds("Seconds from the step before."),
      sinceFirst: StepSeconds("Seconds from the first step."),
    }),
    {
      description:
        "How long visitors took. null: not requested, the first step, or no visitor took the step.",
    },
  ),
});
export type StatsFunnelStep = Static<typeof StatsFunnelStep>;
const funnelSteps = Type.Array(StatsFunnelStep, { description: "The steps, in order." });
export const StatsFunnelAnswer = Closed({
  ...answerMembers,
  windowSeconds: count("The maximum time from the first step to the last."),
  steps: funnelSteps,
  segments: Nullable(
    Type.Array(
      Closed({
        value: Type.Unsafe<StatsScalar>({ type: SCALARS, description: "The value. null: it is missing." }),
        steps: funnelSteps,
      }),
      {
        description: "The segments, those with the most visitors of the first step first.",
      },
    ),
    { description: "The same by `dimension`; null: the query has none." },
  ),
});
export type StatsFunnelAnswer = Static<typeof StatsFunnelAnswer>;

export const StatsRetentionBody = Closed({
  ...queryMembers,
  include: Include,
  period: OneOf(["day", "week", "month"], { description: "The length of a period." }),
  cohort: Type.Optional(
    OneOf(words.STATS_COHORTS, {
      description:
        "The cohort of a visitor is the period of: `firstVisit` (default), the first visit ever; `firstInRange`, the first event in the range.",
    }),
  ),
  cohortGoal: Type.Optional(StatsGoal),
  returnGoal: Type.Optional(StatsGoal),
});
export type StatsRetentionBody = Static<typeof StatsRetentionBody>;
export const StatsRetentionAnswer = Closed({
  ...answerMembers,
  cohorts: Type.Array(
    Closed({
      start: time("The start of the cohort's period."),
      visitors: count("Visitors who came first in this period, with an event in the range."),
      returned: Type.Array(Count, {
        description:
          "Visitors of this cohort in each period, from the cohort's own period to the last of the range.",
      }),
    }),
    { description: "The cohorts, oldest first." },
  ),
});
export type StatsRetentionAnswer = Static<typeof StatsRetentionAnswer>;

/** A page, or an event that is no page view. */
const PathPlace = Type.Union([
  Type.String({ minLength: 1, maxLength: LIMITS.maxUrlLength, description: "The path of a page." }),
  Closed({
    event: Type.String({
      minLength: 1,
      maxLength: LIMITS.maxStatsValueLength,
      description: "The name of an event.",
    }),
  }),
]);
export type PathPlace = Static<typeof PathPlace>;
export const StatsPathsBody = Closed({
  ...queryMembers,
  include: Type.Optional(
    Closed(
      {
        bots,
        excluded: asksExcluded,
        events: Type.Optional(
          Type.Boolean({ description: "true: actions are steps too. Default: false: pages alone." }),
        ),
      },
      { description: "What else to count and return." },
    ),
  ),
  startPage: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.maxUrlLength,
      description: "A path. Default: the entry page.",
    }),
  ),
  startEvent: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.maxStatsValueLength,
      description: "The name of an event, instead of `startPage`.",
    }),
  ),
  through: Type.Optional(
    Type.Array(PathPlace, {
      maxItems: LIMITS.maxStatsSteps,
      description:
        "The pages and events that the path begins with, in order. Each step counts only the sessions that followed them up to that step.",
    }),
  ),
  steps: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.maxStatsSteps, description: "How many pages. Default: 3." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxStatsPaths,
      description: "Paths of each step. Default: 20.",
    }),
  ),
});
export type StatsPathsBody = Static<typeof StatsPathsBody>;
export const StatsPathsAnswer = Closed({
  ...answerMembers,
  paths: Type.Array(
    Closed({
      step: Type.Integer({ minimum: 1, description: "The number of the step." }),
      from: text("The path of the page, or the name of the event."),
      fromEvent: Type.Optional(
        Type.Boolean({ description: "Whether `from` is an event. Only with `include.events`." }),
      ),
      to: textOrNull("What came next; null: the session ended."),
      toEvent: Type.Optional(
        Type.Boolean({ description: "Whether `to` is an event. Only with `include.events`." }),
      ),
      sessions: count("Sessions that went this way."),
    }),
    { description: "The paths of each step, most frequent first." },
  ),
});
export type StatsPathsAnswer = Static<typeof StatsPathsAnswer>;

export const StatsPropertiesBody = Closed({
  ...queryMembers,
  include: Include,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxStatsRows,
      description: "The maximum number of names. Default: 100.",
    }),
  ),
});
export type StatsPropertiesBody = Static<typeof StatsPropertiesBody>;
export const StatsPropertiesAnswer = Closed({
  ...answerMembers,
  properties: Type.Array(
    Closed({
      name: Type.String({
        description: "The name, as in `property:<name>`. Nested properties are joined by dots.",
      }),
      events: count("Events that have the property, without passive ones."),
    }),
    { description: "The properties, most frequent first." },
  ),
});
export type StatsPropertiesAnswer = Static<typeof StatsPropertiesAnswer>;

export const StatsUnlockBody = Closed({
  token: Type.String({ minLength: 1, maxLength: 256, description: "The token of the share link." }),
  password: Type.String({
    minLength: 1,
    maxLength: LIMITS.maxPasswordLength,
    description: "The password of the share link.",
  }),
});
export const StatsUnlockAnswer = Closed({
  token: text("The bearer token to read the stats with."),
  expiresAt: time("When the password has to be given again."),
});

export const StatsSourceQuery = Closed({ organizationId: SameOrganizationId, sourceId: SourceId });
export const StatsSourceAnswer = Closed({
  sourceId: text("The id of the source."),
  name: text("The name of the source."),
  lastEventAt: timeOrNull("When an event was last accepted; null: never."),
  missingEvents: Nullable(
    Closed({
      events: count("How many are missing."),
      firstDay: Type.String({ format: "date", description: "The first day with missing events, in UTC." }),
      lastDay: Type.String({ format: "date", description: "The last day with missing events, in UTC." }),
    }),
    {
      description:
        "Events that were accepted and that the warehouse has lost; null: none, as far as is known.",
    },
  ),
});
export type StatsSourceAnswer = Static<typeof StatsSourceAnswer>;
export const StatsLiveAnswer = Closed({
  sourceId: text("The id of the source."),
  at: time("When the visitors were counted."),
  windowSeconds: count("The length of the window that ends then."),
  visitors: count("Visitors in the window."),
  excluded: Excluded,
});
export type StatsLiveAnswer = Static<typeof StatsLiveAnswer>;

const { sourceId, timezone, from, to, accuracy } = answerMembers;
export const StatsHostSplitAnswer = Closed({
  sourceId,
  timezone,
  from,
  to,
  accuracy,
  split: Nullable(
    Closed({
      fromHost: text("The host that they came from."),
      toHost: text("The host that they came to."),
      visitors: count("Visitors who came this way and have other ids on the two hosts."),
      option: OneOf(["crossSubdomain", "linkDomains"], {
        description: "The option of the client that makes them one visitor on both hosts.",
      }),
    }),
    { description: "The two hosts with the most such visitors; null: none, or too few to tell." },
  ),
});
export type StatsHostSplitAnswer = Static<typeof StatsHostSplitAnswer>;

/**
 * The fields of a source that its users set (docs/api/sources.md). Each field is declared three times, here and
 * nowhere else: its schema in a source, its schema in a request body, and its value in a new source. The compiler reports
 * a field that one of the three lacks. CONTRIBUTING.md has the recipe for a new field.
 */
import Type, { type Static, type TSchema } from "typebox";
import { CHANNEL_RULE_FIELDS, CHANNELS } from "./channels.ts";
import { GOAL_OPERATORS } from "./goal-text.ts";
import { LIMITS } from "./limits.ts";
import { Closed, Maybe, Nullable, OneOf, text } from "./shapes.ts";
import { PAGE_PATTERN, PARAMETER_NAME, PATH_PATTERN } from "./source/source-lines.ts";

/** `apart`: stored, marked as bots, and left out of stats by default. `reject`: not stored. `keep`: stored unmarked. */
export const BOT_POLICIES = ["apart", "reject", "keep"] as const;
export type BotPolicy = (typeof BOT_POLICIES)[number];

const Name = Type.String({
  minLength: 1,
  description: "1 to 120 characters after trimming, without control characters",
});
const Slug = Type.String({
  pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
  maxLength: LIMITS.maxSlugLength,
  description: "words of lower-case letters (a to z) and digits, joined by single hyphens, such as my-shop",
});
const ORIGINS =
  "The origins whose pages can send events. Each is `scheme://host[:port]`. `https://*.example.com`, `http://localhost:*` and `*` are patterns. `[]` refuses every browser.";
const Origins = Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.maxOriginLength }), {
  maxItems: LIMITS.maxAllowedOrigins,
  description: ORIGINS,
});
const EMBED_ORIGINS =
  "The origins whose pages can show the source's share links in a frame, in the form of `allowedOrigins`. Empty: none can.";
const EmbedOrigins = Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.maxOriginLength }), {
  maxItems: LIMITS.maxEmbedOrigins,
  description: EMBED_ORIGINS,
});
const FrameworkHint = Nullable(
  Type.String({
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    description:
      "a framework's name of at most 64 letters, digits, dots, hyphens and underscores, such as nextjs",
  }),
);
const PathPattern = Type.String({
  pattern: PATH_PATTERN,
  maxLength: LIMITS.maxPathPatternLength,
  description: "a path that starts with / and has no spaces, ? or #; * matches any characters, / included",
});
const ParameterName = Type.String({
  pattern: PARAMETER_NAME,
  maxLength: LIMITS.maxParameterLength,
  description:
    "the name of a query parameter, without spaces and & = ? #; a * at its end matches any characters",
});
const QUERY_PARAMETERS = {
  description:
    "Which query parameters are stored in addresses of pages. `all`; `campaign`: those that name a campaign, such as utm_source; or a list of names. Values of secret parameters are masked in any case.",
};
const QueryParameters = Type.Union(
  [OneOf(["all", "campaign"]), Type.Array(ParameterName, { maxItems: LIMITS.maxQueryParameters })],
  QUERY_PARAMETERS,
);
export type QueryParameters = Static<typeof QueryParameters>;

const PagePattern = Type.String({
  pattern: PAGE_PATTERN,
  maxLength: LIMITS.maxPathPatternLength,
  description:
    "a path that starts with / and has no spaces, ? or #; * matches any characters of one part, and ** (once) any number of parts",
});
const PATH_RULES = {
  description: "How paths are changed before they are stored, so that one page has one path.",
};
/** Rules for paths. They are applied in this order. */
export const PathRules = Closed(
  {
    removeIndex: Type.Boolean({ description: "`/shop/index.html` becomes `/shop/`." }),
    removeTrailingSlash: Type.Boolean({
      description: "`/shop/` becomes `/shop`, and `//shop` becomes `/shop`.",
    }),
    lowerCase: Type.Boolean({ description: "`/Shop` becomes `/shop`." }),
    patterns: Type.Array(PagePattern, {
      maxItems: LIMITS.maxPathRulePatterns,
      description: "A path becomes the first pattern that matches it: `/orders/17` becomes `/orders/*`.",
    }),
  },
  PATH_RULES,
);
export type PathRules = Static<typeof PathRules>;
export const PathRulesInput = Closed(
  {
    removeIndex: Type.Optional(PathRules.properties.removeIndex),
    removeTrailingSlash: Type.Optional(PathRules.properties.removeTrailingSlash),
    lowerCase: Type.Optional(PathRules.properties.lowerCase),
    patterns: Type.Optional(PathRules.properties.patterns),
  },
  PATH_RULES,
);

const EventName = Type.String({
  minLength: 1,
  maxLength: LIMITS.maxEventNameLength,
});
const GoalName = Type.String({
  minLength: 1,
  maxLength: LIMITS.maxNameLength,
  description: "The name of the goal, unique within the source.",
});
const GOAL_EVENT = { description: "An event with this name reaches the goal." };
const GOAL_PATH = { description: "A view of a page whose path matches this pattern reaches the goal." };

const GoalCondition = Closed({
  property: Type.String({
    minLength: 1,
    maxLength: LIMITS.maxStatsPropertyLength,
    pattern: "^[^\\u0000]+$",
    description: "The name of a property of the event.",
  }),
  operator: OneOf(GOAL_OPERATORS, {
    description:
      "How the property is compared with the value. `gt` and `lt` compare numbers; `contains` compares strings.",
  }),
  value: Type.Unsafe<string | number | boolean>({
    type: ["string", "number", "boolean"],
    maxLength: LIMITS.maxStatsValueLength,
    description: 'The value. The number 1 and the string "1" are different.',
  }),
});
export type GoalCondition = Static<typeof GoalCondition>;
const GOAL_CONDITIONS = {
  maxItems: LIMITS.maxGoalConditions,
  description:
    "Conditions on the properties of the event. An event that reaches the goal satisfies all of them.",
};

/** The precision of revenue, in units of a currency. */
const MIN_AMOUNT = 0.0001;
const GoalValue = Closed({
  amount: Type.Number({
    minimum: MIN_AMOUNT,
    maximum: LIMITS.maxRevenue,
    description: "The amount, with at most four decimal places.",
  }),
  currency: Type.String({
    minLength: 3,
    maxLength: 3,
    description: "An ISO 4217 code, such as EUR. Stored in capital letters.",
  }),
});
const GOAL_VALUE = {
  description: "The value of a conversion that has no revenue of its own. null: none.",
};

/** A goal is an event name or a path pattern. The other one is null. */
export const Goal = Closed({
  name: GoalName,
  event: Nullable(EventName, GOAL_EVENT),
  path: Nullable(PathPattern, GOAL_PATH),
  conditions: Type.Array(GoalCondition, GOAL_CONDITIONS),
  value: Nullable(GoalValue, GOAL_VALUE),
});
export type Goal = Static<typeof Goal>;
export const GoalInput = Closed({
  name: GoalName,
  event: Maybe(EventName, GOAL_EVENT),
  path: Maybe(PathPattern, GOAL_PATH),
  conditions: Type.Optional(Type.Array(GoalCondition, GOAL_CONDITIONS)),
  value: Maybe(GoalValue, GOAL_VALUE),
});

/** A named group of pages. */
export const ContentGroup = Closed({
  name: Type.String({
    minLength: 1,
    maxLength: LIMITS.maxNameLength,
    description: "The group's name, which is the value of the `contentGroup` dimension.",
  }),
  paths: Type.Array(PathPattern, {
    minItems: 1,
    maxItems: LIMITS.maxContentGroupPaths,
    description: "A page whose path matches one of these patterns belongs to the group.",
  }),
});
export type ContentGroup = Static<typeof ContentGroup>;
const CONTENT_GROUPS = {
  description: "Groups of pages for stats. A page belongs to the first one that it matches.",
};

const dailyLimit = (counted: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.maxDailyQuota }), {
    description: `${counted} a UTC day. A lower setting of the service applies instead; null: the service's setting.`,
  });

/** The limits that a source sets for itself. null: the server's default. */
export const SourceLimits = Closed({
  maxBatchSize: Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.maxBatchSizeCeiling }), {
    description: "Events in a batch; null: the service's default.",
  }),
  maxPayloadBytes: Nullable(Type.Integer({ minimum: 1_024, maximum: LIMITS.maxPayloadBytesCeiling }), {
    description: "Bytes of a body after decompression; null: the service's default.",
  }),
  clientRatePerSecond: Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.clientRatePerSecondCeiling }), {
    description: "Requests per second from one client address; null: the service's default.",
  }),
  eventsPerDay: dailyLimit("Accepted events"),
  bytesPerDay: dailyLimit("Bytes of the bodies of requests that stored something,"),
});
export type SourceLimits = Static<typeof SourceLimits>;

/** The privacy rules of a source. Its pages get them with the bootstrap response and follow them. */
export const Privacy = Closed({
  respectGpc: Type.Boolean({
    description: "Visitors with Global Privacy Control are not counted unless the page reports consent.",
  }),
  requireConsent: Type.Boolean({
    description: "Nothing is counted or stored in the browser before the page reports consent.",
  }),
});
export type Privacy = Static<typeof Privacy>;

const RetentionDays = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: LIMITS.maxRetentionDays,
  }),
  {
    description:
      "Events older than this many days are deleted from the warehouse; null: events are kept forever.",
  },
);
const KeepRejected = Type.Integer({
  minimum: 0,
  maximum: LIMITS.maxKeepRejectedDays,
  description:
    "Days to keep rejected events for replay. 0: the source keeps none, and kept events are deleted.",
});
const RequireOrigin = Type.Boolean({
  description: "Ingest requests without an Origin or Referer header are refused, unless they have a token.",
});
const IsActive = Type.Boolean({ description: "false: bootstrap and events are refused." });

const Bots = OneOf(BOT_POLICIES, {
  description:
    "What happens to bots' events. `apart`: they are stored, marked, and left out of stats by default. `reject`: they are not stored. `keep`: they are stored unmarked.",
});
const Engagement = Type.Boolean({
  description:
    "The snippets load the client with its optional part `engagement`, which measures time on page and scroll depth.",
});
const PRIVACY = { description: "The privacy rules that pages follow." };
const GOALS = {
  description: "The goals that stats can count. Each has either an event name or a path pattern.",
};
const EXCLUDED_PATHS = {
  description: "Events of pages whose path matches one of these patterns are rejected.",
};
/** An IPv6 address has at most 39 characters, its prefix four. */
const AddressRange = Type.String({ minLength: 1, maxLength: 43 });
const EXCLUDED_ADDRESSES = {
  description:
    "Events from these addresses are rejected, unless they have a token. Each entry is an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.0/24.",
};
/** A source's own rule for sources and channels. */
export const ChannelRule = Closed({
  field: OneOf(CHANNEL_RULE_FIELDS, {
    description:
      "What the pattern is compared with: the referrer's host without www., the source as the lists name it, utm_medium or utm_campaign.",
  }),
  pattern: Type.String({
    minLength: 1,
    maxLength: LIMITS.maxChannelRuleLength,
    description:
      "`*` matches any characters. Case does not matter. A visit without the value matches no pattern.",
  }),
  source: Nullable(Type.String({ minLength: 1, maxLength: LIMITS.maxChannelRuleLength }), {
    description: "The source of the visit; null: as without the rule.",
  }),
  channel: Nullable(OneOf(CHANNELS), {
    description: "The channel of the visit; null: as without the rule.",
  }),
});
export type ChannelRule = Static<typeof ChannelRule>;
const CHANNEL_RULES = {
  description:
    "The source's own rules for sources and channels. The first one that matches a visit wins over the service's lists.",
};
const SOURCE_LIMITS = { description: "The limits that the source sets for itself." };

/** As a source shows them. */
export const SOURCE_FIELDS = {
  name: text("The name that people see."),
  slug: text("A short name for addresses, unique within the workspace."),
  allowedOrigins: Type.Array(Type.String(), { description: ORIGINS }),
  frameworkHint: Nullable(Type.String(), {
    description: "The framework whose example the install page shows first, such as `nextjs`.",
  }),
  isActive: IsActive,
  requireOrigin: RequireOrigin,
  privacy: Privacy,
  engagement: Engagement,
  goals: Type.Array(Goal, GOALS),
  contentGroups: Type.Array(ContentGroup, CONTENT_GROUPS),
  bots: Bots,
  excludedPaths: Type.Array(PathPattern, EXCLUDED_PATHS),
  excludedAddresses: Type.Array(AddressRange, EXCLUDED_ADDRESSES),
  queryParameters: QueryParameters,
  pathRules: PathRules,
  channelRules: Type.Array(ChannelRule, CHANNEL_RULES),
  retentionDays: RetentionDays,
  keepRejected: KeepRejected,
  embedOrigins: Type.Array(Type.String(), { description: EMBED_ORIGINS }),
  limits: SourceLimits,
};
const SourceSettings = Closed(SOURCE_FIELDS);
export type SourceSettings = Static<typeof SourceSettings>;
export type SourceFieldName = keyof SourceSettings;

/** As the body of an update gives them. A list replaces the whole list. */
export const SOURCE_FIELD_INPUTS = {
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
  allowedOrigins: Type.Optional(Origins),
  frameworkHint: Type.Optional(FrameworkHint),
  isActive: Type.Optional(IsActive),
  requireOrigin: Type.Optional(RequireOrigin),
  privacy: Type.Optional(
    Closed(
      {
        respectGpc: Type.Optional(Privacy.properties.respectGpc),
        requireConsent: Type.Optional(Privacy.properties.requireConsent),
      },
      PRIVACY,
    ),
  ),
  engagement: Type.Optional(Engagement),
  goals: Type.Optional(Type.Array(GoalInput, { maxItems: LIMITS.maxGoals, ...GOALS })),
  contentGroups: Type.Optional(
    Type.Array(ContentGroup, { maxItems: LIMITS.maxContentGroups, ...CONTENT_GROUPS }),
  ),
  bots: Type.Optional(Bots),
  excludedPaths: Type.Optional(
    Type.Array(PathPattern, { maxItems: LIMITS.maxExcludedPaths, ...EXCLUDED_PATHS }),
  ),
  excludedAddresses: Type.Optional(
    Type.Array(AddressRange, { maxItems: LIMITS.maxExcludedAddresses, ...EXCLUDED_ADDRESSES }),
  ),
  queryParameters: Type.Optional(QueryParameters),
  pathRules: Type.Optional(PathRulesInput),
  channelRules: Type.Optional(
    Type.Array(ChannelRule, { maxItems: LIMITS.maxChannelRules, ...CHANNEL_RULES }),
  ),
  retentionDays: Type.Optional(RetentionDays),
  keepRejected: Type.Optional(KeepRejected),
  embedOrigins: Type.Optional(EmbedOrigins),
  limits: Type.Optional(
    Closed(
      {
        maxBatchSize: Type.Optional(SourceLimits.properties.maxBatchSize),
        maxPayloadBytes: Type.Optional(SourceLimits.properties.maxPayloadBytes),
        clientRatePerSecond: Type.Optional(SourceLimits.properties.clientRatePerSecond),
        eventsPerDay: Type.Optional(SourceLimits.properties.eventsPerDay),
        bytesPerDay: Type.Optional(SourceLimits.properties.bytesPerDay),
      },
      SOURCE_LIMITS,
    ),
  ),
} satisfies Record<SourceFieldName, TSchema>;

/** In the body of a create the name is required, and `limits` cannot be set. */
const { limits: _limits, ...createInputs } = SOURCE_FIELD_INPUTS;
export const SOURCE_CREATE_INPUTS = { ...createInputs, name: Name, slug: Maybe(Slug) };

/** The values of a new source. Its name is given, and its slug is given or made from the name. */
export const SOURCE_DEFAULTS: Readonly<Omit<SourceSettings, "name" | "slug">> = {
  allowedOrigins: [],
  frameworkHint: null,
  isActive: true,
  requireOrigin: false,
  privacy: { respectGpc: false, requireConsent: false },
  engagement: true,
  goals: [],
  contentGroups: [],
  bots: "apart",
  excludedPaths: [],
  excludedAddresses: [],
  queryParameters: "campaign",
  pathRules: { removeIndex: false, removeTrailingSlash: false, lowerCase: false, patterns: [] },
  channelRules: [],
  retentionDays: null,
  keepRejected: 7,
  embedOrigins: [],
  limits: {
    maxBatchSize: null,
    maxPayloadBytes: null,
    clientRatePerSecond: null,
    eventsPerDay: null,
    bytesPerDay: null,
  },
};

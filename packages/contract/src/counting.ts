/** How a source's events are counted and kept (CONTRACT section 2). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Maybe, Nullable, OneOf } from "./shapes.ts";

/** `apart`: marked, and left out of the numbers unless asked for. */
export const BOT_POLICIES = ["apart", "reject", "keep"] as const;
export type BotPolicy = (typeof BOT_POLICIES)[number];

const PathPattern = Type.String({
  pattern: "^/[^\\s?#]*$",
  maxLength: LIMITS.maxPathPatternLength,
  description:
    "a path that begins with /, without spaces, ? and #; * stands for any characters, / among them",
});
const EventName = Type.String({ minLength: 1, maxLength: LIMITS.maxEventNameLength });
const GoalName = Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength });

/** One of the two is null. */
export const Goal = Closed({ name: GoalName, event: Nullable(EventName), path: Nullable(PathPattern) });
export type Goal = Static<typeof Goal>;

export const Counting = {
  goals: Type.Array(Goal),
  bots: OneOf(BOT_POLICIES),
  excludedPaths: Type.Array(PathPattern),
  retentionDays: Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.maxRetentionDays })),
};
export interface Counting {
  goals: Goal[];
  bots: BotPolicy;
  /** Patterns. */
  excludedPaths: string[];
  /** null: for ever. */
  retentionDays: number | null;
}
export const DEFAULT_COUNTING: Readonly<Counting> = {
  goals: [],
  bots: "apart",
  excludedPaths: [],
  retentionDays: null,
};

/** What a body may say of it; a list replaces the whole list. */
export const CountingPatch = {
  goals: Type.Optional(
    Type.Array(Closed({ name: GoalName, event: Maybe(EventName), path: Maybe(PathPattern) }), {
      maxItems: LIMITS.maxGoals,
      description: "each an event's name or a path pattern",
    }),
  ),
  bots: Type.Optional(Counting.bots),
  excludedPaths: Type.Optional(Type.Array(PathPattern, { maxItems: LIMITS.maxExcludedPaths })),
  retentionDays: Type.Optional(Counting.retentionDays),
};

/** The items that members save for the stats of a source: segments, funnels and annotations (docs/api/reports.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  flag,
  Maybe,
  Nullable,
  OneOf,
  SameOrganizationId,
  text,
  textOrNull,
  time,
} from "./shapes.ts";
import { StatsFilter } from "./stats.ts";
import { StatsGoal } from "./stats-goal.ts";

const SAVED_KINDS = ["segment", "funnel", "annotation"] as const;
export type SavedKind = (typeof SAVED_KINDS)[number];

const kind = OneOf(SAVED_KINDS, {
  description:
    "`segment`: filters with a name. `funnel`: steps with a name. `annotation`: a note on a day, which the chart shows.",
});
const filters = Type.Array(StatsFilter, {
  minItems: 1,
  maxItems: LIMITS.maxStatsFilters,
  description: "The filters of a segment.",
});
const steps = Type.Array(StatsGoal, {
  minItems: 2,
  maxItems: LIMITS.maxStatsSteps,
  description: "The steps of a funnel.",
});
const windowSeconds = Type.Integer({
  minimum: 1,
  maximum: LIMITS.maxStatsWindowSeconds,
  description: "The maximum time from the first step of a funnel to the last. Default: one day.",
});
const day = Type.String({ format: "date", description: "The day of an annotation, such as 2026-11-21." });

export const CreateSavedItemBody = Closed({
  organizationId: SameOrganizationId,
  kind,
  name: Type.String({
    minLength: 1,
    maxLength: LIMITS.maxNameLength,
    description: "Its name, or the text of an annotation.",
  }),
  shared: Type.Optional(
    Type.Boolean({
      description:
        "true: all members of the workspace can see it, which needs `sources:write`. Default: only you can.",
    }),
  ),
  filters: Maybe(filters, { description: "Required for a segment, and only allowed there." }),
  steps: Maybe(steps, { description: "Required for a funnel, and only allowed there." }),
  windowSeconds: Maybe(windowSeconds, {
    description: "For a funnel: the time for all steps. Default: one day.",
  }),
  day: Maybe(day, { description: "Required for an annotation, and only allowed there." }),
});
export type CreateSavedItemBody = Static<typeof CreateSavedItemBody>;

export const SavedItem = Closed({
  savedId: text("Its id."),
  kind,
  name: text("Its name, or the text of an annotation."),
  shared: flag("true: all members of the workspace can see it."),
  userId: textOrNull("Who saved it. null: another user, whom only callers with `members:manage` can see."),
  createdAt: time("When it was saved."),
  filters: Nullable(filters, { description: "The filters of a segment; null for other kinds." }),
  steps: Nullable(steps, { description: "The steps of a funnel; null for other kinds." }),
  windowSeconds: Nullable(windowSeconds, { description: "For a funnel; null: one day." }),
  day: Nullable(day, { description: "The day of an annotation; null for other kinds." }),
});
export type SavedItem = Static<typeof SavedItem>;

export const SavedItemList = Closed({
  items: Type.Array(SavedItem, { description: "Shared items and your own, oldest first." }),
});
export const DeletedSavedItem = Closed({
  savedId: text("The id of the deleted item."),
  deletedAt: time("When it was deleted."),
});

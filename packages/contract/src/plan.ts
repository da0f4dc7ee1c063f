/** The tracking plan of a source: what its events should look like (docs/api/tracking-plan.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  Count,
  count,
  FreeObject,
  Maybe,
  OneOf,
  SameOrganizationId,
  textOrNull,
  timeOrNull,
} from "./shapes.ts";

/** `warn`: the event is accepted with the warning `plan_violation`. `reject`: it is rejected with that code. */
const PLAN_MODES = ["off", "warn", "reject"] as const;
export type PlanMode = (typeof PLAN_MODES)[number];
const UNKNOWN_EVENT_RULES = ["allow", "warn", "reject"] as const;

/** JSON Schema by which plans are written. */
export const PLAN_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

export const PlannedEvent = Closed(
  {
    mode: Maybe(OneOf(PLAN_MODES), { description: "The mode of this event; null: that of the plan." }),
    schema: Type.Unsafe<Record<string, unknown>>({
      ...FreeObject,
      description:
        "A JSON Schema (2020-12) of the event's `properties`. docs/api/tracking-plan.md lists the keywords.",
    }),
  },
  { description: "What the events of one name should look like." },
);
export type PlannedEvent = Static<typeof PlannedEvent>;

export const TrackingPlan = Closed(
  {
    mode: OneOf(PLAN_MODES, {
      description:
        "What happens to an event that violates the plan. `off`: nothing. `warn`: it is accepted with the warning `plan_violation`. `reject`: it is rejected with the code `plan_violation`.",
    }),
    unknownEvents: OneOf(UNKNOWN_EVENT_RULES, {
      description: "How `track` events whose name is not in the plan are treated, unless `mode` is `off`.",
    }),
    events: Type.Record(Type.String(), PlannedEvent, {
      maxProperties: LIMITS.maxPlannedEvents,
      description: "The planned events by name. Page views have the name `page_view`.",
    }),
  },
  { description: "A tracking plan." },
);
export type TrackingPlan = Static<typeof TrackingPlan>;

const VERSION_FIELDS = {
  version: count("The number of the version; 0: the source has no plan."),
  createdAt: timeOrNull("When the version was saved; null: the source has no plan."),
  userId: textOrNull("Who saved it. Another user's id is only for callers with `members:manage`."),
  tokenId: textOrNull("The token with which it was saved."),
};

export const PlanVersion = Closed({ ...VERSION_FIELDS, plan: TrackingPlan });
export type PlanVersion = Static<typeof PlanVersion>;

export const PlanVersionList = Closed({
  versions: Type.Array(Closed(VERSION_FIELDS), {
    description: `The last ${LIMITS.maxPlanVersions} versions, the newest first.`,
  }),
});

export const PlanProposal = Closed({
  version: count("The current version of the plan. Save the proposal with it as `baseVersion`."),
  plan: TrackingPlan,
  addedEvents: Type.Array(Type.String(), {
    description: "The events that the current plan does not have, the most frequent first.",
  }),
  leftOut: count("Further events in the catalogue for which the plan has no room."),
});
export type PlanProposal = Static<typeof PlanProposal>;

export const PlanQuery = Closed({
  organizationId: SameOrganizationId,
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: "An earlier version. Default: the current one." }),
  ),
});

export const SavePlanBody = Closed({
  organizationId: SameOrganizationId,
  baseVersion: Maybe(Count, {
    description:
      "The version that was edited. If another one is current, the response is 409. null: not checked.",
  }),
  plan: TrackingPlan,
});
export type SavePlanBody = Static<typeof SavePlanBody>;

/** The latest visits behind a figure of the stats (docs/api/stats.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "../limits.ts";
import { Closed, count, SameOrganizationId, text, textOrNull, time } from "../shapes.ts";
import { answerMembers, funnelMembers, Include, queryMembers } from "../stats.ts";

export const StatsVisitsBody = Closed({
  ...queryMembers,
  organizationId: SameOrganizationId,
  include: Include,
  funnel: Type.Optional(
    Closed(
      {
        ...funnelMembers,
        reached: Type.Integer({
          minimum: 1,
          maximum: LIMITS.maxStatsSteps,
          description: "How many steps these visitors took, and no more.",
        }),
      },
      { description: "Only the visits in which visitors took their last step of this funnel." },
    ),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxPageSize,
      description: "The maximum number of visits. Default: 25.",
    }),
  ),
});
export type StatsVisitsBody = Static<typeof StatsVisitsBody>;

export const StatsVisit = Closed({
  sessionId: text("The session."),
  anonymousId: text("The anonymous id of the visitor."),
  userId: textOrNull("The user id of the visitor; null: none."),
  startedAt: time("When it began."),
  lastActiveAt: time("When its last event that is not passive happened."),
  seconds: Type.Number({
    description: "How long it lasted until now, with the engaged time after its last event.",
  }),
  pageviews: count("Page views."),
  actions: count("Actions: events that are neither page views nor passive."),
  entryPage: textOrNull("The path of the first page; null: none."),
  lastPage: textOrNull("The path of the last page; null: none."),
  lastEvent: text("The name of the last event that is not passive."),
  source: textOrNull("Where the visit came from; null: direct or unknown."),
  channel: textOrNull("The channel; null: unknown."),
  country: textOrNull("The country; null: unknown."),
  region: textOrNull("The region; null: unknown."),
  city: textOrNull("The city; null: unknown."),
  device: textOrNull("The type of the device; null: unknown."),
  os: textOrNull("The operating system; null: unknown."),
  browser: textOrNull("The browser; null: unknown."),
});
export type StatsVisit = Static<typeof StatsVisit>;
export const StatsVisitsAnswer = Closed({
  ...answerMembers,
  visits: Type.Array(StatsVisit, { description: "The visits, the latest active first." }),
});
export type StatsVisitsAnswer = Static<typeof StatsVisitsAnswer>;

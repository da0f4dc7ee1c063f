/** Erasure of a visitor's data (docs/api/erasure.md). */
import type { Static } from "typebox";
import { Closed, id, Maybe, OneOf, OrganizationId, text, textOrNull, time, timeOrNull } from "./shapes.ts";

/** The ids that can name a visitor. */
const VISITOR_KINDS = ["anonymousId", "userId"] as const;
export type VisitorKind = (typeof VISITOR_KINDS)[number];

/**
 * The steps of an erasure. `ledger`: it deletes waiting events, sessions and debug snapshots. `shipping`: it waits until
 * earlier pages are in the warehouse. `warehouse`: it deletes the rows there.
 */
const ERASURE_STATUSES = ["ledger", "shipping", "warehouse", "done"] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

export const EraseBody = Closed(
  {
    organizationId: OrganizationId,
    sourceId: Maybe(id("The source. Without it: every source of the workspace.")),
    anonymousId: Maybe(id("The visitor's anonymous id.")),
    userId: Maybe(id("The visitor's user id.")),
  },
  { description: "Either anonymousId or userId. Without sourceId: every source of the workspace." },
);
export type EraseBody = Static<typeof EraseBody>;

export const Erasure = Closed({
  receiptId: text("The id of the receipt."),
  organizationId: text("The workspace."),
  sourceId: textOrNull("The source; null: every source of the workspace."),
  by: OneOf(VISITOR_KINDS, { description: "Which id named the visitor." }),
  status: OneOf(ERASURE_STATUSES, {
    description:
      "The current step. `ledger`: waiting events, sessions and debug data are deleted. `shipping`: earlier events are on their way to the warehouse. `warehouse`: they are deleted there. `done`: everything is deleted.",
  }),
  requestedAt: time("When the erasure was requested."),
  finishedAt: timeOrNull("When it was done; null: it is not done yet."),
});
export type Erasure = Static<typeof Erasure>;

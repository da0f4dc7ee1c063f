/** Erasure of a visitor's data (docs/contract.md section 3). */
import Type, { type Static } from "typebox";
import { Closed, Id, Maybe, Nullable, OneOf, Time } from "./shapes.ts";

/** The ids that can name a visitor. */
export const VISITOR_KINDS = ["anonymousId", "userId"] as const;
export type VisitorKind = (typeof VISITOR_KINDS)[number];

/**
 * The steps of an erasure. `ledger`: it deletes waiting events, sessions and debug snapshots. `shipping`: it waits until
 * earlier pages are in the warehouse. `warehouse`: it deletes the rows there.
 */
export const ERASURE_STATUSES = ["ledger", "shipping", "warehouse", "done"] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

export const EraseBody = Closed(
  { organizationId: Id, sourceId: Maybe(Id), anonymousId: Maybe(Id), userId: Maybe(Id) },
  { description: "Either anonymousId or userId. Without sourceId: every source of the workspace." },
);
export type EraseBody = Static<typeof EraseBody>;

export const Erasure = Closed({
  receiptId: Type.String(),
  organizationId: Type.String(),
  sourceId: Nullable(Type.String({ description: "null: every source of the workspace." })),
  by: OneOf(VISITOR_KINDS),
  status: OneOf(ERASURE_STATUSES, { description: "The current step." }),
  requestedAt: Time,
  finishedAt: Nullable(Time),
});
export type Erasure = Static<typeof Erasure>;

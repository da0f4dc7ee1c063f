/** Erasing a visitor (CONTRACT section 3). */
import Type, { type Static } from "typebox";
import { Closed, Id, Maybe, Nullable, OneOf, Time } from "./shapes.ts";

/** How a visitor is named. */
export const VISITOR_KINDS = ["anonymousId", "userId"] as const;
export type VisitorKind = (typeof VISITOR_KINDS)[number];

/**
 * What an erasure works at: what waits in the ledger, with sessions and debug snapshots; pages that were sealed before
 * and ship first; the rows of the warehouse.
 */
export const ERASURE_STATUSES = ["ledger", "shipping", "warehouse", "done"] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

export const EraseBody = Closed(
  { organizationId: Id, sourceId: Maybe(Id), anonymousId: Maybe(Id), userId: Maybe(Id) },
  { description: "either anonymousId or userId; without sourceId every source of the workspace" },
);
export type EraseBody = Static<typeof EraseBody>;

export const Erasure = Closed({
  receiptId: Type.String(),
  organizationId: Type.String(),
  sourceId: Nullable(Type.String({ description: "null: every source of the workspace" })),
  by: OneOf(VISITOR_KINDS),
  status: OneOf(ERASURE_STATUSES, { description: "what it works at" }),
  requestedAt: Time,
  finishedAt: Nullable(Time),
});
export type Erasure = Static<typeof Erasure>;

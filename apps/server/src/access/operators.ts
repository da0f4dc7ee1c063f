/** Operators: the owners of the first workspace (`ORGANIZATION_ID`). They run the service, so they may see its details. */
import type { Caller } from "../core/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";

export type IsOperator = (caller: Pick<Caller, "actor" | "limitedTo" | "ceiling">) => Promise<boolean>;

/** A token that is limited to another workspace or to a lower role does not act as an operator's. */
export const createOperatorCheck =
  (catalog: Pick<Catalog, "roleOf">, organizationId: string): IsOperator =>
  async ({ actor, limitedTo, ceiling }) => {
    if (limitedTo !== null && limitedTo !== organizationId) return false;
    if (ceiling !== null && ceiling !== "owner") return false;
    return (await catalog.roleOf({ userId: actor.userId, organizationId })) === "owner";
  };

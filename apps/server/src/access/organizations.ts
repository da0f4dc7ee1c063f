/** Workspaces of the caller (CONTRACT section 3). */

import { roleUnder } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readName } from "./names.ts";

/** A token that opens one workspace sees no other. */
export const listOrganizations =
  (ledger: Catalog): Handler<"listOrganizations"> =>
  async ({ actor, limitedTo, ceiling }) => {
    const all = await ledger.organizationsOf({ userId: actor.userId });
    const organizations = all
      .filter((one) => limitedTo === null || one.organizationId === limitedTo)
      .map((one) => ({ ...one, role: roleUnder(one.role, ceiling) }));
    return { body: { organizations, nextCursor: null } };
  };

export const createOrganization =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"createOrganization"> =>
  async ({ actor, limitedTo, body, now }) => {
    if (limitedTo !== null) {
      throw new Refusal("permission_denied", {
        message: "This token opens one workspace and makes no others.",
        hint: "Use a token for all of your workspaces (POST /api/tokens with `allWorkspaces`).",
      });
    }
    const name = readName("name", body.name);
    const organizationId = newId("org");
    const made = await ledger.createOrganization({ organizationId, name, actor, now });
    if (made === "limit_reached") {
      throw new Refusal("limit_reached", {
        message: `One user owns at most ${SERVER_LIMITS.maxWorkspacesPerUser} workspaces.`,
        hint: "Use one of yours, or make another user the owner of some.",
      });
    }
    return {
      body: { organizationId, name, role: "owner" },
      headers: { Location: `/api/permissions?organizationId=${encodeURIComponent(organizationId)}` },
    };
  };

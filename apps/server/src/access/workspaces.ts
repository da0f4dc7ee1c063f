/** The workspaces of the caller (docs/contract.md section 3). The API calls a workspace an organization. */
import { roleUnder } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readName } from "./names.ts";

/** A token of one workspace lists only that workspace. */
export const listOrganizations =
  (catalog: Catalog): Handler<"listOrganizations"> =>
  async ({ actor, limitedTo, ceiling }) => {
    const all = await catalog.organizationsOf({ userId: actor.userId });
    const organizations = all
      .filter(({ organizationId }) => limitedTo === null || organizationId === limitedTo)
      .map((organization) => ({ ...organization, role: roleUnder(organization.role, ceiling) }));
    return { body: { organizations, nextCursor: null } };
  };

export const createOrganization =
  (catalog: Catalog, newId: (prefix: string) => string): Handler<"createOrganization"> =>
  async ({ actor, limitedTo, body, now }) => {
    if (limitedTo !== null) {
      throw new Refusal("permission_denied", {
        message: "This token can access one workspace only, so it cannot create another.",
        hint: "Use a token for all of your workspaces (POST /api/tokens with `allWorkspaces`).",
      });
    }
    const name = readName("name", body.name);
    const organizationId = newId("org");
    const outcome = await catalog.createOrganization({ organizationId, name, actor, now });
    if (outcome === "limit_reached") {
      throw new Refusal("limit_reached", {
        message: `A user can own at most ${SERVER_LIMITS.maxWorkspacesPerUser} workspaces.`,
        hint: "Use one of your workspaces, or make another user the owner of some.",
      });
    }
    return {
      body: { organizationId, name, role: "owner" },
      headers: { Location: `/api/permissions?organizationId=${encodeURIComponent(organizationId)}` },
    };
  };

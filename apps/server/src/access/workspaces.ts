/** The workspaces of the caller (docs/api/access.md). The API calls a workspace an organization. */
import { lowerRole } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { Call, Handler } from "../http/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readName } from "./names.ts";
import type { IsOperator } from "./permissions.ts";

/** A token of one workspace lists only that workspace. */
export const listOrganizations =
  (catalog: Catalog): Handler<"listOrganizations"> =>
  async ({ actor, limitedTo, ceiling }) => {
    const all = await catalog.organizationsOf({ userId: actor.userId });
    const organizations = all
      .filter(({ organizationId }) => limitedTo === null || organizationId === limitedTo)
      .map((organization) => ({ ...organization, role: lowerRole(organization.role, ceiling) }));
    return { body: { organizations, nextCursor: null } };
  };

/** The values of WORKSPACE_CREATION. */
export type WorkspaceCreation = "anyone" | "members" | "operators";

interface CreationDeps {
  readonly catalog: Catalog;
  readonly newId: (prefix: string) => string;
  readonly creation: WorkspaceCreation;
  readonly isOperator: IsOperator;
}

/** @throws Refusal 403 when WORKSPACE_CREATION does not allow it */
async function requireCreator(
  { catalog, creation, isOperator }: CreationDeps,
  call: Call<"createOrganization">,
): Promise<void> {
  if (creation === "anyone") return;
  const { userId } = call.actor;
  const isAllowed =
    creation === "operators"
      ? await isOperator(call)
      : (await catalog.organizationsOf({ userId })).length > 0;
  if (isAllowed) return;
  throw new Refusal(
    "permission_denied",
    creation === "operators"
      ? {
          message: "Only operators of this service can create workspaces.",
          hint: "Ask an operator to create the workspace, or to change WORKSPACE_CREATION.",
        }
      : {
          message: "Only members of a workspace can create another one.",
          hint: "Ask an admin to add you to a workspace, or an operator to change WORKSPACE_CREATION.",
        },
  );
}

export const createOrganization =
  (deps: CreationDeps): Handler<"createOrganization"> =>
  async (call) => {
    const { catalog, newId } = deps;
    const { actor, body, now } = call;
    await requireCreator(deps, call);
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

/** The workspaces of the caller (docs/api/access.md). The API calls a workspace an organization. */
import { lowerRole } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { Call, CatalogHandler, HandlerWith } from "../http/handler.ts";
import { readName } from "./names.ts";
import type { AccessServices } from "./services.ts";

/** A token of one workspace lists only that workspace. */
export const listOrganizations: CatalogHandler<"listOrganizations"> = async (
  { actor, limitedTo, ceiling },
  { catalog },
) => {
  const all = await catalog.organizationsOf({ userId: actor.userId });
  const organizations = all
    .filter(({ organizationId }) => limitedTo === null || organizationId === limitedTo)
    .map((organization) => ({ ...organization, role: lowerRole(organization.role, ceiling) }));
  return { body: { organizations, nextCursor: null } };
};

type CreationServices = Pick<AccessServices, "catalog" | "newId" | "isOperator"> & {
  readonly config: Pick<AccessServices["config"], "WORKSPACE_CREATION">;
};

/** @throws Refusal 403 when WORKSPACE_CREATION does not allow it */
async function requireCreator(
  { catalog, config: { WORKSPACE_CREATION: creation }, isOperator }: CreationServices,
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

export const createOrganization: HandlerWith<CreationServices, "createOrganization"> = async (
  call,
  services,
) => {
  const { catalog, newId } = services;
  const { actor, body, now } = call;
  await requireCreator(services, call);
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

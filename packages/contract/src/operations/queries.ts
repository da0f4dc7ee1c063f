/** Query parameters that several operations share: the workspace, and the page of a list. */
import Type from "typebox";
import { LIMITS } from "../limits.ts";
import { Closed, CURSOR, id, OrganizationId, SameOrganizationId } from "../shapes.ts";

export const OrganizationQuery = Closed({ organizationId: OrganizationId });
/** The query of operations on a source. */
export const SourceOrganizationQuery = Closed({ organizationId: SameOrganizationId });
/** The query of operations whose body can name the workspace instead. */
export const OptionalOrganizationQuery = Closed({
  organizationId: Type.Optional(id("The id of the workspace. It is required here or in the body.")),
});

export const pageQuery = (cursor: string) =>
  Closed({
    organizationId: OrganizationId,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.maxPageSize,
        description: "The maximum number of rows on the page.",
      }),
    ),
    cursor: Type.Optional(Type.String({ pattern: cursor, description: CURSOR })),
  });
/** The cursor contains the creation time of the last row, and its id in base64url. */
export const PageQuery = pageQuery("^[0-9]{1,15}\\.[A-Za-z0-9_-]{1,1200}$");

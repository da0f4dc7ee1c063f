/** Query parameters that several operations share: the workspace, and the page of a list. */
import Type from "typebox";
import { LIMITS } from "../limits.ts";
import { Closed, CURSOR, Id } from "../shapes.ts";

export const OrganizationQuery = Closed({ organizationId: Id });
export const OptionalOrganizationQuery = Closed({ organizationId: Type.Optional(Id) });

export const pageQuery = (cursor: string) =>
  Closed({
    organizationId: Id,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.maxPageSize })),
    cursor: Type.Optional(Type.String({ pattern: cursor, description: CURSOR })),
  });
/** The cursor contains the creation time of the last row, and its id in base64url. */
export const PageQuery = pageQuery("^[0-9]{1,15}\\.[A-Za-z0-9_-]{1,1200}$");

/** The roles of a workspace (docs/api/access.md), lowest first. No schema library is imported here. */
export const ROLES = ["viewer", "developer", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];
/** Whether `role` has more permissions than `other`. */
export const isAbove = (role: Role, other: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(other);
/** The lower of the two roles. @param maxRole null: no limit */
export const lowerRole = (role: Role, maxRole: Role | null): Role =>
  maxRole !== null && isAbove(role, maxRole) ? maxRole : role;

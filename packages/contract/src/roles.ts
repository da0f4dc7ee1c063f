/** The roles of a workspace (docs/contract.md section 3), lowest first. No schema library is imported here. */
export const ROLES = ["viewer", "developer", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];
/** Whether `role` has more permissions than `other`. */
export const isAbove = (role: Role, other: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(other);
/** The lower of the two roles. @param ceiling null: no limit */
export const roleUnder = (role: Role, ceiling: Role | null): Role =>
  ceiling !== null && isAbove(role, ceiling) ? ceiling : role;

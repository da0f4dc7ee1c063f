/** The roles of a workspace (CONTRACT section 3). No schema here, so that the console reads them without the schema library. */
export const ROLES = ["viewer", "developer", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];
/** `ROLES` stands in rising order: each may do what the one before it may, and more. */
export const isAbove = (role: Role, other: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(other);
/** @param ceiling null: none */
export const roleUnder = (role: Role, ceiling: Role | null): Role =>
  ceiling !== null && isAbove(role, ceiling) ? ceiling : role;

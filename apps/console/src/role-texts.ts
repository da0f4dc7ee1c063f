/** The roles in words: their names, what each may do, in one sentence, and who may assign it. */
import { isAbove, ROLES, type Role } from "@headwater/contract/roles";

export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: "Sees sources, install instructions and stats.",
  developer:
    "Does all that a viewer does. Also creates and changes sources, debugs requests and exports events.",
  admin:
    "Does all that a developer does. Also manages members, tokens and quotas, rotates keys and erases visitors.",
  owner: "Does everything. Also manages other owners.",
};

/** @returns for example `Owner` */
export const roleName = (role: Role): string => `${role.charAt(0).toUpperCase()}${role.slice(1)}`;

/** The options of a select: the roles that a user with `highest` may assign. */
export const roleOptions = (highest: Role) =>
  ROLES.filter((role) => !isAbove(role, highest)).map((value) => ({ value, label: roleName(value) }));

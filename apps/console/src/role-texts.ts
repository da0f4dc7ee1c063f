/** The roles in words: their names, what each may do, in one sentence, and who may assign it. */
import { isAbove, ROLES, type Role } from "@headwater/contract/roles";

export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: "Can see sources, install instructions and stats.",
  developer:
    "Can do everything a viewer can, and can create and change sources, debug requests and export events.",
  admin:
    "Can do everything a developer can, and can manage members, tokens and quotas, rotate keys and erase visitors.",
  owner: "Can do everything, including managing other owners.",
};

/** @returns for example `Owner` */
export const roleName = (role: Role): string => `${role.charAt(0).toUpperCase()}${role.slice(1)}`;

/** The options of a select: the roles that a user with `highest` may assign. */
export const roleOptions = (highest: Role) =>
  ROLES.filter((role) => !isAbove(role, highest)).map((value) => ({ value, label: roleName(value) }));

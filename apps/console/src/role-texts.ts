/** What each role may do, in one sentence, and who may assign it. */
import { isAbove, ROLES, type Role } from "@headwater/contract/roles";

export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: "Sees sources, install instructions and stats.",
  developer: "What viewers do, and creates and changes sources, debugs requests and exports events.",
  admin: "What developers do, and manages members, tokens and quotas, rotates keys and erases visitors.",
  owner: "Everything, including other owners.",
};

/** The roles that a user with `highest` may assign. */
export const rolesUpTo = (highest: Role) => ROLES.filter((role) => !isAbove(role, highest));

/** Whom a caller sees: their own id, and with `members:manage` every one. Others do not need the ids of people. */
import type { Permission } from "@headwater/contract";

interface Viewer {
  readonly actor: { readonly userId: string };
  readonly permissions: readonly Permission[];
}

export const canSeeUser = ({ actor, permissions }: Viewer, userId: string | null): boolean =>
  userId === actor.userId || permissions.includes("members:manage");

/**
 * Users: people, service accounts and the command line. The id tells them apart: ids of service accounts have a prefix.
 */
import type { Member, Permission } from "@headwater/contract";
import { Refusal } from "./refusal.ts";

export const SERVICE_ACCOUNT_PREFIX = "svc";
/** The user in the audit log of changes that a command made. */
export const COMMAND_LINE_USER = "command-line";

export const isServiceAccount = (userId: string): boolean => userId.startsWith(`${SERVICE_ACCOUNT_PREFIX}_`);

export const memberKindOf = (userId: string): Member["kind"] =>
  isServiceAccount(userId) ? "service_account" : "person";

/** Whether an identity provider may name a person so: it must not make anybody a service account or the command line. */
export const isPersonId = (userId: string): boolean =>
  !isServiceAccount(userId) && userId !== COMMAND_LINE_USER;

/**
 * Requires a person who signed in, for operations on that person. A token never acts as the person who made it.
 * @throws Refusal 403 unless the caller signed in
 */
export function requirePerson({ isPerson }: { readonly isPerson: boolean }): void {
  if (isPerson) return;
  throw new Refusal("permission_denied", {
    message: "Only a person who is signed in can do this. An access token cannot.",
    hint: "Sign in to the console, or send a JWT from your identity provider.",
  });
}

interface Viewer {
  readonly actor: { readonly userId: string };
  readonly permissions: readonly Permission[];
}

/** Callers see their own id, and with `members:manage` every one. Others do not need the ids of people. */
export const canSeeUser = ({ actor, permissions }: Viewer, userId: string | null): boolean =>
  userId === actor.userId || permissions.includes("members:manage");

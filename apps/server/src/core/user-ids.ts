/** What a user id says: ids of service accounts have a prefix of their own, which no person's id has. */
import type { Member } from "@headwater/contract";

export const SERVICE_ACCOUNT_PREFIX = "svc";
/** The user in the audit log of changes that a command made. */
export const COMMAND_LINE_USER = "command-line";

export const isServiceAccount = (userId: string): boolean => userId.startsWith(`${SERVICE_ACCOUNT_PREFIX}_`);

export const memberKindOf = (userId: string): Member["kind"] =>
  isServiceAccount(userId) ? "service_account" : "person";

/** Whether an identity provider may name a person so: it must not make anybody a service account or the command line. */
export const isPersonId = (userId: string): boolean =>
  !isServiceAccount(userId) && userId !== COMMAND_LINE_USER;

/** Finds what a command's argument names: a source, a member, a user or a token, by its id or by its name. */

import { LIMITS, type Token } from "@headwater/contract";
import { renderToken } from "../access/tokens.ts";
import { HEADWATER } from "../core/command-name.ts";
import { isPersonId, isServiceAccount } from "../core/users.ts";
import type { MemberRecord, SourceRecord } from "../ledger/records.ts";
import { CommandFailed } from "./errors.ts";
import { type LedgerAccess, readAllPages, type WorkspaceAccess } from "./ledger-access.ts";
import { findAll, type NamedKind, pick, pickSource } from "./pick-named.ts";

const limit = LIMITS.maxPageSize;

export const readSources = ({ ledger, organizationId }: WorkspaceAccess): Promise<SourceRecord[]> =>
  readAllPages((cursor) => ledger.sources({ organizationId, limit, cursor }));

export async function findSource(access: WorkspaceAccess, given: string): Promise<SourceRecord> {
  // an id may be of another workspace
  const byId = await access.ledger.source({ sourceId: given, now: access.now });
  return byId ?? pickSource(await readSources(access), given);
}

const MEMBER: NamedKind<MemberRecord> = {
  what: "member",
  list: `${HEADWATER} member list`,
  idOf: ({ userId }) => userId,
  namesOf: ({ name, email }) => [name, email],
};

export const readMembers = ({ ledger }: LedgerAccess, organizationId: string): Promise<MemberRecord[]> =>
  readAllPages((cursor) => ledger.members({ organizationId, limit, cursor }));

export const findMember = async (access: WorkspaceAccess, given: string): Promise<MemberRecord> =>
  pick(await readMembers(access, access.organizationId), given, MEMBER);

/** A member of the workspace who is a person. */
export async function findPerson(access: WorkspaceAccess, given: string): Promise<MemberRecord> {
  const members = await readMembers(access, access.organizationId);
  const people = members.filter(({ userId }) => isPersonId(userId));
  return pick(people, given, MEMBER);
}

/** A service account of the workspace. */
export async function findServiceAccount(access: WorkspaceAccess, given: string): Promise<MemberRecord> {
  const members = await readMembers(access, access.organizationId);
  const accounts = members.filter(({ userId }) => isServiceAccount(userId));
  return pick(accounts, given, { ...MEMBER, what: "service account" });
}

/** @returns the oldest owner of the workspace, or the one who is named. @throws CommandFailed */
export async function findOwner(access: WorkspaceAccess, given?: string): Promise<string> {
  const { organizationId } = access;
  const members = await readMembers(access, organizationId);
  const isOwner = ({ userId, role }: MemberRecord) => role === "owner" && isPersonId(userId);
  const owner = given === undefined ? members.findLast(isOwner) : await findPerson(access, given);
  if (owner && isOwner(owner)) return owner.userId;
  const problem = owner
    ? `${owner.userId} is not an owner of ${organizationId}`
    : `The workspace ${organizationId} has no owner`;
  throw new CommandFailed(`${problem}. Run \`${HEADWATER} member list\` to see the members and their roles.`);
}

/**
 * Finds a person of any workspace. When no member matches, a text without spaces is taken as the id of a new user, such as
 * the `sub` of a JWT.
 */
export async function findUserId(access: LedgerAccess, given: string): Promise<string> {
  const { ledger } = access;
  const workspaces = await readAllPages((cursor) => ledger.organizations({ limit, cursor }));
  const members: MemberRecord[] = [];
  for (const { organizationId } of workspaces) members.push(...(await readMembers(access, organizationId)));
  const people = members.filter(({ userId }) => isPersonId(userId));
  const isNewId = !/\s/.test(given) && isPersonId(given) && findAll(people, given, MEMBER).length === 0;
  return isNewId ? given : pick(people, given, MEMBER).userId;
}

/** Tokens of the workspace, and its members' tokens for all of their workspaces. */
export async function readTokens({ ledger, organizationId }: WorkspaceAccess): Promise<Token[]> {
  const everyToken = { includeUserWide: "members", sourceId: null, scope: null } as const;
  const records = await readAllPages((cursor) =>
    ledger.tokens({ organizationId, limit, cursor, ...everyToken }),
  );
  return records.map(renderToken);
}

/** A label finds tokens that are not revoked; an id finds any. */
export const findToken = async (access: WorkspaceAccess, given: string): Promise<Token> =>
  pick(await readTokens(access), given, {
    what: "token",
    list: `${HEADWATER} token list`,
    idOf: ({ tokenId }) => tokenId,
    namesOf: ({ label, revokedAt }) => (revokedAt === null ? [label] : []),
  });

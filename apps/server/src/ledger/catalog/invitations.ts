/** Invitations to a workspace. An open invitation is a row; accepting or revoking it deletes the row. */
import { isAbove } from "@headwater/contract/roles";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { InvitationRecord } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, lockOrganization } from "./database.ts";
import { addMember } from "./members.ts";
import { roleOf } from "./organizations.ts";
import { completeProfile, userByEmail } from "./profiles.ts";

/** An invitation with names to show. */
export interface OfferedInvitation extends InvitationRecord {
  organizationName: string;
  inviterName: string | null;
}

/** Without the hash. */
const INVITATION_COLUMNS = [
  "invitations.invitationId",
  "invitations.organizationId",
  "invitations.role",
  "invitations.email",
  "invitations.invitedBy",
  "invitations.createdAt",
  "invitations.expiresAt",
] as const;

/** The open invitations of a workspace, the newest first. */
const invitations = (
  db: CatalogDb,
  { organizationId, now }: { organizationId: string; now: number },
): Promise<InvitationRecord[]> =>
  db
    .selectFrom("invitations")
    .select(INVITATION_COLUMNS)
    .where("organizationId", "=", organizationId)
    .where("expiresAt", ">", now)
    .orderBy("createdAt", "desc")
    .orderBy("invitationId", "desc")
    .execute();

/** An open invitation by the hash of its code. */
export async function invitationByHash(
  db: CatalogDb,
  { hash, now }: { hash: string; now: number },
): Promise<OfferedInvitation | null> {
  const row = await db
    .selectFrom("invitations")
    .innerJoin("organizations", "organizations.organizationId", "invitations.organizationId")
    .leftJoin("profiles", "profiles.userId", "invitations.invitedBy")
    .select(INVITATION_COLUMNS)
    .select(["organizations.name as organizationName", "profiles.name as inviterName"])
    .where("invitations.hash", "=", hash)
    .where("invitations.expiresAt", ">", now)
    .executeTakeFirst();
  return row ?? null;
}

const audited = ({ role, email, expiresAt }: InvitationRecord) => ({ role, email, expiresAt });

/** Also deletes the expired invitations of the workspace. */
async function createInvitation(
  db: CatalogDb,
  made: AuditedChange & { hash: string; invitation: InvitationRecord },
): Promise<"created" | "limit_reached"> {
  const { invitation, hash, now } = made;
  const { organizationId, invitationId: target } = invitation;
  await lockOrganization(db, organizationId);
  await db
    .deleteFrom("invitations")
    .where("organizationId", "=", organizationId)
    .where("expiresAt", "<=", now)
    .execute();
  const open = await invitations(db, { organizationId, now });
  if (open.length >= SERVER_LIMITS.maxInvitationsPerWorkspace) return "limit_reached";
  await db
    .insertInto("invitations")
    .values({ ...invitation, hash })
    .execute();
  const after = audited(invitation);
  await writeAudit(db, made, { organizationId, action: "invitation.created", target, after });
  return "created";
}

async function revokeInvitation(
  db: CatalogDb,
  revoked: AuditedChange & { organizationId: string; invitationId: string },
): Promise<"revoked" | "unknown"> {
  const { organizationId, invitationId: target } = revoked;
  const invitation = await db
    .deleteFrom("invitations")
    .where("organizationId", "=", organizationId)
    .where("invitationId", "=", target)
    .returningAll()
    .executeTakeFirst();
  if (!invitation) return "unknown";
  const before = audited(invitation);
  await writeAudit(db, revoked, { organizationId, action: "invitation.revoked", target, before });
  return "revoked";
}

/** An inviter who was removed, or has a lower role now, no longer gives the role. */
async function isStillGiven(db: CatalogDb, { invitedBy, organizationId, role }: InvitationRecord) {
  const own = await roleOf(db, { userId: invitedBy, organizationId });
  return own !== null && !isAbove(role, own);
}

/** The user who has the address to which the link was sent: who opens the link reads that mailbox. */
const userOfLink = async (db: CatalogDb, { email }: InvitationRecord) =>
  email === null ? null : userByEmail(db, { email });

interface InvitationAcceptance {
  hash: string;
  userId: string;
  /** The name of a new account; null: the user has one. */
  name: string | null;
  now: number;
}

/**
 * Makes the user a member and deletes the invitation. Members keep their role. Unknown too when the inviter may no longer give the
 * role.
 */
export async function acceptInvitation(
  db: CatalogDb,
  { hash, userId: givenId, name, now }: InvitationAcceptance,
): Promise<{ organizationId: string; userId: string } | "unknown" | "limit_reached"> {
  // deleted first: when two accept it at once, one waits and then finds none
  const invitation = await db
    .deleteFrom("invitations")
    .where("hash", "=", hash)
    .where("expiresAt", ">", now)
    .returningAll()
    .executeTakeFirst();
  if (!invitation || !(await isStillGiven(db, invitation))) return "unknown";
  const { organizationId, role, invitationId: target } = invitation;
  const isNew = name !== null;
  const userId = (isNew ? await userOfLink(db, invitation) : null) ?? givenId;
  const member = { userId, name: null, role, createdAt: now };
  const change = { actor: { userId, tokenId: null }, now };
  const added = await addMember(db, { organizationId, member, ...change });
  if (added === "limit_reached") {
    await db.insertInto("invitations").values(invitation).execute();
    return "limit_reached";
  }
  // the account of who joins stays as it is: whoever was invited may have passed the link on
  if (isNew) await completeProfile(db, userId, { name, email: invitation.email, now });
  const before = audited(invitation);
  await writeAudit(db, change, { organizationId, action: "invitation.accepted", target, before });
  return { organizationId, userId };
}

export const invitationReads = { invitations, invitationByHash };
export const invitationWrites = { createInvitation, revokeInvitation, acceptInvitation };

/** Invitations to a workspace. An open invitation is a row; accepting or revoking it deletes the row. */
import { isAbove } from "@headwater/contract/roles";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { InvitationRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Argument, type CatalogDb, lockOrganization } from "./database.ts";
import { addMember } from "./members.ts";
import { roleOf } from "./organizations.ts";
import { completeProfile, userByEmail } from "./profiles.ts";

const INVITATION_COLUMNS = [
  "invitationId",
  "organizationId",
  "role",
  "email",
  "invitedBy",
  "createdAt",
  "expiresAt",
] as const satisfies readonly (keyof InvitationRecord)[];

export const invitations = (
  db: CatalogDb,
  { organizationId, now }: Argument<"invitations">,
): Promise<InvitationRecord[]> =>
  db
    .selectFrom("invitations")
    .select(INVITATION_COLUMNS)
    .where("organizationId", "=", organizationId)
    .where("expiresAt", ">", now)
    .orderBy("createdAt", "desc")
    .orderBy("invitationId", "desc")
    .execute();

export async function invitationByHash(db: CatalogDb, { hash, now }: Argument<"invitationByHash">) {
  const row = await db
    .selectFrom("invitations")
    .innerJoin("organizations", "organizations.organizationId", "invitations.organizationId")
    .leftJoin("profiles", "profiles.userId", "invitations.invitedBy")
    .select([
      "invitations.invitationId as invitationId",
      "invitations.organizationId as organizationId",
      "invitations.role as role",
      "invitations.email as email",
      "invitations.invitedBy as invitedBy",
      "invitations.createdAt as createdAt",
      "invitations.expiresAt as expiresAt",
      "organizations.name as organizationName",
      "profiles.name as inviterName",
    ])
    .where("invitations.hash", "=", hash)
    .where("invitations.expiresAt", ">", now)
    .executeTakeFirst();
  return row ?? null;
}

const audited = ({ role, email, expiresAt }: InvitationRecord) => ({ role, email, expiresAt });

/** Also deletes the expired invitations of the workspace. */
export async function createInvitation(
  db: CatalogDb,
  { invitation, hash, actor, now }: Argument<"createInvitation">,
): Promise<"created" | "limit_reached"> {
  const { organizationId, invitationId } = invitation;
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
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "invitation.created",
    target: invitationId,
    after,
  });
  return "created";
}

export async function revokeInvitation(
  db: CatalogDb,
  { organizationId, invitationId, actor, now }: Argument<"revokeInvitation">,
): Promise<"revoked" | "unknown"> {
  const revoked = await db
    .deleteFrom("invitations")
    .where("organizationId", "=", organizationId)
    .where("invitationId", "=", invitationId)
    .returning(INVITATION_COLUMNS)
    .executeTakeFirst();
  if (!revoked) return "unknown";
  const before = audited(revoked);
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "invitation.revoked",
    target: invitationId,
    before,
  });
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

export async function acceptInvitation(
  db: CatalogDb,
  { hash, userId: givenId, name, now }: Argument<"acceptInvitation">,
): Promise<{ organizationId: string; userId: string } | "unknown" | "limit_reached"> {
  // deleted first, so that of two who accept it at once one waits and then finds none
  const invitation = await db
    .deleteFrom("invitations")
    .where("hash", "=", hash)
    .where("expiresAt", ">", now)
    .returning(INVITATION_COLUMNS)
    .executeTakeFirst();
  if (!invitation || !(await isStillGiven(db, invitation))) return "unknown";
  const { organizationId, role, invitationId } = invitation;
  const isNew = name !== null;
  const userId = (isNew ? await userOfLink(db, invitation) : null) ?? givenId;
  const member = { userId, name: null, role, createdAt: now };
  const actor = { userId, tokenId: null };
  const added = await addMember(db, { organizationId, member, actor, now });
  if (added === "limit_reached") {
    await db
      .insertInto("invitations")
      .values({ ...invitation, hash })
      .execute();
    return "limit_reached";
  }
  // the account of who joins stays as it is: whoever was invited may have passed the link on
  if (isNew) await completeProfile(db, userId, { name, email: invitation.email, now });
  const before = audited(invitation);
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "invitation.accepted",
    target: invitationId,
    before,
  });
  return { organizationId, userId };
}

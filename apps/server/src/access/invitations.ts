/** Invitations to a workspace, by email or by a link (docs/api/accounts.md). */
import type { Invitation } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { hashToken, makeCode } from "../core/token.ts";
import { requirePerson } from "../core/users.ts";
import type { Call, CatalogHandler } from "../http/handler.ts";
import type { Catalog, OfferedInvitation } from "../ledger/ledger.ts";
import type { InvitationRecord } from "../ledger/records.ts";
import { readEmailAddress } from "../mail/email-address.ts";
import { toMailRefusal } from "../mail/mail-limits.ts";
import { makeSignInCode } from "./first-start.ts";
import { invitationMail } from "./mails.ts";
import { readName } from "./names.ts";
import { requireRoleUpTo } from "./permissions.ts";
import type { AccessHandler, AccessServices } from "./services.ts";
import { requireOtherWays } from "./sign-in.ts";

const INVITATION_MS = 7 * 86_400_000;

const renderInvitation = ({ createdAt, expiresAt, ...invitation }: InvitationRecord): Invitation => ({
  ...invitation,
  createdAt: toIsoTime(createdAt),
  expiresAt: toIsoTime(expiresAt),
});

export const listInvitations: CatalogHandler<"listInvitations"> = async (
  { organizationId, now },
  { catalog },
) => {
  const found = await catalog.invitations({ organizationId, now });
  return { body: { invitations: found.map(renderInvitation) } };
};

const invitationUrl = (addresses: AccessServices["addresses"], code: string) =>
  `${addresses().appUrl}/invitation#code=${code}`;

/** An invitation whose mail could not be sent is revoked: nobody has its link. */
async function sendInvitation(
  { catalog, mailer, addresses }: AccessServices,
  { actor, now }: Call<"createInvitation">,
  { to, code }: { to: string; code: string },
): Promise<void> {
  const offered = await catalog.invitationByHash({ hash: hashToken(code), now });
  if (!offered) return;
  const url = invitationUrl(addresses, code);
  try {
    if (!mailer)
      throw new Refusal("mail_unavailable", {
        message: "This service has no mail server.",
        hint: "Create the invitation without an email address and send its link yourself, or ask the operator to set SMTP_URL and MAIL_FROM.",
      });
    const { organizationId } = offered;
    await mailer.send(
      invitationMail({ ...offered, to, url }),
      { organizationId, userId: actor.userId },
      false,
    );
  } catch (error) {
    await catalog.revokeInvitation({ ...offered, actor, now });
    throw toMailRefusal(error);
  }
}

/** Only a person invites: whoever accepts becomes a person, which a token must not become. */
export const createInvitation: AccessHandler<"createInvitation"> = async (call, services) => {
  const { organizationId, actor, role, body, now } = call;
  requirePerson(call);
  requireRoleUpTo(role, body.role);
  const { code, codeHash: hash } = makeCode();
  const email = body.email == null ? null : readEmailAddress("email", body.email);
  const invitation: InvitationRecord = {
    invitationId: services.newId("inv"),
    organizationId,
    role: body.role,
    email,
    invitedBy: actor.userId,
    createdAt: now,
    expiresAt: now + INVITATION_MS,
  };
  const outcome = await services.catalog.createInvitation({ invitation, hash, actor, now });
  if (outcome === "limit_reached")
    throw new Refusal("limit_reached", {
      message: `A workspace can have at most ${SERVER_LIMITS.maxInvitationsPerWorkspace} open invitations.`,
      hint: "Revoke invitations that are no longer needed.",
    });
  if (email !== null) await sendInvitation(services, call, { to: email, code });
  const url = email === null ? invitationUrl(services.addresses, code) : null;
  return { body: { ...renderInvitation(invitation), url } };
};

/** Callers cannot revoke an invitation to a role above their own. */
export const revokeInvitation: CatalogHandler<"revokeInvitation"> = async (call, { catalog }) => {
  const { organizationId, params, actor, role, now } = call;
  const { invitationId } = params;
  const open = await catalog.invitations({ organizationId, now });
  const found = open.find((one) => one.invitationId === invitationId);
  if (!found) throw new Refusal("invitation_not_found");
  requireRoleUpTo(role, found.role);
  await catalog.revokeInvitation({ organizationId, invitationId, actor, now });
  return { body: { invitationId, revokedAt: toIsoTime(now) } };
};

/** The account that has the address to which the invitation was sent. */
async function accountOf(catalog: Catalog, { email }: InvitationRecord) {
  const userId = email === null ? null : await catalog.userByEmail({ email });
  if (userId === null) return null;
  const { name, email: confirmed } = await catalog.profile({ userId });
  return { name, email: confirmed };
}

/** Renders the offer of an invitation: the workspace, the role and the inviter. */
export const renderOffer = ({ organizationName, role, inviterName }: OfferedInvitation) => ({
  organizationName,
  role,
  invitedBy: inviterName,
});

export const readInvitation: CatalogHandler<"readInvitation"> = async ({ body, now }, { catalog }) => {
  const found = await catalog.invitationByHash({ hash: hashToken(body.code), now });
  if (!found) throw new Refusal("invalid_code");
  const account = await accountOf(catalog, found);
  const { email, expiresAt } = found;
  return { body: { ...renderOffer(found), email, account, expiresAt: toIsoTime(expiresAt) } };
};

export const INVITATION_ENDED = {
  message: "The invitation was accepted or revoked, or it has expired.",
  hint: "Ask the person who invited you for a new one.",
};

export const TOO_MANY_MEMBERS = {
  message: `A workspace can have at most ${SERVER_LIMITS.maxMembersPerWorkspace} members.`,
  hint: "Ask an admin to remove members who no longer need access.",
};

/** @throws Refusal when the invitation cannot be accepted */
async function accept(catalog: Catalog, accepted: Parameters<Catalog["acceptInvitation"]>[0]) {
  const outcome = await catalog.acceptInvitation(accepted);
  if (outcome === "unknown") throw new Refusal("invalid_code");
  if (outcome === "limit_reached") throw new Refusal("limit_reached", TOO_MANY_MEMBERS);
  return outcome;
}

export const acceptInvitation: AccessHandler<"acceptInvitation"> = async ({ body, now }, services) => {
  requireOtherWays(services);
  const { catalog, newId } = services;
  const name = readName("name", body.name);
  const hash = hashToken(body.code);
  const { organizationId, userId } = await accept(catalog, { hash, userId: newId("usr"), name, now });
  const { code, ...signIn } = makeSignInCode(now);
  await catalog.createSignInCode({ ...signIn, userId, now });
  return { body: { organizationId, signInCode: code } };
};

export const joinWorkspace: CatalogHandler<"joinWorkspace"> = async ({ actor, body, now }, { catalog }) => {
  const { userId } = actor;
  const { organizationId } = await accept(catalog, { hash: hashToken(body.code), userId, name: null, now });
  return { body: { organizationId } };
};

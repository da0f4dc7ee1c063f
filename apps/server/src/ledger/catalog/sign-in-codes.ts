/** One-time codes of links, and their exchange for sessions (docs/api/accounts.md). */
import type { IdentityRecord, OfferedInvitation, SignInOffer } from "../account-records.ts";
import type { SignInFailure } from "../catalog.ts";
import type { TokenRecord } from "../records.ts";
import { writeAudit, writePersonAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { acceptInvitation, invitationByHash } from "./invitations.ts";
import { organizationsOf } from "./organizations.ts";
import { linkIdentity, profile, userOfIdentity } from "./profiles.ts";
import type { CatalogTables } from "./schema.ts";
import { auditedToken, insertToken, revokeToken, sessions, workspacesOfToken } from "./tokens.ts";

/** Sessions of the console of one user. A further sign-in ends the oldest. */
const MAX_SESSIONS_PER_USER = 50;

type CodeRow = CatalogTables["signInCodes"];

/** A token for all workspaces of its user, with all of the user's permissions. */
export const toUserToken = (
  { tokenId, label, hint }: Argument<"signIn">["token"],
  userId: string,
  now: number,
): TokenRecord => ({
  tokenId,
  organizationId: null,
  userId,
  ceiling: null,
  passwordHash: null,
  sourceId: null,
  scope: null,
  label,
  hint,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: now,
});

/** Also deletes the codes that have expired, so that codes nobody used do not add up. */
export async function createSignInCode(
  db: CatalogDb,
  {
    codeHash: hash,
    userId,
    expiresAt,
    now,
    email,
    identity,
    invitationHash,
    maxOpen,
  }: Argument<"createSignInCode">,
): Promise<boolean> {
  const purpose = email === undefined ? "sign_in" : "confirm_email";
  await db.deleteFrom("signInCodes").where("expiresAt", "<=", now).execute();
  const open = await db
    .selectFrom("signInCodes")
    .select("hash")
    .where("userId", "=", userId)
    .where("purpose", "=", purpose)
    .execute();
  if (maxOpen !== undefined && open.length >= maxOpen) return false;
  await db
    .insertInto("signInCodes")
    .values({
      hash,
      userId,
      expiresAt,
      purpose,
      email: email ?? null,
      identity: identity === undefined ? null : JSON.stringify(identity),
      invitationHash: invitationHash ?? null,
    })
    .execute();
  return true;
}

const identityOf = ({ identity }: CodeRow): IdentityRecord | null =>
  identity === null ? null : JSON.parse(identity);

/** Another sign-in may have linked the identity since the code was made. */
async function userOfCode(db: CatalogDb, code: CodeRow): Promise<string> {
  const identity = identityOf(code);
  return (identity && (await userOfIdentity(db, identity))) ?? code.userId;
}

export async function readSignInCode(
  db: CatalogDb,
  { codeHash, now }: Argument<"readSignInCode">,
): Promise<SignInOffer | SignInFailure> {
  const code = await db
    .selectFrom("signInCodes")
    .selectAll()
    .where("hash", "=", codeHash)
    .where("purpose", "=", "sign_in")
    .executeTakeFirst();
  if (!code) return "unknown";
  if (code.expiresAt <= now) return "expired";
  const userId = await userOfCode(db, code);
  const { name, email } = await profile(db, { userId });
  const identity = identityOf(code);
  const { invitationHash: hash } = code;
  let invitation: OfferedInvitation | null = null;
  if (hash !== null) {
    invitation = await invitationByHash(db, { hash, now });
    if (invitation === null) return "invitation_ended";
  }
  return {
    userId,
    name: name ?? identity?.name ?? null,
    email: email ?? identity?.email ?? null,
    organizations: (await organizationsOf(db, { userId })).map(({ name: workspace, role }) => ({
      name: workspace,
      role,
    })),
    invitation,
    expiresAt: code.expiresAt,
  };
}

/** A person who signs in again and again has a bounded number of sessions: the oldest end. */
async function endOldSessions(db: CatalogDb, { userId, createdAt: now }: TokenRecord): Promise<void> {
  const old = (await sessions(db, { userId, now })).slice(MAX_SESSIONS_PER_USER);
  for (const { tokenId } of old) await revokeToken(db, { tokenId, actor: { userId, tokenId }, now });
}

/** Links the identity and accepts the invitation of a code. @returns who signs in */
async function redeem(
  db: CatalogDb,
  code: CodeRow,
  now: number,
): Promise<string | { failed: SignInFailure }> {
  const userId = await userOfCode(db, code);
  const { invitationHash: hash } = code;
  if (hash !== null) {
    const accepted = await acceptInvitation(db, { hash, userId, name: null, now });
    if (accepted === "unknown") return { failed: "invitation_ended" };
    if (accepted === "limit_reached") return { failed: "limit_reached" };
  }
  const identity = identityOf(code);
  return identity === null ? userId : linkIdentity(db, identity, { userId, now });
}

/**
 * Exchanges a sign-in code for a token. The code is deleted even if it has expired. Each workspace that the token can access
 * gets an audit entry.
 */
export async function signIn(
  db: CatalogDb,
  request: Argument<"signIn">,
): Promise<TokenRecord | SignInFailure> {
  const { codeHash, now } = request;
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .where("purpose", "=", "sign_in")
    .returningAll()
    .executeTakeFirst();
  if (!code) return "unknown";
  if (code.expiresAt <= now) {
    const { userId } = code;
    const actor = { userId: null, tokenId: null };
    const after = { reason: "expired_code" };
    await writePersonAudit(db, { userId, actor, now, action: "session.refused", after });
    return "expired";
  }
  const userId = await redeem(db, code, now);
  if (typeof userId === "object") return userId.failed;

  const made = toUserToken(request.token, userId, now);
  const token: TokenRecord = { ...made, scope: "console", expiresAt: request.expiresAt };
  await insertToken(db, token, request.token.hash);
  await endOldSessions(db, token);
  for (const organizationId of await workspacesOfToken(db, token)) {
    const actor = { userId: token.userId, tokenId: token.tokenId };
    await writeAudit(db, {
      organizationId,
      now,
      actor,
      action: "session.started",
      target: token.tokenId,
      after: { ...auditedToken(token), provider: identityOf(code)?.issuer ?? null },
    });
  }
  return token;
}

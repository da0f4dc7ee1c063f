/** One-time codes of links, and their exchange for sessions (docs/api/accounts.md). */
import type { Role } from "@headwater/contract";
import type { TokenRecord } from "../records.ts";
import { LINK_HOLDER, writeAudit, writePersonAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";
import { acceptInvitation, invitationByHash, type OfferedInvitation } from "./invitations.ts";
import { organizationsOf } from "./organizations.ts";
import { type IdentityRecord, linkIdentity, profile, userOfIdentity } from "./profiles.ts";
import type { CatalogTables } from "./schema.ts";
import { auditedToken, insertToken, revokeToken, sessions, workspacesOfToken } from "./tokens.ts";

/** Sessions of the console of one user. A further sign-in ends the oldest. */
const MAX_SESSIONS_PER_USER = 50;

type CodeRow = CatalogTables["signInCodes"];

/** The effect that a sign-in code would have. */
interface SignInOffer {
  userId: string;
  name: string | null;
  email: string | null;
  /** The person's workspaces. Empty for a new account. */
  organizations: { name: string; role: Role }[];
  /** The invitation that the sign-in accepts; null: none. */
  invitation: OfferedInvitation | null;
  expiresAt: number;
}

/** `invitation_ended` and `limit_reached`: the invitation that the code was to accept cannot be accepted. */
export type SignInFailure = "unknown" | "expired" | "invitation_ended" | "limit_reached";

/** A token that `setUp` or `signIn` creates; the other members follow from its user. */
export interface NewUserToken extends Pick<TokenRecord, "tokenId" | "label" | "hint"> {
  /** SHA-256 of the token. */
  hash: string;
}

/** A token for all workspaces of its user, with all of the user's permissions. */
export const toUserToken = (
  { tokenId, label, hint }: NewUserToken,
  userId: string,
  createdAt: number,
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
  createdAt,
});

interface NewSignInCode {
  codeHash: string;
  userId: string;
  expiresAt: number;
  now: number;
  /** The code confirms this address instead of signing the user in. */
  email?: string;
  /** The identity becomes the user's by the sign-in. */
  identity?: IdentityRecord;
  /** The sign-in accepts this invitation. */
  invitationHash?: string | null;
  /** The codes that the user can have at once. Default: no limit. */
  maxOpen?: number;
}

/**
 * Also deletes the codes that have expired, so that codes nobody used do not add up.
 * @returns false when the user has `maxOpen` codes for the same purpose already
 */
export async function createSignInCode(db: CatalogDb, created: NewSignInCode): Promise<boolean> {
  const { codeHash: hash, userId, expiresAt, now, email = null, invitationHash = null } = created;
  const { identity, maxOpen = Number.POSITIVE_INFINITY } = created;
  const purpose = email === null ? "sign_in" : "confirm_email";
  await db.deleteFrom("signInCodes").where("expiresAt", "<=", now).execute();
  const open = await db
    .selectFrom("signInCodes")
    .select("hash")
    .where("userId", "=", userId)
    .where("purpose", "=", purpose)
    .execute();
  if (open.length >= maxOpen) return false;
  const code = { hash, userId, expiresAt, purpose, email, invitationHash } as const;
  await db
    .insertInto("signInCodes")
    .values({ ...code, identity: identity === undefined ? null : JSON.stringify(identity) })
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

/** Reads the effect that a sign-in code would have. Changes nothing. */
async function readSignInCode(
  db: CatalogDb,
  { codeHash, now }: { codeHash: string; now: number },
): Promise<SignInOffer | SignInFailure> {
  const code = await db
    .selectFrom("signInCodes")
    .selectAll()
    .where("hash", "=", codeHash)
    .where("purpose", "=", "sign_in")
    .executeTakeFirst();
  if (!code) return "unknown";
  const { expiresAt, invitationHash: hash } = code;
  if (expiresAt <= now) return "expired";
  const invitation = hash === null ? null : await invitationByHash(db, { hash, now });
  if (hash !== null && invitation === null) return "invitation_ended";
  const userId = await userOfCode(db, code);
  const known = await profile(db, { userId });
  const identity = identityOf(code);
  const joined = await organizationsOf(db, { userId });
  return {
    userId,
    name: known.name ?? identity?.name ?? null,
    email: known.email ?? identity?.email ?? null,
    organizations: joined.map(({ name, role }) => ({ name, role })),
    invitation,
    expiresAt,
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

interface SignInRequest {
  codeHash: string;
  token: NewUserToken;
  /** When the token expires. */
  expiresAt: number;
  now: number;
}

/**
 * Exchanges a one-time sign-in code for a token of the console. The code is deleted even if it has expired. Its identity becomes the
 * user's, and its invitation is accepted. Each workspace that the token can access gets an audit entry.
 */
async function signIn(db: CatalogDb, request: SignInRequest): Promise<TokenRecord | SignInFailure> {
  const { codeHash, expiresAt, now } = request;
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .where("purpose", "=", "sign_in")
    .returningAll()
    .executeTakeFirst();
  if (!code) return "unknown";
  if (code.expiresAt <= now) {
    const entry = { userId: code.userId, action: "session.refused", after: { reason: "expired_code" } };
    await writePersonAudit(db, { actor: LINK_HOLDER, now }, entry);
    return "expired";
  }
  const userId = await redeem(db, code, now);
  if (typeof userId === "object") return userId.failed;

  const userToken = toUserToken(request.token, userId, now);
  const token: TokenRecord = { ...userToken, scope: "console", expiresAt };
  const { tokenId } = token;
  await insertToken(db, token, request.token.hash);
  await endOldSessions(db, token);
  const after = { ...auditedToken(token), provider: identityOf(code)?.issuer ?? null };
  for (const organizationId of await workspacesOfToken(db, token)) {
    const entry = { organizationId, action: "session.started", target: tokenId, after };
    await writeAudit(db, { actor: { userId, tokenId }, now }, entry);
  }
  return token;
}

export const signInReads = { readSignInCode };
export const signInWrites = { createSignInCode, signIn };

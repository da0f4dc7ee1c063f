/** One-time codes of links, and their exchange for sessions (docs/api/accounts.md). */
import type { Role } from "@headwater/contract";
import type { TokenRecord } from "../records.ts";
import { LINK_HOLDER, writePersonAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";
import { acceptInvitation, invitationByHash, type OfferedInvitation } from "./invitations.ts";
import { organizationsOf } from "./organizations.ts";
import { type IdentityRecord, linkIdentity, profile, userOfIdentity } from "./profiles.ts";
import type { CatalogTables } from "./schema.ts";
import { type NewSession, startSession } from "./sessions.ts";

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
 * Exchanges a one-time sign-in code for a token of the console. The code is deleted even if it has expired. Its identity becomes the
 * user's, and its invitation is accepted.
 */
async function signIn(
  db: CatalogDb,
  request: NewSession & { codeHash: string },
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
    const entry = { userId: code.userId, action: "session.refused", after: { reason: "expired_code" } };
    await writePersonAudit(db, { actor: LINK_HOLDER, now }, entry);
    return "expired";
  }
  const userId = await redeem(db, code, now);
  if (typeof userId === "object") return userId.failed;
  return startSession(db, { ...request, userId, details: { provider: identityOf(code)?.issuer ?? null } });
}

export const signInReads = { readSignInCode };
export const signInWrites = { createSignInCode, signIn };

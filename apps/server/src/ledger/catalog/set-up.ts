/** What the first start writes, and the exchange of one-time sign-in codes for tokens (docs/contract.md sections 3 and 6). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { TokenRecord } from "../../core/records.ts";
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { insertOrganization } from "./organizations.ts";
import { auditedToken, insertToken, revokeToken, sessions, workspacesOfToken } from "./tokens.ts";

/** A token for all workspaces of its user, with all of the user's permissions. */
const toUserToken = (
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
  { codeHash: hash, userId, expiresAt, now, email, maxOpen }: Argument<"createSignInCode">,
): Promise<boolean> {
  await db.deleteFrom("signInCodes").where("expiresAt", "<=", now).execute();
  const open = await db.selectFrom("signInCodes").select("hash").where("userId", "=", userId).execute();
  if (maxOpen !== undefined && open.length >= maxOpen) return false;
  await db
    .insertInto("signInCodes")
    .values({ hash, userId, expiresAt, email: email ?? null })
    .execute();
  return true;
}

/** A person who signs in again and again has a bounded number of sessions: the oldest end. */
async function endOldSessions(db: CatalogDb, { userId, createdAt: now }: TokenRecord): Promise<void> {
  const old = (await sessions(db, { userId, now })).slice(SERVER_LIMITS.maxSessionsPerUser);
  for (const { tokenId } of old) await revokeToken(db, { tokenId, actor: { userId, tokenId }, now });
}

/** Creates the workspace, its owner, the owner's token and a sign-in code. @returns false when a workspace exists already */
export async function setUp(db: CatalogDb, first: Argument<"setUp">): Promise<boolean> {
  const { organizationId, userId, now } = first;
  if (await db.selectFrom("organizations").select("organizationId").limit(1).executeTakeFirst()) return false;
  const token = toUserToken(first.token, userId, now);
  if (!(await insertOrganization(db, { organizationId, name: first.organizationName, userId, now })))
    return false;
  await insertToken(db, token, first.token.hash);
  if (first.signIn) await createSignInCode(db, { ...first.signIn, userId, now });
  const entry = { organizationId, now, actor: { userId: null, tokenId: null } };
  const after = { name: first.organizationName, owner: userId };
  await writeAudit(db, { ...entry, action: "organization.created", target: organizationId, after });
  await writeAudit(db, {
    ...entry,
    action: "token.created",
    target: token.tokenId,
    after: auditedToken(token),
  });
  return true;
}

/**
 * Exchanges a sign-in code for a token. The code is deleted even if it has expired. Each workspace that the token can access
 * gets an audit entry.
 */
export async function signIn(
  db: CatalogDb,
  request: Argument<"signIn">,
): Promise<TokenRecord | "unknown" | "expired"> {
  const { codeHash, now } = request;
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .where("email", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!code) return "unknown";
  if (code.expiresAt <= now) return "expired";

  const made = toUserToken(request.token, code.userId, now);
  const token: TokenRecord = { ...made, scope: "console", expiresAt: request.expiresAt };
  await insertToken(db, token, request.token.hash);
  await endOldSessions(db, token);
  for (const organizationId of await workspacesOfToken(db, token)) {
    const actor = { userId: token.userId, tokenId: token.tokenId };
    await writeAudit(db, {
      organizationId,
      now,
      actor,
      action: "token.created",
      target: token.tokenId,
      after: auditedToken(token),
    });
  }
  return token;
}

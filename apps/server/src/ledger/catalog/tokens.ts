/** Access tokens (docs/api/access.md). Only a token's SHA-256 is stored, and no method returns it. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { PageOf, TokenRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Argument, type CatalogDb, isAfterCursor, toPage } from "./database.ts";

const TOKEN_COLUMNS = [
  "tokenId",
  "organizationId",
  "userId",
  "ceiling",
  "sourceId",
  "scope",
  "passwordHash",
  "label",
  "hint",
  "expiresAt",
  "revokedAt",
  "lastUsedAt",
  "createdAt",
] as const satisfies readonly (keyof TokenRecord)[];

/** The part of a token that audit entries show. */
export const auditedToken = (token: TokenRecord) => {
  const { userId, organizationId, ceiling, sourceId, scope, label, hint, expiresAt } = token;
  const hasPassword = token.passwordHash !== null;
  return { userId, organizationId, ceiling, sourceId, scope, hasPassword, label, hint, expiresAt };
};

export async function insertToken(db: CatalogDb, token: TokenRecord, hash: string): Promise<void> {
  await db
    .insertInto("tokens")
    .values({ ...token, hash })
    .execute();
}

const selectTokens = (db: CatalogDb) => db.selectFrom("tokens").select(TOKEN_COLUMNS);

export async function tokenByHash(
  db: CatalogDb,
  { hash }: Argument<"tokenByHash">,
): Promise<TokenRecord | null> {
  return (await selectTokens(db).where("hash", "=", hash).executeTakeFirst()) ?? null;
}

export async function token(db: CatalogDb, { tokenId }: Argument<"token">): Promise<TokenRecord | null> {
  return (await selectTokens(db).where("tokenId", "=", tokenId).executeTakeFirst()) ?? null;
}

const membersOf = (db: CatalogDb, organizationId: string) =>
  db.selectFrom("members").select("userId").where("organizationId", "=", organizationId);

export async function tokens(db: CatalogDb, page: Argument<"tokens">): Promise<PageOf<TokenRecord>> {
  const { organizationId, includeUserWide, sourceId, scope } = page;
  const rows = await selectTokens(db)
    .where((eb) => {
      const own = eb("organizationId", "=", organizationId);
      if (includeUserWide === null) return own;
      const users = includeUserWide === "members" ? membersOf(db, organizationId) : [includeUserWide.userId];
      return eb.or([own, eb.and([eb("organizationId", "is", null), eb("userId", "in", users)])]);
    })
    .$if(sourceId !== null, (query) => query.where("sourceId", "=", sourceId))
    .$if(scope !== null, (query) => query.where("scope", "=", scope))
    .where(isAfterCursor(page, "createdAt", "tokenId"))
    .orderBy("createdAt", "desc")
    .orderBy("tokenId", "desc")
    .limit(page.limit + 1)
    .execute();
  return toPage(rows, page, ({ tokenId }) => tokenId);
}

/** The newest first. A session is a token that a sign-in made. */
export const sessions = (db: CatalogDb, { userId, now }: Argument<"sessions">): Promise<TokenRecord[]> =>
  selectTokens(db)
    .where("userId", "=", userId)
    .where("scope", "=", "console")
    .where("revokedAt", "is", null)
    .where((eb) => eb.or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
    .orderBy("createdAt", "desc")
    .orderBy("tokenId", "desc")
    .execute();

/** Counts the tokens of the token's workspace, or for a user-wide token those of its user. */
async function isAtTokenLimit(
  db: CatalogDb,
  { organizationId, userId }: TokenRecord,
  now: number,
): Promise<boolean> {
  const valid = await db
    .selectFrom("tokens")
    .select("tokenId")
    .where((eb) =>
      organizationId === null
        ? eb.and([eb("organizationId", "is", null), eb("userId", "=", userId)])
        : eb("organizationId", "=", organizationId),
    )
    .where("revokedAt", "is", null)
    .where((eb) => eb.or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
    .limit(SERVER_LIMITS.maxTokens)
    .execute();
  return valid.length >= SERVER_LIMITS.maxTokens;
}

export async function createToken(
  db: CatalogDb,
  made: Argument<"createToken">,
): Promise<"created" | "limit_reached"> {
  const { actor, now, token } = made;
  if (await isAtTokenLimit(db, token, now)) return "limit_reached";
  await insertToken(db, token, made.hash);
  // each workspace that the token can access shows it
  for (const organizationId of await workspacesOfToken(db, token))
    await writeAudit(db, {
      organizationId,
      now,
      actor,
      action: "token.created",
      target: token.tokenId,
      after: auditedToken(token),
    });
  return "created";
}

/** The workspaces that a token can access: its own, or for a user-wide token those of its user. */
export async function workspacesOfToken(
  db: CatalogDb,
  { organizationId, userId }: TokenRecord,
): Promise<string[]> {
  if (organizationId !== null) return [organizationId];
  const rows = await db.selectFrom("members").select("organizationId").where("userId", "=", userId).execute();
  return rows.map((row) => row.organizationId);
}

export async function revokeToken(
  db: CatalogDb,
  revoked: Argument<"revokeToken">,
): Promise<TokenRecord | "unknown"> {
  const { actor, now, tokenId } = revoked;
  const stopped = await db
    .updateTable("tokens")
    .set({ revokedAt: now })
    .where("tokenId", "=", tokenId)
    .where("revokedAt", "is", null)
    .returning(TOKEN_COLUMNS)
    .executeTakeFirst();
  if (!stopped) return (await token(db, { tokenId })) ?? "unknown";
  const before = auditedToken(stopped);
  const action = stopped.scope === "console" ? "session.ended" : "token.revoked";
  for (const organizationId of await workspacesOfToken(db, stopped)) {
    await writeAudit(db, { organizationId, now, actor, action, target: tokenId, before });
  }
  return stopped;
}

/** Several nodes report the use of a token; the latest time is kept. */
export async function recordTokenUse(db: CatalogDb, used: Argument<"recordTokenUse">): Promise<void> {
  for (const { tokenId, lastUsedAt } of used) {
    await db
      .updateTable("tokens")
      .set({ lastUsedAt })
      .where("tokenId", "=", tokenId)
      .where((eb) => eb.or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<", lastUsedAt)]))
      .execute();
  }
}

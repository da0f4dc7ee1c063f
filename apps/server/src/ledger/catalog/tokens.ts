/** Access tokens (docs/api/access.md). Only a token's SHA-256 is stored, and no method returns it. */
import type { TokenScope } from "@headwater/contract";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { PageOf, TokenRecord, WorkspacePageRequest } from "../records.ts";
import { type AuditedChange, type AuditNote, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows, onPage, toPage } from "./database.ts";

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

/** The token of a remembered sign-in. */
export const tokenOfId = (db: CatalogDb, tokenId: string): Promise<TokenRecord | undefined> =>
  selectTokens(db).where("tokenId", "=", tokenId).executeTakeFirst();

async function tokenByHash(db: CatalogDb, { hash }: { hash: string }): Promise<TokenRecord | null> {
  return (await selectTokens(db).where("hash", "=", hash).executeTakeFirst()) ?? null;
}

async function token(db: CatalogDb, { tokenId }: { tokenId: string }): Promise<TokenRecord | null> {
  return (await tokenOfId(db, tokenId)) ?? null;
}

const membersOf = (db: CatalogDb, organizationId: string) =>
  db.selectFrom("members").select("userId").where("organizationId", "=", organizationId);

interface TokenPageRequest extends WorkspacePageRequest {
  /** Also list tokens that are not bound to a workspace: of one user, of all members, or (null) of no user. */
  includeUserWide: { userId: string } | "members" | null;
  /** Only the tokens that are limited to this source's statistics; null: all tokens. */
  sourceId: string | null;
  scope: TokenScope | null;
}

/** Lists the workspace's tokens. */
async function tokens(db: CatalogDb, page: TokenPageRequest): Promise<PageOf<TokenRecord>> {
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
    .$call(onPage(page, "createdAt", "tokenId"))
    .execute();
  return toPage(rows, page, ({ tokenId }) => tokenId);
}

const selectValid = (db: CatalogDb, now: number) =>
  selectTokens(db)
    .where("revokedAt", "is", null)
    .where((eb) => eb.or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]));

/** The valid tokens that sign-ins of the user made, the newest first. */
export const sessions = (
  db: CatalogDb,
  { userId, now }: { userId: string; now: number },
): Promise<TokenRecord[]> =>
  selectValid(db, now)
    .where("userId", "=", userId)
    .where("scope", "=", "console")
    .orderBy("createdAt", "desc")
    .orderBy("tokenId", "desc")
    .execute();

/** The limit is for the tokens of a workspace, or of those that are user-wide for each user. */
async function createToken(
  db: CatalogDb,
  made: AuditedChange & { hash: string; token: TokenRecord },
): Promise<"created" | "limit_reached"> {
  const { now, token } = made;
  const { organizationId, userId, tokenId: target } = token;
  const others = selectValid(db, now).where((eb) =>
    organizationId === null
      ? eb.and([eb("organizationId", "is", null), eb("userId", "=", userId)])
      : eb("organizationId", "=", organizationId),
  );
  if (await hasRows(others, SERVER_LIMITS.maxTokens)) return "limit_reached";
  await insertToken(db, token, made.hash);
  // each workspace that the token can access shows it
  const after = auditedToken(token);
  for (const workspace of await workspacesOfToken(db, token))
    await writeAudit(db, made, { organizationId: workspace, action: "token.created", target, after });
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

/**
 * A token that was revoked before keeps its first `revokedAt`. Every workspace that the token could access gets an audit entry. Nobody
 * is the actor when a link that was opened took a change of an address back.
 */
export async function revokeToken(
  db: CatalogDb,
  revoked: Pick<AuditNote, "actor" | "now" | "after"> & { tokenId: string },
): Promise<TokenRecord | "unknown"> {
  const { now, tokenId, after } = revoked;
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
  for (const organizationId of await workspacesOfToken(db, stopped))
    await writeAudit(db, revoked, { organizationId, action, target: tokenId, before, after });
  return stopped;
}

/** Stores when tokens were last used. Several nodes report it: an earlier time never replaces a later one. */
async function recordTokenUse(db: CatalogDb, used: { tokenId: string; lastUsedAt: number }[]): Promise<void> {
  for (const { tokenId, lastUsedAt } of used)
    await db
      .updateTable("tokens")
      .set({ lastUsedAt })
      .where("tokenId", "=", tokenId)
      .where((eb) => eb.or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<", lastUsedAt)]))
      .execute();
}

export const tokenReads = { tokenByHash, token, tokens, sessions };
export const tokenWrites = { createToken, revokeToken, recordTokenUse };

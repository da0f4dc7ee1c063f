/** Access tokens (CONTRACT section 3): only the SHA-256 of each is kept, and it is never given out. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { TokenRecord } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, isAfter, number, numberOrNull, pageOf } from "./database.ts";
import type { CatalogTables } from "./schema.ts";

type TokenRow = CatalogTables["tokens"];

const tokenOf = (row: Omit<TokenRow, "hash">): TokenRecord => ({
  tokenId: row.token_id,
  organizationId: row.organization_id,
  userId: row.user_id,
  ceiling: row.ceiling,
  sourceId: row.source_id,
  label: row.label,
  hint: row.hint,
  expiresAt: numberOrNull(row.expires_at),
  revokedAt: numberOrNull(row.revoked_at),
  lastUsedAt: numberOrNull(row.last_used_at),
  createdAt: number(row.created_at),
});

/** What the audit log keeps of a token. */
export const auditedToken = (token: TokenRecord) => {
  const { userId, organizationId, ceiling, sourceId, label, hint, expiresAt } = token;
  return { userId, organizationId, ceiling, sourceId, label, hint, expiresAt };
};

export async function insertToken(db: Db, token: TokenRecord, hash: string): Promise<void> {
  await db
    .insertInto("tokens")
    .values({
      token_id: token.tokenId,
      hash,
      organization_id: token.organizationId,
      user_id: token.userId,
      ceiling: token.ceiling,
      source_id: token.sourceId,
      label: token.label,
      hint: token.hint,
      expires_at: token.expiresAt,
      revoked_at: token.revokedAt,
      last_used_at: token.lastUsedAt,
      created_at: token.createdAt,
    })
    .execute();
}

async function tokenByHash(db: Db, { hash }: Asked<"tokenByHash">) {
  const row = await db.selectFrom("tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
  return row ? tokenOf(row) : null;
}

async function token(db: Db, { tokenId }: Asked<"token">) {
  const row = await db.selectFrom("tokens").selectAll().where("token_id", "=", tokenId).executeTakeFirst();
  return row ? tokenOf(row) : null;
}

const membersOf = (db: Db, organizationId: string) =>
  db.selectFrom("members").select("user_id").where("organization_id", "=", organizationId);

async function tokens(db: Db, page: Asked<"tokens">) {
  const { organizationId, includeUserWide, sourceId } = page;
  const rows = await db
    .selectFrom("tokens")
    .selectAll()
    .where((eb) => {
      const own = eb("organization_id", "=", organizationId);
      if (includeUserWide === null) return own;
      const users = includeUserWide === "members" ? membersOf(db, organizationId) : [includeUserWide.userId];
      return eb.or([own, eb.and([eb("organization_id", "is", null), eb("user_id", "in", users)])]);
    })
    .$if(sourceId !== null, (query) => query.where("source_id", "=", sourceId))
    .where(isAfter(page, "created_at", "token_id"))
    .orderBy("created_at")
    .orderBy("token_id")
    .limit(page.limit + 1)
    .execute();
  return pageOf(rows.map(tokenOf), page, ({ tokenId }) => tokenId);
}

/** A workspace's own, or a user's for all workspaces. */
async function hasMany(db: Db, { organizationId, userId }: TokenRecord, now: number): Promise<boolean> {
  const useful = await db
    .selectFrom("tokens")
    .select("token_id")
    .where((eb) =>
      organizationId === null
        ? eb.and([eb("organization_id", "is", null), eb("user_id", "=", userId)])
        : eb("organization_id", "=", organizationId),
    )
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .limit(SERVER_LIMITS.maxTokens)
    .execute();
  return useful.length >= SERVER_LIMITS.maxTokens;
}

async function createToken(db: Db, made: Asked<"createToken">): Promise<"created" | "limit_reached"> {
  const { actor, now, token } = made;
  if (await hasMany(db, token, now)) return "limit_reached";
  await insertToken(db, token, made.hash);
  await writeAudit(db, {
    organizationId: made.auditOrganizationId,
    now,
    actor,
    action: "token.created",
    target: token.tokenId,
    after: auditedToken(token),
  });
  return "created";
}

/** The workspaces in whose log a token stands: its own, else every one of its user's. */
export async function openedBy(db: Db, { organizationId, userId }: TokenRecord): Promise<string[]> {
  if (organizationId !== null) return [organizationId];
  const rows = await db
    .selectFrom("members")
    .select("organization_id")
    .where("user_id", "=", userId)
    .execute();
  return rows.map((row) => row.organization_id);
}

async function revokeToken(db: Db, revoked: Asked<"revokeToken">): Promise<TokenRecord | "unknown"> {
  const { actor, now, tokenId } = revoked;
  const row = await db
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("token_id", "=", tokenId)
    .where("revoked_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!row) return (await token(db, { tokenId })) ?? "unknown";
  const stopped = tokenOf(row);
  const before = auditedToken(stopped);
  for (const organizationId of await openedBy(db, stopped)) {
    await writeAudit(db, { organizationId, now, actor, action: "token.revoked", target: tokenId, before });
  }
  return stopped;
}

/** Several nodes write what each saw; the latest stands. */
async function recordTokenUse(db: Db, used: Asked<"recordTokenUse">): Promise<void> {
  for (const { tokenId, lastUsedAt } of used) {
    await db
      .updateTable("tokens")
      .set({ last_used_at: lastUsedAt })
      .where("token_id", "=", tokenId)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", lastUsedAt)]))
      .execute();
  }
}

type Verbs = "tokenByHash" | "token" | "tokens" | "createToken" | "revokeToken" | "recordTokenUse";

export const tokenVerbs = (db: Db): Pick<Catalog, Verbs> => ({
  tokenByHash: (asked) => tokenByHash(db, asked),
  token: (asked) => token(db, asked),
  tokens: (page) => tokens(db, page),
  createToken: (made) => db.transaction().execute((trx) => createToken(trx, made)),
  revokeToken: (revoked) => db.transaction().execute((trx) => revokeToken(trx, revoked)),
  recordTokenUse: (used) => db.transaction().execute((trx) => recordTokenUse(trx, used)),
});

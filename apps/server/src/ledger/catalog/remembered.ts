/** Sign-ins that a browser remembers by a cookie, and the short-lived tokens that the cookie renews (docs/api/accounts.md). */
import type { RememberedSignIn, TokenRecord } from "../records.ts";
import { type AuditNote, writeAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";
import { auditedToken, revokeToken, tokenOfId, workspacesOfToken } from "./tokens.ts";

/** Browsers that one token is remembered in. A further one forgets the oldest. */
const MAX_REMEMBERED_PER_TOKEN = 50;
/** Two tabs may renew at once, and an answer may be lost on its way: the secret before is good for this long. */
const GRACE_MS = 60_000;
/** The secret changes at the first renewal after this time. */
const ROTATE_MS = 3_600_000;
/** The newest short-lived tokens of a sign-in. An answer that takes long goes on after its token has ended, so the row stays. */
const MAX_REFRESHED = 200;

/** The token behind a short-lived one. */
export interface RefreshedToken {
  token: TokenRecord;
  rememberedId: string;
  endsAt: number;
}

async function refreshedToken(db: CatalogDb, { hash }: { hash: string }): Promise<RefreshedToken | null> {
  const row = await db
    .selectFrom("refreshedTokens")
    .innerJoin("rememberedSignIns", "rememberedSignIns.rememberedId", "refreshedTokens.rememberedId")
    .select(["refreshedTokens.rememberedId", "refreshedTokens.endsAt", "rememberedSignIns.tokenId"])
    .where("hash", "=", hash)
    .executeTakeFirst();
  const token = row && (await tokenOfId(db, row.tokenId));
  return row && token ? { token, rememberedId: row.rememberedId, endsAt: row.endsAt } : null;
}

async function rememberedSignIn(
  db: CatalogDb,
  { rememberedId }: { rememberedId: string },
): Promise<RememberedSignIn | null> {
  const query = db.selectFrom("rememberedSignIns").selectAll();
  return (await query.where("rememberedId", "=", rememberedId).executeTakeFirst()) ?? null;
}

/** Deletes what has expired, and the oldest sign-ins of a token that has too many. */
async function makeRoom(db: CatalogDb, tokenId: string, now: number): Promise<void> {
  await db.deleteFrom("rememberedSignIns").where("expiresAt", "<=", now).execute();
  const oldest = db
    .selectFrom("rememberedSignIns")
    .select("rememberedId")
    .where("tokenId", "=", tokenId)
    .orderBy("createdAt", "desc")
    .orderBy("rememberedId")
    .offset(MAX_REMEMBERED_PER_TOKEN - 1)
    .limit(MAX_REMEMBERED_PER_TOKEN);
  await db.deleteFrom("rememberedSignIns").where("rememberedId", "in", oldest).execute();
  const kept = db.selectFrom("rememberedSignIns").select("rememberedId");
  await db.deleteFrom("refreshedTokens").where("rememberedId", "not in", kept).execute();
}

/** The audit log has the sign-in by a one-time code already; that with an access token begins here. */
async function rememberSignIn(
  db: CatalogDb,
  {
    token,
    now,
    ...made
  }: Pick<RememberedSignIn, "rememberedId" | "secretHash" | "expiresAt"> & {
    token: TokenRecord;
    now: number;
  },
): Promise<void> {
  const { tokenId, userId } = token;
  await makeRoom(db, tokenId, now);
  const times = { rotatedAt: now, usedAt: now, createdAt: now };
  await db
    .insertInto("rememberedSignIns")
    .values({ ...made, tokenId, previousHash: null, salt: null, ...times })
    .execute();
  if (token.scope === "console") return;
  const entry = { action: "session.started", target: tokenId, after: auditedToken(token) };
  for (const organizationId of await workspacesOfToken(db, token))
    await writeAudit(db, { actor: { userId, tokenId }, now }, { ...entry, organizationId });
}

interface Renewal {
  rememberedId: string;
  /** Of the secret in the cookie of the request. */
  secretHash: string;
  /** The next secret, if it is time for one: its hash, and the salt that makes it of the secret of the request. */
  next: { secretHash: string; salt: string };
  /** The short-lived token. */
  made: { hash: string; endsAt: number };
  /** A sign-in that was last used before has ended. */
  idleSince: number;
  now: number;
}

/** `reused`: somebody has a secret that was replaced. */
export type RenewalFailure = "unknown" | "expired" | "revoked" | "reused";

/** Finds the secret that follows that of the request. @returns null: it stays; `reused`: it was replaced before the grace */
function rotate(row: RememberedSignIn, { secretHash, next, now }: Renewal) {
  if (secretHash === row.secretHash) return now >= row.rotatedAt + ROTATE_MS ? next : null;
  const isInGrace = secretHash === row.previousHash && now < row.rotatedAt + GRACE_MS;
  // every tab that has the secret before gets the same next one
  return isInGrace && row.salt !== null ? { secretHash: row.secretHash, salt: row.salt } : "reused";
}

/** Locks the row, so that two nodes do not rotate it at once. */
const lockRemembered = (db: CatalogDb, rememberedId: string) =>
  db
    .updateTable("rememberedSignIns")
    .set((eb) => ({ tokenId: eb.ref("tokenId") }))
    .where("rememberedId", "=", rememberedId)
    .returningAll()
    .executeTakeFirst();

/** Stores a short-lived token, and rotates the secret of the cookie. @returns the salt of the next secret; null: the secret stays */
async function renewSignIn(
  db: CatalogDb,
  renewal: Renewal,
): Promise<{ salt: string | null; expiresAt: number } | RenewalFailure> {
  const { rememberedId, made, now } = renewal;
  const row = await lockRemembered(db, rememberedId);
  const token = row && (await tokenOfId(db, row.tokenId));
  if (!row || !token) return "unknown";
  const next = rotate(row, renewal);
  if (next === "reused") return next;
  if (token.revokedAt !== null) return "revoked";
  const expiresAt = Math.min(row.expiresAt, token.expiresAt ?? row.expiresAt);
  if (expiresAt <= now || row.usedAt <= renewal.idleSince) return "expired";
  const isRotated = next !== null && next.secretHash !== row.secretHash;
  const rotated = isRotated
    ? { secretHash: next.secretHash, previousHash: row.secretHash, salt: next.salt, rotatedAt: now }
    : {};
  const changed = { usedAt: now, ...rotated };
  await db.updateTable("rememberedSignIns").set(changed).where("rememberedId", "=", rememberedId).execute();
  const oldest = db
    .selectFrom("refreshedTokens")
    .select("hash")
    .where("rememberedId", "=", rememberedId)
    .orderBy("endsAt", "desc")
    .offset(MAX_REFRESHED - 1)
    .limit(MAX_REFRESHED);
  await db.deleteFrom("refreshedTokens").where("hash", "in", oldest).execute();
  const endsAt = Math.min(made.endsAt, expiresAt);
  await db.insertInto("refreshedTokens").values({ hash: made.hash, rememberedId, endsAt }).execute();
  return { salt: next?.salt ?? null, expiresAt };
}

/** Forgets a sign-in with its short-lived tokens, and ends its session. An access token stays: programs may use it too. */
async function forgetSignIn(
  db: CatalogDb,
  forgotten: Pick<AuditNote, "actor" | "now" | "after"> & { rememberedId: string },
): Promise<void> {
  const { rememberedId } = forgotten;
  const row = await db
    .deleteFrom("rememberedSignIns")
    .where("rememberedId", "=", rememberedId)
    .returning("tokenId")
    .executeTakeFirst();
  await db.deleteFrom("refreshedTokens").where("rememberedId", "=", rememberedId).execute();
  const token = row && (await tokenOfId(db, row.tokenId));
  if (!token) return;
  const { tokenId } = token;
  if (token.scope === "console") {
    await revokeToken(db, { ...forgotten, tokenId });
    return;
  }
  const entry = { action: "session.ended", target: tokenId, before: auditedToken(token) };
  for (const organizationId of await workspacesOfToken(db, token))
    await writeAudit(db, forgotten, { ...entry, organizationId, after: forgotten.after });
}

export const rememberedReads = { refreshedToken, rememberedSignIn };
export const rememberedWrites = { rememberSignIn, renewSignIn, forgetSignIn };

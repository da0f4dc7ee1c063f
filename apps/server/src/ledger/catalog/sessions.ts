/** Sessions of the console: the tokens that sign-ins make. */
import type { TokenRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";
import { auditedToken, insertToken, revokeToken, sessions, workspacesOfToken } from "./tokens.ts";

/** Sessions of the console of one user. A further sign-in ends the oldest. */
const MAX_SESSIONS_PER_USER = 50;

/** A token that `setUp` or a sign-in creates; the other members follow from its user. */
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

/** A person who signs in again and again has a bounded number of sessions: the oldest end. */
async function endOldSessions(db: CatalogDb, { userId, createdAt: now }: TokenRecord): Promise<void> {
  const old = (await sessions(db, { userId, now })).slice(MAX_SESSIONS_PER_USER);
  for (const { tokenId } of old) await revokeToken(db, { tokenId, actor: { userId, tokenId }, now });
}

export interface NewSession {
  token: NewUserToken;
  /** When the token expires. */
  expiresAt: number;
  now: number;
}

/** Makes the token of a sign-in. Each workspace that it can access gets an audit entry, with the `details`. */
export async function startSession(
  db: CatalogDb,
  { userId, token: made, expiresAt, now, details }: NewSession & { userId: string; details: object },
): Promise<TokenRecord> {
  const token: TokenRecord = { ...toUserToken(made, userId, now), scope: "console", expiresAt };
  const { tokenId } = token;
  await insertToken(db, token, made.hash);
  await endOldSessions(db, token);
  const entry = { action: "session.started", target: tokenId, after: { ...auditedToken(token), ...details } };
  for (const organizationId of await workspacesOfToken(db, token))
    await writeAudit(db, { actor: { userId, tokenId }, now }, { ...entry, organizationId });
  return token;
}

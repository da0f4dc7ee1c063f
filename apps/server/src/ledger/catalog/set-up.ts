/** The first start: one workspace, its owner, the owner's token, and a one-time sign-in code (docs/contract.md sections 3 and 6). */
import type { TokenRecord } from "../../core/records.ts";
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { insertOrganization } from "./organizations.ts";
import { auditedToken, insertToken, workspacesOfToken } from "./tokens.ts";

/** A user-wide token with all rights of its user. */
const toUserToken = (
  { tokenId, label, hint }: Argument<"signIn">["token"],
  userId: string,
  now: number,
): TokenRecord => ({
  tokenId,
  organizationId: null,
  userId,
  ceiling: null,
  sourceId: null,
  label,
  hint,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: now,
});

export async function setUp(db: CatalogDb, first: Argument<"setUp">): Promise<boolean> {
  const { organizationId, userId, now } = first;
  if (await db.selectFrom("organizations").select("organizationId").limit(1).executeTakeFirst()) return false;
  const token = toUserToken(first.token, userId, now);
  if (!(await insertOrganization(db, { organizationId, name: first.organizationName, userId, now })))
    return false;
  await insertToken(db, token, first.token.hash);
  if (first.signIn) {
    await db
      .insertInto("signInCodes")
      .values({ hash: first.signIn.codeHash, userId, expiresAt: first.signIn.expiresAt })
      .execute();
  }
  const shared = { organizationId, now, actor: { userId: null, tokenId: null } };
  const after = { name: first.organizationName, owner: userId };
  await writeAudit(db, { ...shared, action: "organization.created", target: organizationId, after });
  await writeAudit(db, {
    ...shared,
    action: "token.created",
    target: token.tokenId,
    after: auditedToken(token),
  });
  return true;
}

/** Every try deletes the code, also when it has expired. Each workspace that the token can access gets an audit entry. */
export async function signIn(
  db: CatalogDb,
  exchange: Argument<"signIn">,
): Promise<TokenRecord | "unknown" | "expired"> {
  const { codeHash, now } = exchange;
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .returningAll()
    .executeTakeFirst();
  if (!code) return "unknown";
  if (code.expiresAt <= now) return "expired";

  const token = toUserToken(exchange.token, code.userId, now);
  await insertToken(db, token, exchange.token.hash);
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

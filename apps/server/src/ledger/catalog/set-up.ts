/** What the first start writes (docs/api/access.md). */
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { insertOrganization } from "./organizations.ts";
import { createSignInCode, toUserToken } from "./sign-in-codes.ts";
import { auditedToken, insertToken } from "./tokens.ts";

/** Creates the workspace, its owner, the owner's token and a sign-in code. @returns false when a workspace exists already */
export async function setUp(db: CatalogDb, first: Argument<"setUp">): Promise<boolean> {
  const { organizationId, userId, now } = first;
  if (await db.selectFrom("organizations").select("organizationId").limit(1).executeTakeFirst()) return false;
  if (!(await insertOrganization(db, { organizationId, name: first.organizationName, userId, now })))
    return false;
  if (first.signIn) await createSignInCode(db, { ...first.signIn, userId, now });
  const entry = { organizationId, now, actor: { userId: null, tokenId: null } };
  const after = { name: first.organizationName, owner: userId };
  await writeAudit(db, { ...entry, action: "organization.created", target: organizationId, after });
  if (first.token === null) return true;
  const token = toUserToken(first.token, userId, now);
  await insertToken(db, token, first.token.hash);
  await writeAudit(db, {
    ...entry,
    action: "token.created",
    target: token.tokenId,
    after: auditedToken(token),
  });
  return true;
}

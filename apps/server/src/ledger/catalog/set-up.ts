/** Writes the data of the first start: workspace, owner, token and sign-in code (docs/api/access.md). */
import { writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows } from "./database.ts";
import { insertOrganization } from "./organizations.ts";
import { type NewUserToken, toUserToken } from "./sessions.ts";
import { createSignInCode } from "./sign-in-codes.ts";
import { auditedToken, insertToken } from "./tokens.ts";

interface FirstWorkspace {
  organizationId: string;
  organizationName: string;
  userId: string;
  /** The owner's token; null: create none. */
  token: NewUserToken | null;
  /** The hash of the one-time sign-in code; null: create none. */
  signIn: { codeHash: string; expiresAt: number } | null;
  now: number;
}

/** Creates the first workspace and its owner. @returns false when the ledger has a workspace already */
async function setUp(db: CatalogDb, first: FirstWorkspace): Promise<boolean> {
  const { organizationId, organizationName: name, userId, now } = first;
  if (await hasRows(db.selectFrom("organizations").select("organizationId"), 1)) return false;
  if (!(await insertOrganization(db, { organizationId, name, userId, now }))) return false;
  if (first.signIn) await createSignInCode(db, { ...first.signIn, userId, now });
  const start = { now, actor: { userId: null, tokenId: null } };
  const entry = { organizationId, action: "organization.created", target: organizationId };
  await writeAudit(db, start, { ...entry, after: { name, owner: userId } });
  if (first.token === null) return true;
  const token = toUserToken(first.token, userId, now);
  await insertToken(db, token, first.token.hash);
  const after = auditedToken(token);
  await writeAudit(db, start, { organizationId, action: "token.created", target: token.tokenId, after });
  return true;
}

export const setUpWrites = { setUp };

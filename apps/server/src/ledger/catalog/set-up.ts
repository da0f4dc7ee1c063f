/** The first start: one workspace, its owner, the owner's token, and the console's one-time code (CONTRACT sections 3 and 6). */

import type { TokenRecord } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, number } from "./database.ts";
import { insertOrganization } from "./organizations.ts";
import { auditedToken, insertToken, openedBy } from "./tokens.ts";

/** An owner's token opens every workspace of the owner. */
const ownersToken = (given: Asked<"signIn">["token"], userId: string, now: number): TokenRecord => ({
  tokenId: given.tokenId,
  organizationId: null,
  userId,
  ceiling: null,
  sourceId: null,
  label: given.label,
  hint: given.hint,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: now,
});

async function setUp(db: Db, first: Asked<"setUp">): Promise<boolean> {
  const { organizationId, userId, now } = first;
  if (await db.selectFrom("organizations").select("organization_id").limit(1).executeTakeFirst())
    return false;
  const token = ownersToken(first.token, userId, now);
  if (!(await insertOrganization(db, { organizationId, name: first.organizationName, userId, now })))
    return false;
  await insertToken(db, token, first.token.hash);
  if (first.signIn) {
    await db
      .insertInto("sign_in_codes")
      .values({ hash: first.signIn.codeHash, user_id: userId, expires_at: first.signIn.expiresAt })
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

/** The code is gone after the first try, in time or not. The token shows in the log of each workspace that it opens. */
async function signIn(db: Db, exchange: Asked<"signIn">): Promise<TokenRecord | "unknown" | "expired"> {
  const { codeHash, now } = exchange;
  const code = await db
    .deleteFrom("sign_in_codes")
    .where("hash", "=", codeHash)
    .returningAll()
    .executeTakeFirst();
  if (!code) return "unknown";
  if (number(code.expires_at) <= now) return "expired";

  const token = ownersToken(exchange.token, code.user_id, now);
  await insertToken(db, token, exchange.token.hash);
  for (const organizationId of await openedBy(db, token)) {
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

export const setUpVerbs = (db: Db): Pick<Catalog, "setUp" | "signIn"> => ({
  setUp: (first) => db.transaction().execute((trx) => setUp(trx, first)),
  signIn: (exchange) => db.transaction().execute((trx) => signIn(trx, exchange)),
});

/**
 * What only the operator of a machine may ask, over all workspaces. It is no part of the ledger's port, whose verbs
 * serve requests: no request may see another's workspaces, or revoke a token for all of another user's.
 */
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Actor, TokenRecord } from "../ledger/records.ts";
import { writeAudit } from "../ledger/register/audit.ts";
import { numberOrNull } from "../ledger/register/database.ts";
import { insertOrganization } from "../ledger/register/organizations.ts";
import type { RegisterTables } from "../ledger/register/schema.ts";
import { auditedToken } from "../ledger/register/tokens.ts";
import { ledgerPath } from "../ledger/sqlite/database.ts";
import { sqliteDialect } from "../ledger/sqlite/dialect.ts";

type Db = Kysely<RegisterTables>;
const BUSY_MS = 5_000;

async function workspaces(db: Db) {
  const rows = await db
    .selectFrom("organizations")
    .select((eb) => [
      "organization_id as organizationId",
      "name",
      "created_at as createdAt",
      eb
        .selectFrom("members")
        .whereRef("members.organization_id", "=", "organizations.organization_id")
        .select((count) => count.fn.countAll<number>().as("members"))
        .as("members"),
      eb
        .selectFrom("sources")
        .whereRef("sources.organization_id", "=", "organizations.organization_id")
        .where("sources.deleted_at", "is", null)
        .select((count) => count.fn.countAll<number>().as("sources"))
        .as("sources"),
    ])
    .orderBy("created_at")
    .orderBy("organization_id")
    .execute();
  return rows.map((row) => ({ ...row, members: row.members ?? 0, sources: row.sources ?? 0 }));
}

const tokenOf = (row: RegisterTables["tokens"]): TokenRecord => ({
  tokenId: row.token_id,
  organizationId: row.organization_id,
  userId: row.user_id,
  label: row.label,
  hint: row.hint,
  expiresAt: numberOrNull(row.expires_at),
  revokedAt: numberOrNull(row.revoked_at),
  lastUsedAt: numberOrNull(row.last_used_at),
  createdAt: row.created_at,
});

/** Tokens that open a workspace because they open every one of a member's. */
async function wideTokens(db: Db, organizationId: string): Promise<TokenRecord[]> {
  const rows = await db
    .selectFrom("tokens")
    .innerJoin("members", "members.user_id", "tokens.user_id")
    .where("members.organization_id", "=", organizationId)
    .where("tokens.organization_id", "is", null)
    .selectAll("tokens")
    .orderBy("tokens.created_at")
    .orderBy("tokens.token_id")
    .execute();
  return rows.map(tokenOf);
}

/** The audit log of each workspace that the token opened says so. */
async function revokeWideToken(db: Db, revoked: { tokenId: string; actor: Actor; now: number }) {
  const { tokenId, actor, now } = revoked;
  const row = await db
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("token_id", "=", tokenId)
    .where("organization_id", "is", null)
    .where("revoked_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!row) return;
  const before = auditedToken(tokenOf(row));
  const opened = await db.selectFrom("members").selectAll().where("user_id", "=", row.user_id).execute();
  for (const { organization_id: organizationId } of opened) {
    await writeAudit(db, { organizationId, now, actor, action: "token.revoked", target: tokenId, before });
  }
}

interface NewWorkspace {
  organizationId: string;
  name: string;
  owner: string;
  actor: Actor;
  now: number;
}

/** The port's verb makes whoever makes a workspace its owner. */
async function createWorkspace(db: Db, made: NewWorkspace): Promise<void> {
  const { organizationId, name, owner, actor, now } = made;
  await insertOrganization(db, { organizationId, name, userId: owner, now });
  const after = { name, owner };
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "organization.created",
    target: organizationId,
    after,
  });
}

export type WholeLedger = ReturnType<typeof openWholeLedger>;

/** A connection of its own to a ledger whose schema is up to date. */
export function openWholeLedger(dataDir: string) {
  const database = new DatabaseSync(ledgerPath(dataDir), { timeout: BUSY_MS });
  database.exec("pragma synchronous = full");
  const db: Db = new Kysely<RegisterTables>({ dialect: sqliteDialect(database) });
  return {
    workspaces: () => workspaces(db),
    createWorkspace: (made: NewWorkspace) => db.transaction().execute((trx) => createWorkspace(trx, made)),
    wideTokens: (organizationId: string) => wideTokens(db, organizationId),
    revokeWideToken: (revoked: { tokenId: string; actor: Actor; now: number }) =>
      db.transaction().execute((trx) => revokeWideToken(trx, revoked)),
    close: () => database.close(),
  };
}

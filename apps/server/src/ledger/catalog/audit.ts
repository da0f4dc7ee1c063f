/** The append-only audit log (CONTRACT section 2): who, with which token, when, what, before, after. */

import type { AuditRecord, PageOf, WorkspacePageRequest } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { type Asked, type Db, number } from "./database.ts";

interface Entry {
  organizationId: string;
  now: number;
  actor: { userId: string | null; tokenId: string | null };
  action: string;
  target: string;
  /** Without secrets: the log is shown to admins. */
  before?: unknown;
  after?: unknown;
}

const text = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const value = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** Call it in the transaction of the change itself. */
export async function writeAudit(db: Db, entry: Entry): Promise<void> {
  await db
    .insertInto("audit")
    .values({
      organization_id: entry.organizationId,
      at: entry.now,
      user_id: entry.actor.userId,
      token_id: entry.actor.tokenId,
      action: entry.action,
      target: entry.target,
      before_json: text(entry.before),
      after_json: text(entry.after),
    })
    .execute();
}

/** Newest first; the cursor is the sequence number of the last row given. */
async function auditPage(db: Db, page: WorkspacePageRequest): Promise<PageOf<AuditRecord>> {
  const found = await db
    .selectFrom("audit")
    .selectAll()
    .where("organization_id", "=", page.organizationId)
    .$if(page.cursor !== null, (query) => query.where("seq", "<", Number(page.cursor)))
    .orderBy("seq", "desc")
    .limit(page.limit + 1)
    .execute();
  const rows = found.slice(0, page.limit).map((row) => ({
    auditId: `aud_${row.seq}`,
    at: number(row.at),
    userId: row.user_id,
    tokenId: row.token_id,
    action: row.action,
    target: row.target,
    before: value(row.before_json),
    after: value(row.after_json),
  }));
  return { rows, nextCursor: found.length > page.limit ? String(found[page.limit - 1]!.seq) : null };
}

const SLICE = 1_000;

/** A token stays as long as the log may speak of it. */
async function expireAudit(db: Db, { before }: Asked<"expireAudit">): Promise<boolean> {
  const old = db.selectFrom("audit").select("seq").where("at", "<", before).orderBy("seq").limit(SLICE);
  const entries = await db.deleteFrom("audit").where("seq", "in", old).executeTakeFirstOrThrow();
  const useless = db
    .selectFrom("tokens")
    .select("token_id")
    .where((eb) => eb.or([eb("revoked_at", "<", before), eb("expires_at", "<", before)]))
    .limit(SLICE);
  const tokens = await db.deleteFrom("tokens").where("token_id", "in", useless).executeTakeFirstOrThrow();
  return [entries, tokens].some(({ numDeletedRows }) => Number(numDeletedRows) === SLICE);
}

export const auditVerbs = (db: Db): Pick<Catalog, "audit" | "expireAudit"> => ({
  audit: (page) => auditPage(db, page),
  expireAudit: (at) => db.transaction().execute((trx) => expireAudit(trx, at)),
});

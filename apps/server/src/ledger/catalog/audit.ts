/** The append-only audit log (docs/api/access.md): who changed what, with which token, when. */
import type { ActorKind } from "@headwater/contract";
import { COMMAND_LINE_USER, isServiceAccount } from "../../core/users.ts";
import type { AuditRecord, PageOf, TokenRecord } from "../records.ts";
import type { Argument, CatalogDb } from "./database.ts";

interface NewAuditEntry {
  organizationId: string;
  now: number;
  actor: { userId: string | null; tokenId: string | null };
  action: string;
  target: string;
  /** Must not contain secrets: admins can read the log. */
  before?: unknown;
  after?: unknown;
}

/** Rows deleted by one call of `expireAudit`, per table. */
const SLICE_ROWS = 1_000;

const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const fromJson = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** Call it in the transaction of the change itself. */
export async function writeAudit(db: CatalogDb, entry: NewAuditEntry): Promise<void> {
  const { organizationId, now, actor, action, target, before, after } = entry;
  await db
    .insertInto("audit")
    .values({
      organizationId,
      at: now,
      userId: actor.userId,
      tokenId: actor.tokenId,
      action,
      target,
      beforeJson: toJson(before),
      afterJson: toJson(after),
    })
    .execute();
}

export async function recordAudit(db: CatalogDb, note: Argument<"recordAudit">): Promise<void> {
  await writeAudit(db, note);
}

/** Writes an entry about a person into the log of each workspace that they belong to. */
export async function writePersonAudit(
  db: CatalogDb,
  entry: Omit<NewAuditEntry, "organizationId" | "target"> & { userId: string },
): Promise<void> {
  const { userId, ...rest } = entry;
  const joined = await db
    .selectFrom("members")
    .select("organizationId")
    .where("userId", "=", userId)
    .execute();
  for (const { organizationId } of joined) await writeAudit(db, { ...rest, organizationId, target: userId });
}

/** A sign-in that failed, without the user of its address: nobody is known to have acted. */
const FAILED_SIGN_IN = "session.refused";

interface Acted {
  readonly userId: string | null;
  readonly tokenId: string | null;
  readonly scope: TokenRecord["scope"];
  readonly action: string;
}

/** A person acts by a session of the console or a JWT, which is no token of the ledger. */
function actorOf({ userId, tokenId, scope, action }: Acted): ActorKind {
  if (action === FAILED_SIGN_IN) return "stranger";
  if (userId === null) return tokenId === null ? "system" : "shared_link";
  if (userId === COMMAND_LINE_USER) return "command_line";
  if (isServiceAccount(userId)) return "service_account";
  return tokenId === null || scope === "console" ? "person" : "token";
}

/** The cursor is the sequence number of the last row of the page. */
export async function audit(db: CatalogDb, page: Argument<"audit">): Promise<PageOf<AuditRecord>> {
  const { userId, target, action } = page;
  const found = await db
    .selectFrom("audit")
    .leftJoin("tokens", "tokens.tokenId", "audit.tokenId")
    .selectAll("audit")
    .select("tokens.scope as scope")
    .where("audit.organizationId", "=", page.organizationId)
    .$if(page.cursor !== null, (query) => query.where("seq", "<", Number(page.cursor)))
    .$if(userId !== undefined, (query) => query.where("audit.userId", "=", userId ?? ""))
    .$if(target !== undefined, (query) => query.where("target", "=", target ?? ""))
    .$if(action !== undefined, (query) =>
      query.where((eb) =>
        // a dot follows the kind, and a slash is the character after the dot
        eb.or([
          eb("action", "=", action ?? ""),
          eb.and([eb("action", ">", `${action}.`), eb("action", "<", `${action}/`)]),
        ]),
      ),
    )
    .orderBy("seq", "desc")
    .limit(page.limit + 1)
    .execute();
  const shown = found.slice(0, page.limit);
  const rows = shown.map(({ seq, at, userId, tokenId, action, target, beforeJson, afterJson, scope }) => ({
    auditId: `aud_${seq}`,
    at,
    actor: actorOf({ userId, tokenId, scope, action }),
    userId,
    tokenId,
    action,
    target,
    before: fromJson(beforeJson),
    after: fromJson(afterJson),
  }));
  const last = found.length > page.limit ? shown.at(-1) : undefined;
  return { rows, nextCursor: last ? String(last.seq) : null };
}

/** Tokens are kept as long as the audit log may mention them. */
export async function expireAudit(db: CatalogDb, { before }: Argument<"expireAudit">): Promise<boolean> {
  const oldEntries = db
    .selectFrom("audit")
    .select("seq")
    .where("at", "<", before)
    .orderBy("seq")
    .limit(SLICE_ROWS);
  const entries = await db.deleteFrom("audit").where("seq", "in", oldEntries).executeTakeFirstOrThrow();
  const endedTokens = db
    .selectFrom("tokens")
    .select("tokenId")
    .where((eb) => eb.or([eb("revokedAt", "<", before), eb("expiresAt", "<", before)]))
    .limit(SLICE_ROWS);
  const tokens = await db.deleteFrom("tokens").where("tokenId", "in", endedTokens).executeTakeFirstOrThrow();
  return [entries, tokens].some(({ numDeletedRows }) => Number(numDeletedRows) === SLICE_ROWS);
}

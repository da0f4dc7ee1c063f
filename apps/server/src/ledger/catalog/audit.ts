/** The append-only audit log (docs/api/access.md): who changed what, with which token, when. */
import type { ActorKind } from "@headwater/contract";
import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { toStorable } from "../../core/text.ts";
import { COMMAND_LINE_USER, isServiceAccount } from "../../core/users.ts";
import type { Actor, AuditRecord, PageOf, TokenRecord, WorkspacePageRequest } from "../records.ts";
import type { CatalogDb } from "./database.ts";
import type { CatalogTables } from "./schema.ts";

/** The actor and the time of a change. A method that takes it writes an audit entry in the same transaction. */
export interface AuditedChange {
  actor: Actor;
  now: number;
}

/** Also a change by nobody who is signed in. */
interface ChangeByAnyone {
  actor: { userId: string | null; tokenId: string | null };
  now: number;
}

/** The actor who has only the link of a mail. */
export const LINK_HOLDER = { userId: null, tokenId: null };

interface NewAuditEntry {
  organizationId: string;
  action: string;
  target: string;
  /** Must not contain secrets: admins can read the log. */
  before?: unknown;
  after?: unknown;
}

export type AuditNote = ChangeByAnyone & NewAuditEntry;

/** Rows deleted by one call of `expireAudit`, per table. */
const SLICE_ROWS = 1_000;

const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const fromJson = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** Call it in the transaction of the change itself. */
export async function writeAudit(
  db: CatalogDb,
  { actor: { userId, tokenId }, now: at }: ChangeByAnyone,
  { organizationId, action, target, before, after }: NewAuditEntry,
): Promise<void> {
  const who = { organizationId, at, userId, tokenId };
  await db
    .insertInto("audit")
    .values({ ...who, action, target, beforeJson: toJson(before), afterJson: toJson(after) })
    .execute();
}

/** For something that changes nothing else. */
const recordAudit = (db: CatalogDb, note: AuditNote): Promise<void> => writeAudit(db, note, note);

/** Writes an entry about a person into the log of each workspace that they belong to. */
export async function writePersonAudit(
  db: CatalogDb,
  change: ChangeByAnyone,
  { userId, ...entry }: Omit<NewAuditEntry, "organizationId" | "target"> & { userId: string },
): Promise<void> {
  const joined = await db
    .selectFrom("members")
    .select("organizationId")
    .where("userId", "=", userId)
    .execute();
  for (const { organizationId } of joined)
    await writeAudit(db, change, { ...entry, organizationId, target: userId });
}

/** A sign-in that failed, without the user of its address: nobody is known to have acted. */
const FAILED_SIGN_IN = "session.refused";

interface Acted {
  readonly userId: string | null;
  readonly tokenId: string | null;
  readonly scope: TokenRecord["scope"];
  readonly action: string;
}

/** A person acts by a session of the console or a JWT, which is not a token of the ledger. */
function actorOf({ userId, tokenId, scope, action }: Acted): ActorKind {
  if (action === FAILED_SIGN_IN) return "stranger";
  if (userId === null) return tokenId === null ? "system" : "shared_link";
  if (userId === COMMAND_LINE_USER) return "command_line";
  if (isServiceAccount(userId)) return "service_account";
  return tokenId === null || scope === "console" ? "person" : "token";
}

interface AuditPageRequest extends WorkspacePageRequest {
  userId?: string | undefined;
  target?: string | undefined;
  /** An action, or the part before its dot for all of its kind. */
  action?: string | undefined;
  /** Bounds of the time; `to` is exclusive. */
  from?: number | undefined;
  to?: number | undefined;
  search?: AuditSearch | undefined;
}

interface AuditSearch {
  /** The entry, or the name of its source or member, contains it. */
  text: string;
  /** How many entries one call looks at: it holds up the writes of the ledger. */
  maxEntries: number;
}

/** The entries that satisfy the filters, newest first. */
const entriesOf = (db: CatalogDb, page: AuditPageRequest) => {
  const { userId, target, action, from, to } = page;
  return db
    .selectFrom("audit")
    .where("audit.organizationId", "=", page.organizationId)
    .$if(page.cursor !== null, (query) => query.where("seq", "<", Number(page.cursor)))
    .$if(userId !== undefined, (query) => query.where("audit.userId", "=", userId ?? ""))
    .$if(target !== undefined, (query) => query.where("target", "=", target ?? ""))
    .$if(from !== undefined, (query) => query.where("at", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("at", "<", to ?? 0))
    .$if(action !== undefined, (query) =>
      query.where((eb) =>
        // a dot follows the kind, and a slash is the character after the dot
        eb.or([
          eb("action", "=", action ?? ""),
          eb.and([eb("action", ">", `${action}.`), eb("action", "<", `${action}/`)]),
        ]),
      ),
    )
    .orderBy("seq", "desc");
};

/** @returns the last entry that a search looks at; null: it reaches the end of the log */
async function endOfSearch(db: CatalogDb, page: AuditPageRequest): Promise<number | null> {
  if (page.search === undefined) return null;
  const end = entriesOf(db, page).select("seq").limit(1);
  return (await end.offset(page.search.maxEntries - 1).executeTakeFirst())?.seq ?? null;
}

/** The sources and members whose name contains the text in any case. A workspace has a bounded number of both. */
async function idsNamed(db: CatalogDb, organizationId: string, text: string): Promise<string[]> {
  const sources = await db
    .selectFrom("sources")
    .select(["sourceId", "settings"])
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .execute();
  const members = await db
    .selectFrom("members")
    .leftJoin("profiles", "profiles.userId", "members.userId")
    .select(["members.userId", "members.name", "profiles.name as ownName", "profiles.email"])
    .where("members.organizationId", "=", organizationId)
    .execute();
  const named = [
    ...sources.map(({ sourceId, settings }) => ({ id: sourceId, names: [JSON.parse(settings).name] })),
    ...members.map(({ userId, name, ownName, email }) => ({ id: userId, names: [name, ownName, email] })),
  ];
  const isFound = (name: string | null) => name?.toLowerCase().includes(text.toLowerCase());
  return named.filter(({ names }) => names.some(isFound)).map(({ id }) => id);
}

/** Whether an entry contains the text, or is by or about one of the ids. SQLite ignores the case of ASCII letters only. */
function contains(text: string, ids: readonly string[]) {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  const like = (value: RawBuilder<unknown>) => sql<SqlBool>`lower(${value}) like ${pattern} escape '\\'`;
  return (eb: ExpressionBuilder<CatalogTables, "audit">) =>
    eb.or([
      ...["action", "target", "beforeJson", "afterJson"].map((name) => like(sql.ref(name))),
      // `source.key_rotated` is read as "source key rotated"
      like(sql`replace(replace(${sql.ref("action")}, '.', ' '), '_', ' ')`),
      ...(ids.length === 0 ? [] : [eb("target", "in", ids), eb("audit.userId", "in", ids)]),
    ]);
}

/** The cursor is the sequence number of the last entry that the page covers. */
async function audit(db: CatalogDb, page: AuditPageRequest): Promise<PageOf<AuditRecord>> {
  const { organizationId, search } = page;
  const text = toStorable(search?.text ?? "");
  const ids = search ? await idsNamed(db, organizationId, text) : [];
  const end = await endOfSearch(db, page);
  const found = await entriesOf(db, page)
    .leftJoin("tokens", "tokens.tokenId", "audit.tokenId")
    .selectAll("audit")
    .select("tokens.scope as scope")
    .$if(search !== undefined, (query) => query.where(contains(text, ids)))
    .$if(end !== null, (query) => query.where("seq", ">=", end ?? 0))
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
  const last = found.length > page.limit ? (shown.at(-1)?.seq ?? null) : end;
  return { rows, nextCursor: last === null ? null : String(last) };
}

/**
 * Deletes a slice of the audit entries written before that time, and of the tokens that expired or were revoked before it: tokens
 * are kept as long as the audit log may mention them.
 * @returns false when done
 */
async function expireAudit(db: CatalogDb, { before }: { before: number }): Promise<boolean> {
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

export const auditReads = { audit };
export const auditWrites = { recordAudit, expireAudit };

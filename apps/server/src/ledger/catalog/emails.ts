/** Changes of people's e-mail addresses, and their way back by a link to the previous one (docs/api/accounts.md). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { ProfileRecord } from "../records.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { changeEmail, profile } from "./profiles.ts";
import { revokeToken } from "./tokens.ts";

/** Who opens a link is not signed in. */
const LINK_HOLDER = { userId: null, tokenId: null };

/** Deletes the codes of links that may be in the mailbox of an address that is no longer the user's. */
const deleteSignInCodes = (db: CatalogDb, userId: string) =>
  db.deleteFrom("signInCodes").where("userId", "=", userId).where("purpose", "=", "sign_in").execute();

async function canBeRestored(db: CatalogDb, userId: string, now: number): Promise<boolean> {
  const open = await db
    .selectFrom("signInCodes")
    .select("hash")
    .where("userId", "=", userId)
    .where("purpose", "=", "restore_email")
    .where("expiresAt", ">", now)
    .execute();
  return open.length < SERVER_LIMITS.maxEmailChanges;
}

export async function confirmEmail(
  db: CatalogDb,
  { codeHash, userId, actor, now, restoring }: Argument<"confirmEmail">,
): Promise<{ profile: ProfileRecord; previousEmail: string | null } | "unknown" | "taken" | "too_many"> {
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .where("userId", "=", userId)
    .where("purpose", "=", "confirm_email")
    .returningAll()
    .executeTakeFirst();
  if (!code || code.email === null || code.expiresAt <= now) return "unknown";
  const known = await profile(db, { userId });
  const { email: before } = known;
  // an older way back is never given up for a newer one
  if (before !== null && !(await canBeRestored(db, userId, now))) return "too_many";
  const { email } = code;
  if (email === before) return { profile: known, previousEmail: null };
  const action = "person.email_changed";
  if (!(await changeEmail(db, { userId, email, actor, action, now }))) return "taken";
  await deleteSignInCodes(db, userId);
  if (before !== null) {
    const { codeHash: hash, expiresAt } = restoring;
    const kept = { hash, userId, expiresAt, email: before, identity: null, invitationHash: null };
    await db
      .insertInto("signInCodes")
      .values({ ...kept, purpose: "restore_email" })
      .execute();
  }
  return { profile: await profile(db, { userId }), previousEmail: before };
}

/** Whoever changed the address may have made these. */
async function deleteSince(db: CatalogDb, userId: string, changedAt: number, now: number): Promise<void> {
  const tokens = await db
    .selectFrom("tokens")
    .select("tokenId")
    .where("userId", "=", userId)
    .where("revokedAt", "is", null)
    .where((eb) => eb.or([eb("scope", "=", "console"), eb("createdAt", ">=", changedAt)]))
    .execute();
  for (const { tokenId } of tokens) await revokeToken(db, { tokenId, actor: LINK_HOLDER, now });
  await db.deleteFrom("identities").where("userId", "=", userId).where("linkedAt", ">=", changedAt).execute();
  await db
    .deleteFrom("signInCodes")
    .where("userId", "=", userId)
    .where((eb) =>
      eb.or([
        eb("purpose", "!=", "restore_email"),
        eb("expiresAt", ">", changedAt + SERVER_LIMITS.emailRestoreMs),
      ]),
    )
    .execute();
}

export async function restoreEmail(
  db: CatalogDb,
  { codeHash, now }: Argument<"restoreEmail">,
): Promise<{ email: string | null } | "unknown"> {
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .where("purpose", "=", "restore_email")
    .returningAll()
    .executeTakeFirst();
  if (!code || code.email === null || code.expiresAt <= now) return "unknown";
  const { userId } = code;
  const change = { userId, actor: LINK_HOLDER, action: "person.email_restored", now } as const;
  const isFree = await changeEmail(db, { ...change, email: code.email });
  if (!isFree) await changeEmail(db, { ...change, email: null });
  const { email } = await profile(db, { userId });
  await deleteSince(db, userId, code.expiresAt - SERVER_LIMITS.emailRestoreMs, now);
  return { email };
}

/** Changes of people's e-mail addresses, and their way back by a link to the previous one (docs/contract.md section 13). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { ProfileRecord } from "../../core/records.ts";
import { writePersonAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { profile, saveEmail, saveProfile } from "./profiles.ts";
import { revokeToken } from "./tokens.ts";

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
  const { email: before } = await profile(db, { userId });
  // an older way back is never given up for a newer one
  if (before !== null && !(await canBeRestored(db, userId, now))) return "too_many";
  if (!(await saveEmail(db, userId, code.email))) return "taken";
  const saved = await profile(db, { userId });
  if (saved.email === before) return { profile: saved, previousEmail: null };
  await deleteSignInCodes(db, userId);
  if (before !== null) {
    const { codeHash: hash, expiresAt } = restoring;
    const kept = { hash, userId, expiresAt, email: before, identity: null, invitationHash: null };
    await db
      .insertInto("signInCodes")
      .values({ ...kept, purpose: "restore_email" })
      .execute();
  }
  const difference = { before: { email: before }, after: { email: saved.email } };
  await writePersonAudit(db, { userId, actor, now, action: "person.email_changed", ...difference });
  return { profile: saved, previousEmail: before };
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
  const actor = { userId, tokenId: null };
  for (const { tokenId } of tokens) await revokeToken(db, { tokenId, actor, now });
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
  const { email: before } = await profile(db, { userId });
  await saveProfile(db, userId, { email: null });
  await saveEmail(db, userId, code.email);
  const { email } = await profile(db, { userId });
  const actor = { userId, tokenId: null };
  const difference = { before: { email: before }, after: { email } };
  await writePersonAudit(db, { userId, actor, now, action: "person.email_restored", ...difference });
  await deleteSince(db, userId, code.expiresAt - SERVER_LIMITS.emailRestoreMs, now);
  return { email };
}

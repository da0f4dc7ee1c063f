/** Changes of people's e-mail addresses, and their way back by a link to the previous one (docs/api/accounts.md). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { ProfileRecord } from "../records.ts";
import { type AuditedChange, LINK_HOLDER } from "./audit.ts";
import { type CatalogDb, hasRows } from "./database.ts";
import { removePasskeysSince } from "./passkeys.ts";
import { changeEmail, profile } from "./profiles.ts";
import { revokeToken } from "./tokens.ts";

/** Deletes the codes of links that may be in the mailbox of an address that is no longer the user's. */
const deleteSignInCodes = (db: CatalogDb, userId: string) =>
  db.deleteFrom("signInCodes").where("userId", "=", userId).where("purpose", "=", "sign_in").execute();

/** Whether the addresses that links can bring back are as many as there may be. */
const isAtChangeLimit = (db: CatalogDb, userId: string, now: number): Promise<boolean> => {
  const open = db
    .selectFrom("signInCodes")
    .select("hash")
    .where("userId", "=", userId)
    .where("purpose", "=", "restore_email")
    .where("expiresAt", ">", now);
  return hasRows(open, SERVER_LIMITS.maxEmailChanges);
};

interface EmailConfirmation extends AuditedChange {
  codeHash: string;
  userId: string;
  restoring: { codeHash: string; expiresAt: number };
}

/**
 * Gives the address of a code to its user. The code is deleted, and so are the user's codes of sign-in links. If the user had
 * another address, `restoring` is stored for `restoreEmail`. `too_many`: it would be one too many.
 */
async function confirmEmail(
  db: CatalogDb,
  { codeHash, userId, actor, now, restoring }: EmailConfirmation,
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
  if (before !== null && (await isAtChangeLimit(db, userId, now))) return "too_many";
  const { email } = code;
  if (email === before) return { profile: known, previousEmail: null };
  const changed = await changeEmail(db, known, { email, actor, action: "person.email_changed", now });
  if (!changed) return "taken";
  await deleteSignInCodes(db, userId);
  if (before !== null) {
    const { codeHash: hash, expiresAt } = restoring;
    const kept = { hash, userId, expiresAt, email: before, identity: null, invitationHash: null };
    await db
      .insertInto("signInCodes")
      .values({ ...kept, purpose: "restore_email" })
      .execute();
  }
  return { profile: changed, previousEmail: before };
}

/** Ends sessions, and deletes tokens, passkeys, identities and codes made since the address changed: a thief may have made them. */
async function deleteSince(db: CatalogDb, userId: string, changedAt: number, now: number): Promise<void> {
  const tokens = await db
    .selectFrom("tokens")
    .select("tokenId")
    .where("userId", "=", userId)
    .where("revokedAt", "is", null)
    .where((eb) => eb.or([eb("scope", "=", "console"), eb("createdAt", ">=", changedAt)]))
    .execute();
  for (const { tokenId } of tokens) await revokeToken(db, { tokenId, actor: LINK_HOLDER, now });
  await removePasskeysSince(db, { userId, since: changedAt, now });
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

/**
 * Gives the user of a code the previous address again, unless another user has it now. Ends the user's sessions, and deletes what
 * came since the change: tokens, passkeys, identities and all codes.
 */
async function restoreEmail(
  db: CatalogDb,
  { codeHash, now }: { codeHash: string; now: number },
): Promise<{ email: string | null } | "unknown"> {
  const code = await db
    .deleteFrom("signInCodes")
    .where("hash", "=", codeHash)
    .where("purpose", "=", "restore_email")
    .returningAll()
    .executeTakeFirst();
  if (!code || code.email === null || code.expiresAt <= now) return "unknown";
  const { userId } = code;
  const known = await profile(db, { userId });
  const change = { actor: LINK_HOLDER, action: "person.email_restored", now };
  const restored =
    (await changeEmail(db, known, { ...change, email: code.email })) ??
    (await changeEmail(db, known, { ...change, email: null }));
  await deleteSince(db, userId, code.expiresAt - SERVER_LIMITS.emailRestoreMs, now);
  return { email: restored?.email ?? null };
}

export const emailWrites = { confirmEmail, restoreEmail };

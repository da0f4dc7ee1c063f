/** Passkeys of people, and the challenges that they sign (docs/api/accounts.md). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { PasskeyRecord, TokenRecord } from "../records.ts";
import { type AuditedChange, type AuditNote, LINK_HOLDER, writePersonAudit } from "./audit.ts";
import { type CatalogDb, hasRows } from "./database.ts";
import { type NewSession, startSession } from "./sessions.ts";

/** Open challenges of one person, and of all sign-ins together. A further one ends the oldest. */
const MAX_OWN_CHALLENGES = 5;
const MAX_SIGN_IN_CHALLENGES = 1_000;

/** Newest first. */
const passkeys = (db: CatalogDb, { userId }: { userId: string }): Promise<PasskeyRecord[]> =>
  db
    .selectFrom("passkeys")
    .selectAll()
    .where("userId", "=", userId)
    .orderBy("createdAt", "desc")
    .orderBy("passkeyId")
    .execute();

async function passkeyOfCredential(
  db: CatalogDb,
  { credentialId }: { credentialId: string },
): Promise<PasskeyRecord | null> {
  const query = db.selectFrom("passkeys").selectAll().where("credentialId", "=", credentialId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Whether anybody has a passkey for this host. */
const hasPasskeys = (db: CatalogDb, { host }: { host: string }): Promise<boolean> =>
  hasRows(db.selectFrom("passkeys").select("passkeyId").where("host", "=", host), 1);

interface Challenge {
  /** SHA-256 of the challenge. */
  hash: string;
  /** The person who adds a passkey; null: somebody signs in. */
  userId: string | null;
}

async function createPasskeyChallenge(
  db: CatalogDb,
  { now, ...created }: Challenge & { expiresAt: number; now: number },
): Promise<void> {
  const { userId } = created;
  await db.deleteFrom("passkeyChallenges").where("expiresAt", "<=", now).execute();
  const most = userId === null ? MAX_SIGN_IN_CHALLENGES : MAX_OWN_CHALLENGES;
  const oldest = db
    .selectFrom("passkeyChallenges")
    .select("hash")
    .where("userId", userId === null ? "is" : "=", userId)
    .orderBy("expiresAt", "desc")
    .orderBy("hash")
    .offset(most - 1)
    .limit(most);
  await db.deleteFrom("passkeyChallenges").where("hash", "in", oldest).execute();
  await db.insertInto("passkeyChallenges").values(created).execute();
}

/** Deletes the challenge, so that it works once. @returns whether it was open and for this purpose */
async function takePasskeyChallenge(
  db: CatalogDb,
  { hash, userId, now }: Challenge & { now: number },
): Promise<boolean> {
  const taken = await db
    .deleteFrom("passkeyChallenges")
    .where("hash", "=", hash)
    .returningAll()
    .executeTakeFirst();
  return taken !== undefined && taken.userId === userId && taken.expiresAt > now;
}

/** The part of a passkey that audit entries show. */
const auditedPasskey = ({ passkeyId, name, host }: PasskeyRecord) => ({ passkeyId, name, host });

async function addPasskey(
  db: CatalogDb,
  { passkey, ...change }: AuditedChange & { passkey: PasskeyRecord },
): Promise<"added" | "exists" | "limit_reached"> {
  const { userId, credentialId } = passkey;
  const own = db.selectFrom("passkeys").select("passkeyId").where("userId", "=", userId);
  if (await hasRows(own, SERVER_LIMITS.maxPasskeys)) return "limit_reached";
  if (await passkeyOfCredential(db, { credentialId })) return "exists";
  await db.insertInto("passkeys").values(passkey).execute();
  const after = auditedPasskey(passkey);
  await writePersonAudit(db, change, { userId, action: "person.passkey_added", after });
  return "added";
}

/** Another user's passkey stays. */
async function removePasskey(
  db: CatalogDb,
  { userId, passkeyId, ...change }: Pick<AuditNote, "actor" | "now"> & { userId: string; passkeyId: string },
): Promise<void> {
  const removed = await db
    .deleteFrom("passkeys")
    .where("passkeyId", "=", passkeyId)
    .where("userId", "=", userId)
    .returningAll()
    .executeTakeFirst();
  if (!removed) return;
  const before = auditedPasskey(removed);
  await writePersonAudit(db, change, { userId, action: "person.passkey_removed", before });
}

/** Removes the passkeys that a thief may have added. */
export async function removePasskeysSince(
  db: CatalogDb,
  { userId, since, now }: { userId: string; since: number; now: number },
): Promise<void> {
  for (const { passkeyId, createdAt } of await passkeys(db, { userId }))
    if (createdAt >= since) await removePasskey(db, { userId, passkeyId, actor: LINK_HOLDER, now });
}

/** Removes the passkeys of a person who is in no workspace any more. @returns their ids */
export async function removePasskeysOfStranger(db: CatalogDb, userId: string): Promise<string[]> {
  const joined = db.selectFrom("members").select("organizationId").where("userId", "=", userId);
  if (await hasRows(joined, 1)) return [];
  const removed = await db
    .deleteFrom("passkeys")
    .where("userId", "=", userId)
    .returning("passkeyId")
    .execute();
  return removed.map(({ passkeyId }) => passkeyId);
}

interface PasskeySignIn extends NewSession {
  passkeyId: string;
  /** The counter that its authenticator has signed. */
  counter: number;
}

/**
 * Begins a session with a passkey whose signature was verified.
 * @returns null: it was removed meanwhile, or another request has brought a counter that is as high
 */
async function signInWithPasskey(db: CatalogDb, signIn: PasskeySignIn): Promise<TokenRecord | null> {
  const { passkeyId, counter, now } = signIn;
  const used = await db
    .updateTable("passkeys")
    .set({ counter, lastUsedAt: now })
    .where("passkeyId", "=", passkeyId)
    .where((eb) => eb.or([eb("counter", "<", counter), eb("counter", "=", 0)]))
    .returningAll()
    .executeTakeFirst();
  if (!used) return null;
  const { userId } = used;
  return startSession(db, { ...signIn, userId, details: { passkey: used.name } });
}

export const passkeyReads = { passkeys, passkeyOfCredential, hasPasskeys };
export const passkeyWrites = {
  createPasskeyChallenge,
  takePasskeyChallenge,
  addPasskey,
  removePasskey,
  signInWithPasskey,
};

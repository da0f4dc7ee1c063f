/** The accounts of people: names, confirmed addresses, preferences, and who they are at the identity provider. */
import type { Preferences, ProfileRecord } from "../records.ts";
import { type AuditedChange, type AuditNote, writePersonAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";

/** A person at the identity provider. */
export interface IdentityRecord {
  issuer: string;
  subject: string;
  /** An address that the provider has verified. */
  email: string | null;
  name: string | null;
}

const DEFAULT_PREFERENCES: Preferences = {
  theme: "auto",
  locale: "auto",
  numberFormat: "auto",
  clock: "auto",
  weekStart: "auto",
};

/** The defaults when the user has changed nothing. */
export async function profile(db: CatalogDb, { userId }: { userId: string }): Promise<ProfileRecord> {
  const row = await db.selectFrom("profiles").selectAll().where("userId", "=", userId).executeTakeFirst();
  return row ?? { userId, name: null, email: null, ...DEFAULT_PREFERENCES };
}

async function saveProfile(db: CatalogDb, saved: ProfileRecord): Promise<ProfileRecord> {
  const { userId: _, ...columns } = saved;
  await db
    .insertInto("profiles")
    .values(saved)
    .onConflict((conflict) => conflict.column("userId").doUpdateSet(columns))
    .execute();
  return saved;
}

interface ProfileUpdate extends AuditedChange {
  userId: string;
  change: Partial<Pick<ProfileRecord, "name"> & Preferences>;
}

/** Preferences concern nobody else, so only a new name is an audit entry of the person's workspaces. */
async function updateProfile(db: CatalogDb, update: ProfileUpdate): Promise<ProfileRecord> {
  const { userId, change } = update;
  const known = await profile(db, { userId });
  const saved = await saveProfile(db, { ...known, ...change });
  if (saved.name !== known.name) {
    const [before, after] = [{ name: known.name }, { name: saved.name }];
    await writePersonAudit(db, update, { userId, action: "person.renamed", before, after });
  }
  return saved;
}

/** The user with this confirmed address. */
export async function userByEmail(db: CatalogDb, { email }: { email: string }): Promise<string | null> {
  const row = await db.selectFrom("profiles").select("userId").where("email", "=", email).executeTakeFirst();
  return row?.userId ?? null;
}

/** A change of a person's address, which is a way to sign in. */
interface EmailChange extends Pick<AuditNote, "actor" | "action" | "now"> {
  /** An address that is confirmed as the user's; null: none. */
  readonly email: string | null;
}

/** The only function that changes the address of a user. Each change is in the audit log. @returns null when another user has it */
export async function changeEmail(
  db: CatalogDb,
  known: ProfileRecord,
  { email, action, ...change }: EmailChange,
): Promise<ProfileRecord | null> {
  const { userId } = known;
  const owner = email === null ? null : await userByEmail(db, { email });
  if (owner !== null && owner !== userId) return null;
  const saved = await saveProfile(db, { ...known, email });
  await writePersonAudit(db, change, { userId, action, before: { email: known.email }, after: { email } });
  return saved;
}

/** Stores what is known of a new user. A name and an address that the user already has are kept. */
export async function completeProfile(
  db: CatalogDb,
  userId: string,
  { name, email, now }: Pick<ProfileRecord, "name" | "email"> & { now: number },
): Promise<void> {
  let known = await profile(db, { userId });
  if (name !== null && known.name === null) known = await saveProfile(db, { ...known, name });
  if (email === null || known.email !== null) return;
  const actor = { userId, tokenId: null };
  await changeEmail(db, known, { email, actor, action: "person.email_changed", now });
}

async function linkedUser(db: CatalogDb, { issuer, subject }: IdentityRecord): Promise<string | null> {
  const known = await db
    .selectFrom("identities")
    .select("userId")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return known?.userId ?? null;
}

async function hasIdentity(db: CatalogDb, userId: string, issuer: string): Promise<boolean> {
  const found = db.selectFrom("identities").select("subject");
  const row = await found.where("userId", "=", userId).where("issuer", "=", issuer).executeTakeFirst();
  return row !== undefined;
}

/**
 * The user who signed in with this identity before, or who has its confirmed address. A provider may give an address to another
 * person: it opens only an account that has no subject of that provider yet.
 * @returns null when there is none
 */
export async function userOfIdentity(db: CatalogDb, identity: IdentityRecord): Promise<string | null> {
  const { email, issuer } = identity;
  const linked = await linkedUser(db, identity);
  if (linked !== null || email === null) return linked;
  const userId = await userByEmail(db, { email });
  return userId === null || (await hasIdentity(db, userId, issuer)) ? null : userId;
}

/** The identity is the user's from now on, unless it belongs to a user already. @returns whose it is */
export async function linkIdentity(
  db: CatalogDb,
  identity: IdentityRecord,
  { userId, now }: { userId: string; now: number },
): Promise<string> {
  const { issuer, subject } = identity;
  const linked = await db
    .insertInto("identities")
    .values({ issuer, subject, userId, linkedAt: now })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .returning("userId")
    .executeTakeFirst();
  if (!linked) return (await linkedUser(db, identity)) ?? userId;
  await completeProfile(db, userId, { ...identity, now });
  const change = { actor: { userId, tokenId: null }, now };
  const after = { provider: issuer };
  await writePersonAudit(db, change, { userId, action: "person.identity_linked", after });
  return userId;
}

export const profileReads = { profile, userByEmail, userOfIdentity };
export const profileWrites = { updateProfile };

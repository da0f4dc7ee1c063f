/** The accounts of people: names, confirmed addresses, preferences, and who they are at the identity provider. */
import type { IdentityRecord } from "../account-records.ts";
import type { ProfileRecord } from "../records.ts";
import { writePersonAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";

const defaultsOf = (userId: string): ProfileRecord => ({
  userId,
  name: null,
  email: null,
  theme: "auto",
  numberFormat: "auto",
});

export async function profile(db: CatalogDb, { userId }: Argument<"profile">): Promise<ProfileRecord> {
  const row = await db.selectFrom("profiles").selectAll().where("userId", "=", userId).executeTakeFirst();
  return row ?? defaultsOf(userId);
}

async function saveProfile(
  db: CatalogDb,
  userId: string,
  change: Partial<ProfileRecord>,
): Promise<ProfileRecord> {
  const saved = { ...(await profile(db, { userId })), ...change };
  const { userId: _, ...columns } = saved;
  await db
    .insertInto("profiles")
    .values(saved)
    .onConflict((conflict) => conflict.column("userId").doUpdateSet(columns))
    .execute();
  return saved;
}

/** Preferences concern nobody else, so only a new name is in the audit log. */
export async function updateProfile(
  db: CatalogDb,
  { userId, change, actor, now }: Argument<"updateProfile">,
): Promise<ProfileRecord> {
  const { name: before } = await profile(db, { userId });
  const saved = await saveProfile(db, userId, change);
  if (saved.name !== before)
    await writePersonAudit(db, {
      userId,
      actor,
      now,
      action: "person.renamed",
      before: { name: before },
      after: { name: saved.name },
    });
  return saved;
}

export async function userByEmail(db: CatalogDb, { email }: Argument<"userByEmail">): Promise<string | null> {
  const row = await db.selectFrom("profiles").select("userId").where("email", "=", email).executeTakeFirst();
  return row?.userId ?? null;
}

/** A change of a person's address, which is a way to sign in. */
interface EmailChange {
  readonly userId: string;
  /** An address that is confirmed as the user's; null: none. */
  readonly email: string | null;
  readonly actor: { userId: string | null; tokenId: string | null };
  readonly action: "person.email_changed" | "person.email_restored";
  readonly now: number;
}

/** The only function that changes the address of a user. Each change is in the audit log. @returns false when another user has it */
export async function changeEmail(db: CatalogDb, change: EmailChange): Promise<boolean> {
  const { userId, email, ...rest } = change;
  const owner = email === null ? null : await userByEmail(db, { email });
  if (owner !== null && owner !== userId) return false;
  const { email: before } = await profile(db, { userId });
  await saveProfile(db, userId, { email });
  await writePersonAudit(db, { ...rest, userId, before: { email: before }, after: { email } });
  return true;
}

/** What is known of a new user. A name and an address that the user already has are kept. */
export async function completeProfile(
  db: CatalogDb,
  userId: string,
  { name, email, now }: Pick<ProfileRecord, "name" | "email"> & { now: number },
): Promise<void> {
  const known = await profile(db, { userId });
  if (name !== null && known.name === null) await saveProfile(db, userId, { name });
  if (email === null || known.email !== null) return;
  const actor = { userId, tokenId: null };
  await changeEmail(db, { userId, email, actor, action: "person.email_changed", now });
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

/** A provider may give an address to another person: it opens only an account that has no subject of that provider yet. */
export async function userOfIdentity(
  db: CatalogDb,
  identity: Argument<"userOfIdentity">,
): Promise<string | null> {
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
  const actor = { userId, tokenId: null };
  const after = { provider: issuer };
  await writePersonAudit(db, { userId, actor, now, action: "person.identity_linked", after });
  return userId;
}

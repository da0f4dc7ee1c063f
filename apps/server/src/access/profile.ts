/** People's profiles, their confirmed email addresses and their sessions (docs/api/accounts.md). */
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { DAY_MS, toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { hashToken, makeCode } from "../core/token.ts";
import type { CatalogHandler, Handler } from "../http/handler.ts";
import { readEmailAddress } from "../mail/email-address.ts";
import { toMailRefusal } from "../mail/mail-limits.ts";
import { atMost, createRateLimiter, requireRate } from "../overload/rate-limit.ts";
import { idleEndOf } from "./authenticate.ts";
import { addressChangedMail, confirmationMail } from "./mails.ts";
import { readName } from "./names.ts";
import type { AccessHandler, AccessServices } from "./services.ts";

/** Each is an entry in the audit log of every workspace of that person. */
const RENAMES_PER_HOUR = 10;
const EMAIL_CODE_MS = 60 * 60_000;

export const getProfile: CatalogHandler<"getProfile"> = async ({ actor, clientAddress }, { catalog }) => ({
  body: { ...(await catalog.profile({ userId: actor.userId })), clientAddress },
});

export function createProfileUpdate({ catalog, nodes }: AccessServices): Handler<"updateProfile"> {
  const perHour = RENAMES_PER_HOUR;
  const renames = createRateLimiter({ ...atMost(perHour, 3_600), nodes });
  return async ({ actor, body: { name, ...preferences }, now }) => {
    const { userId } = actor;
    const named = name === undefined ? {} : { name: name === null ? null : readName("name", name) };
    const isRenamed = named.name !== undefined && named.name !== (await catalog.profile({ userId })).name;
    if (isRenamed)
      requireRate(renames, userId, now, `You can change your name at most ${perHour} times an hour.`);
    return {
      body: await catalog.updateProfile({ userId, actor, now, change: { ...preferences, ...named } }),
    };
  };
}

export const requestEmail: AccessHandler<"requestEmail"> = async ({ actor, body, now }, services) => {
  const { catalog, mailer, addresses } = services;
  const { userId } = actor;
  const email = readEmailAddress("email", body.email);
  if (!mailer)
    throw new Refusal("mail_unavailable", {
      message: "This service has no mail server.",
      hint: "The operator must set SMTP_URL and MAIL_FROM.",
    });
  const { code, codeHash } = makeCode();
  const expiresAt = now + EMAIL_CODE_MS;
  const maxOpen = SERVER_LIMITS.maxSignInLinks;
  const isMade = await catalog.createSignInCode({ codeHash, userId, expiresAt, now, email, maxOpen });
  if (!isMade)
    throw new Refusal("mail_unavailable", {
      message: "Too many links have been sent to you.",
      hint: "Open the latest email, or wait an hour.",
    });
  const url = `${addresses().appUrl}/profile#code=${code}`;
  const cause = { organizationId: null, userId };
  await mailer.send(confirmationMail(email, url), cause, false).catch((error: unknown) => {
    throw toMailRefusal(error);
  });
  return { body: { requested: true } };
};

/** Mails the previous address a link that takes the change back. */
export const confirmEmail: AccessHandler<"confirmEmail"> = async ({ actor, body, now }, services) => {
  const { catalog, mailer, addresses, boundedLog } = services;
  const { userId } = actor;
  const { code, codeHash } = makeCode();
  const restoring = { codeHash, expiresAt: now + SERVER_LIMITS.emailRestoreMs };
  const change = { codeHash: hashToken(body.code), userId, actor, now, restoring };
  const confirmed = await catalog.confirmEmail(change);
  if (confirmed === "unknown") throw new Refusal("invalid_code");
  if (confirmed === "taken") throw new Refusal("email_taken");
  if (confirmed === "too_many")
    throw new Refusal("limit_reached", {
      message: `You can change your address at most ${SERVER_LIMITS.maxEmailChanges} times within 7 days.`,
      hint: "Change it again in a few days.",
    });
  const { profile, previousEmail } = confirmed;
  if (mailer && previousEmail !== null && profile.email !== null) {
    const url = `${addresses().appUrl}/restore-email#code=${code}`;
    const mail = addressChangedMail({ to: previousEmail, newAddress: profile.email, url });
    mailer
      .warn(mail)
      .catch((error: unknown) =>
        boundedLog.error(
          { err: error },
          "a person could not be notified that their email address was changed",
        ),
      );
  }
  return { body: profile };
};

export const restoreEmail: CatalogHandler<"restoreEmail"> = async ({ body, now }, { catalog }) => {
  const restored = await catalog.restoreEmail({ codeHash: hashToken(body.code), now });
  if (restored === "unknown") throw new Refusal("invalid_code");
  return { body: restored };
};

export const listSessions: AccessHandler<"listSessions"> = async ({ actor, now }, { catalog, config }) => {
  const { userId, tokenId: current } = actor;
  const idleMs = config.CONSOLE_IDLE_DAYS * DAY_MS;
  const found = await catalog.sessions({ userId, now });
  const sessions = found
    // this request uses it, which the ledger may not know yet
    .map((session) => (session.tokenId === current ? { ...session, lastUsedAt: now } : session))
    .filter((session) => idleEndOf(session, idleMs) > now)
    .map((session) => ({
      tokenId: session.tokenId,
      label: session.label,
      isCurrent: session.tokenId === current,
      createdAt: toIsoTime(session.createdAt),
      lastUsedAt: toIsoTimeOrNull(session.lastUsedAt),
      expiresAt: toIsoTime(
        Math.min(session.expiresAt ?? Number.POSITIVE_INFINITY, idleEndOf(session, idleMs)),
      ),
    }));
  return { body: { sessions } };
};

export const endSession: CatalogHandler<"endSession"> = async ({ actor, params, now }, { catalog }) => {
  const { tokenId } = params;
  const found = await catalog.sessions({ userId: actor.userId, now });
  if (!found.some((session) => session.tokenId === tokenId)) throw new Refusal("token_not_found");
  await catalog.revokeToken({ tokenId, actor, now });
  return { body: { tokenId, endedAt: toIsoTime(now) } };
};
